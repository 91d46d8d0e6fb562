package metrics

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/beameval/beameval/metrics/confidence"
)

// choice is a metric with an average and an argument; full is its whole name.
type choice struct {
	metric  *metric
	average string
	arg     float64
	full    string
	grade   int // which grade it is of: the main one, 0, or one of Params.FurtherGrades, from 1
}

// spelling is one of the names of a metric, with an average. If it has a parameter, before and
// after are the text around the argument; otherwise before is the whole name.
type spelling struct {
	metric        *metric
	average       string
	before, after string
	parameter     *parameter
}

// spellingOf splits a name around its parameter.
func spellingOf(m *metric, name, average string) spelling {
	if before, rest, found := strings.Cut(name, "<"); found {
		inside, after, _ := strings.Cut(rest, ">")
		i := slices.IndexFunc(parameters, func(p parameter) bool { return p.name == inside })
		return spelling{m, average, before, after + average, &parameters[i]}
	}
	return spelling{metric: m, average: average, before: name + average}
}

// choices returns what the spelling stands for: the metric or, if it has a parameter, the metric
// with each of the arguments. Full names use the main name, whatever the spelling.
func (s spelling) choices(with Arguments) []choice {
	main := spellingOf(s.metric, s.metric.name, s.average)
	if main.parameter == nil {
		return []choice{{s.metric, s.average, s.metric.arg, main.before, 0}}
	}
	var list []choice
	for _, x := range with[main.parameter.name] {
		list = append(list, choice{s.metric, s.average, x, main.before + strconv.FormatFloat(x, 'g', -1, 64) + main.after, 0})
	}
	return list
}

// parse parses a name that states its argument, such as f3_macro.
func (s spelling) parse(name string) (c choice, matched bool, err error) {
	text, hasPrefix := strings.CutPrefix(name, s.before)
	text, hasSuffix := strings.CutSuffix(text, s.after)
	if !hasPrefix || !hasSuffix || strings.Trim(text, "0123456789.eE+-") != "" {
		return choice{}, false, nil // not an argument, although ParseFloat accepts "inf" and "0x1"
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return choice{}, false, nil
	}
	if !s.parameter.legal(x) {
		return choice{}, false, fmt.Errorf("metric %q: %s is not %s", name, text, s.parameter.expect)
	}
	return s.choices(Arguments{s.parameter.name: {x}})[0], true, nil
}

// vocabulary holds the names of a task's metrics.
type vocabulary struct {
	known   []string // in the order of the catalogue
	byName  map[string]spelling
	byPlain map[string]spelling // by the plain form of the name
	open    []spelling          // the spellings with a parameter
}

var vocabularies = sync.OnceValue(func() map[Task]*vocabulary {
	all := make(map[Task]*vocabulary)
	for _, t := range taskNames {
		v := &vocabulary{byName: make(map[string]spelling), byPlain: make(map[string]spelling)}
		for i := range catalogue {
			m := &catalogue[i]
			if m.tasks&t.task == 0 {
				continue
			}
			for _, average := range m.averagesIn(t.task) {
				v.add(m, average)
			}
		}
		all[t.task] = v
	}
	return all
})

// add adds the metric's name and its aliases; for those with a parameter, also without the
// brackets: ndcg@k, fbeta.
func (v *vocabulary) add(m *metric, average string) {
	var bare []spelling
	for _, name := range append([]string{m.name}, m.aliases...) {
		s := spellingOf(m, name, average)
		v.know(name+average, s)
		if s.parameter != nil {
			v.open, bare = append(v.open, s), append(bare, s)
		}
	}
	for _, s := range bare {
		v.know(s.before+s.parameter.name+s.after, s)
	}
}

func (v *vocabulary) know(name string, s spelling) {
	v.known = append(v.known, name)
	v.byName[name] = s
	if form := plain(name); v.byPlain[form].metric == nil {
		v.byPlain[form] = s
	}
}

// resolve returns what a name stands for in a task. found reports whether the task has the name.
func resolve(task Task, name string, with Arguments) (list []choice, found bool, err error) {
	v := vocabularies()[task]
	if v == nil {
		return nil, false, nil
	}
	if s, ok := v.byName[name]; ok {
		return s.choices(with), true, nil
	}
	for _, s := range v.open {
		if c, ok, err := s.parse(name); ok || err != nil {
			return []choice{c}, ok, err
		}
	}
	return nil, false, nil
}

// find is resolve with an error for an unknown name, which may be spelled in another way.
func find(task Task, name string, with Arguments) ([]choice, error) {
	list, found, err := resolve(task, name, with)
	if !found && err == nil {
		list, found, err = spelled(task, name, with)
	}
	switch {
	case err != nil:
		return nil, err
	case found && len(list) == 0:
		return nil, fmt.Errorf("metric %q has a parameter, and no argument is given", name)
	case found:
		return list, nil
	}
	elsewhere := Task(0)
	for _, t := range taskNames {
		_, found, _ := resolve(t.task, name, with)
		_, other, _ := spelled(t.task, name, with)
		if found || other {
			elsewhere |= t.task
		}
	}
	if elsewhere != 0 {
		return nil, fmt.Errorf("metric %q is not one of task %s: it belongs to %s", name, task, elsewhere)
	}
	return nil, &UnknownMetricError{Name: name, Task: task, Known: vocabularies()[task].known}
}

// described is resolve for names in reports, without Params: they may be of further grades, too, whatever these are called. Then it
// returns the name of the grade.
func described(task Task, name string) (list []choice, grade string) {
	switch list, found, _ := resolve(task, name, nil); {
	case found:
		return list, ""
	case task == Grading:
		return furtherOf(name, nil)
	}
	return nil, ""
}

// lookup returns what a name stands for under p, or an error if it is unknown.
func (p *Params) lookup(name string, with Arguments) ([]choice, error) {
	list, err := find(p.Task, name, with)
	if err == nil || len(p.FurtherGrades) == 0 {
		return list, err
	}
	of, grade := furtherOf(name, with)
	i := slices.IndexFunc(p.FurtherGrades, func(g FurtherGrade) bool { return g.Name == grade })
	if unknown := (*UnknownMetricError)(nil); i < 0 && errors.As(err, &unknown) {
		for _, g := range p.FurtherGrades {
			unknown.Known = slices.Concat(unknown.Known, furtherNames(g.Name))
		}
	}
	if i < 0 || len(of) == 0 {
		return nil, err
	}
	for k := range of {
		of[k] = of[k].ofGrade(p, i+1)
	}
	return of, nil
}

// Names returns every name that stands for a metric of one of the tasks, in alphabetical order.
func Names(tasks Task) []string {
	var names []string
	for _, t := range taskNames {
		if t.task&tasks != 0 {
			names = append(names, vocabularies()[t.task].known...)
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return strings.Contains(name, "<") })
}

// UnknownMetricError says that no metric of a task has the given name.
type UnknownMetricError struct {
	Name  string
	Task  Task
	Known []string // the names of the task's metrics
}

// Error names the metric and the task.
func (e *UnknownMetricError) Error() string {
	return fmt.Sprintf("unknown metric %q of task %s", e.Name, e.Task)
}

// Definition returns the one-line definition of a metric of a task, or of a disparity, by the name
// of its results. It is "" if there is no such metric.
func Definition(task Task, name string) string {
	if found, grade := described(task, name); len(found) > 0 {
		text, _ := found[0].metric.definition()
		if grade != "" {
			return fmt.Sprintf("of %s: %s", grade, text)
		}
		return text
	}
	if of, d := disparityOf(name); d != nil && compared(task, of) {
		return d.of(of)
	}
	return ""
}

// Direction returns which values of a metric, or of a disparity, are better, by the name of its
// results. It is Neither if there is no such metric. Of grades, higher values are better unless [Params.Direction] says otherwise.
func Direction(name string) Better {
	if m := metricOf(name); m != nil {
		return m.better
	}
	of, d := disparityOf(name)
	switch {
	case d == nil || !slices.ContainsFunc(taskNames, func(t taskName) bool { return compared(t.task, of) }):
		return Neither
	case d.better == Neither:
		return Direction(of)
	}
	return d.better
}

// Direction is like the function Direction, but knows whether higher grades are better.
func (p *Params) Direction(name string) Better {
	if list, err := p.lookup(name, nil); err == nil && len(list) > 0 {
		return p.betterOf(list[0])
	}
	if of, d := disparityOf(name); d != nil && d.better == Neither {
		return p.Direction(of)
	}
	return Direction(name)
}

// Bounds returns the smallest and the largest value that a metric can have, by the name of its
// results. They are infinite if there is no bound, or no such metric.
func Bounds(name string) (least, greatest float64) {
	if m := metricOf(name); m != nil {
		return m.scale.Bounds()
	}
	return confidence.Identity.Bounds()
}

// IsRate reports whether a metric is a share of trials that succeed, such as accuracy, by the name of its
// results. An average of such shares is not.
func IsRate(name string) bool {
	c, known := choiceOf(name)
	return known && c.scale() == confidence.Proportion
}

// PowerMean returns 1 if a metric of a task, by the name of its results, is the mean over examples of a number
// that each example has; 2 if it is the square root of the mean of a square; and otherwise 0.
func PowerMean(task Task, name string) (order int) {
	found, _ := described(task, name)
	if len(found) != 1 || found[0].averaging() == weighted {
		return 0
	}
	if found[0].metric.isMean {
		return 1
	}
	return found[0].metric.order
}

// IsOfCounts reports whether a metric of a task, by the name of its results, is computed from the confusion
// matrix alone, as precision is.
func IsOfCounts(task Task, name string) bool {
	found, _, _ := resolve(task, name, nil)
	return len(found) == 1 && found[0].metric.from == kindConfusion && found[0].metric.needs == NeedDecisions
}

// metricOf returns the metric whose results have the given name, or nil.
func metricOf(name string) *metric {
	c, _ := choiceOf(name)
	return c.metric
}

// choiceOf returns the choice whose results have the given name, from the first task with one. A main
// name means much the same in all tasks, but may be an alias of something else in one.
func choiceOf(name string) (first choice, known bool) {
	for _, t := range taskNames {
		found, _, _ := resolve(t.task, name, nil)
		switch {
		case len(found) == 0:
		case found[0].full == name:
			return found[0], true
		case !known:
			first, known = found[0], true
		}
	}
	if of, _ := described(Grading, name); !known && len(of) > 0 {
		return of[0], true
	}
	return first, known
}

// dash is one between words; before a digit, it is the sign of an argument.
var dash = regexp.MustCompile(`-([a-z])`)

// plain returns a name as people may spell it who know other tools: in lower case, with _ between words,
// and without the _score of scikit-learn's functions.
func plain(name string) string {
	if name = strings.ToLower(name); strings.Contains(name, "-") {
		name = dash.ReplaceAllString(name, "_$1")
	}
	bare, argument, _ := strings.Cut(name, "@")
	if argument != "" {
		argument = "@" + argument
	}
	for _, average := range []string{"", micro, macro, weighted, "_samples"} {
		if before, found := strings.CutSuffix(bare, "_score"+average); found && before != "" {
			return before + average + argument
		}
	}
	return name
}

// spelled is resolve for a name that is none of the task's as it is, but is one in another spelling: F1_Score
// is f1, and Recall@10 is recall@10.
func spelled(task Task, name string, with Arguments) (list []choice, found bool, err error) {
	v := vocabularies()[task]
	if v == nil {
		return nil, false, nil
	}
	name = plain(name)
	if s, ok := v.byPlain[name]; ok {
		return s.choices(with), true, nil
	}
	for _, s := range v.open {
		s.before, s.after = splitPlain(s)
		if c, ok, err := s.parse(name); ok || err != nil {
			return []choice{c}, ok, err
		}
	}
	return nil, false, nil
}

// splitPlain returns the text around the argument of a spelling in its plain form.
func splitPlain(s spelling) (before, after string) {
	const argument = "<>"
	before, after, _ = strings.Cut(plain(s.before+argument+s.after), argument)
	return before, after
}
