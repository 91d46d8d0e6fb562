package metrics

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
)

// choice is a metric with its parameter and average settled.
type choice struct {
	metric  *metric
	average string
	arg     float64
	full    string
}

// parameter is a parameter that a name can have.
type parameter struct {
	mark   string // as it stands in the name
	values func(Parameters) []float64
	legal  func(float64) bool
	expect string
}

var parameters = []parameter{
	{"<beta>", func(p Parameters) []float64 { return p.Beta }, func(x float64) bool { return x > 0 && x <= 1e6 }, "a positive number up to 1e6"},
	{"<q>", func(p Parameters) []float64 { return p.Quantiles }, isShare, "a number between 0 and 1"},
	{"<p>", func(p Parameters) []float64 { return p.Precision }, isShare, "a number between 0 and 1"},
	{"<r>", func(p Parameters) []float64 { return p.Recall }, isShare, "a number between 0 and 1"},
	{"<f>", func(p Parameters) []float64 { return p.FPR }, isShare, "a number between 0 and 1"},
	{"<s>", func(p Parameters) []float64 { return p.Sensitivity }, isShare, "a number between 0 and 1"},
	{"<persistence>", func(p Parameters) []float64 { return p.Persistence }, func(x float64) bool { return x >= 0 && x < 1 }, "a number from 0 to less than 1"},
	{"<k>", func(p Parameters) []float64 { return p.K }, func(x float64) bool { return x >= 1 && x <= 1e6 && x == math.Trunc(x) }, "a whole number from 1 to 1e6"},
}

func isShare(x float64) bool { return x >= 0 && x <= 1 }

// check says whether all values are legal.
func (p Parameters) check() error {
	for _, param := range parameters {
		for _, x := range param.values(p) {
			if !param.legal(x) {
				return fmt.Errorf("%s: %v is not %s", param.mark, x, param.expect)
			}
		}
	}
	return nil
}

// split returns the parts of a name around its parameter, and the parameter,
// or nil.
func split(name string) (before, after string, p *parameter) {
	for i := range parameters {
		if b, a, found := strings.Cut(name, parameters[i].mark); found {
			return b, a, &parameters[i]
		}
	}
	return name, "", nil
}

// choices returns the metric with an average and each value of its parameter.
func (m *metric) choices(average string, with Parameters) []choice {
	_, _, param := split(m.name)
	if param == nil {
		return []choice{{m, average, m.arg, m.name + average}}
	}
	var list []choice
	for _, x := range param.values(with) {
		list = append(list, m.choice(average, x))
	}
	return list
}

// choice is the metric with an average and a value of its parameter.
func (m *metric) choice(average string, x float64) choice {
	before, after, _ := split(m.name)
	return choice{m, average, x, before + strconv.FormatFloat(x, 'g', -1, 64) + after + average}
}

// parse reads a name with a parameter value of its own, such as f3_macro.
func (m *metric) parse(name, average string) (c choice, matched bool, err error) {
	for _, spelling := range append([]string{m.name}, m.aliases...) {
		if c, matched, err = m.parseAs(spelling, name, average); matched || err != nil {
			break
		}
	}
	return c, matched, err
}

// parseAs is parse for one of the spellings of the metric.
func (m *metric) parseAs(spelling, name, average string) (c choice, matched bool, err error) {
	before, after, param := split(spelling)
	if param == nil {
		return choice{}, false, nil
	}
	text, hasPrefix := strings.CutPrefix(name, before)
	text, hasSuffix := strings.CutSuffix(text, after+average)
	if !hasPrefix || !hasSuffix || strings.Trim(text, "0123456789.eE+-") != "" {
		return choice{}, false, nil // not even "inf" or "0x1"
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return choice{}, false, nil
	}
	if !param.legal(x) {
		return choice{}, false, fmt.Errorf("metric %q: %s is not %s", name, text, param.expect)
	}
	return m.choice(average, x), true, nil
}

// A spelling is one of the names of a metric.
type spelling struct {
	metric  *metric
	average string
}

// vocabulary is the names of a task's metrics, in the order of the catalogue
// and by name.
type vocabulary struct {
	known  []string
	byName map[string]spelling
}

var vocabularies = sync.OnceValue(func() map[Task]vocabulary {
	all := make(map[Task]vocabulary)
	for _, t := range taskNames {
		v := vocabulary{byName: make(map[string]spelling)}
		for i := range catalogue {
			m := &catalogue[i]
			if m.tasks&t.task == 0 {
				continue
			}
			for _, average := range m.averagesIn(t.task) {
				for _, name := range m.spellings() {
					v.known = append(v.known, name+average)
					v.byName[name+average] = spelling{m, average}
				}
			}
		}
		all[t.task] = v
	}
	return all
})

// spellings are the metric's name, its aliases, and, where they have a parameter,
// each with that unstated: ndcg@k, fbeta.
func (m *metric) spellings() []string {
	list := append([]string{m.name}, m.aliases...)
	for _, spelling := range list {
		if before, after, param := split(spelling); param != nil {
			list = append(list, before+strings.Trim(param.mark, "<>")+after)
		}
	}
	return list
}

// resolve returns what a name stands for in a task; found is false if that is
// nothing.
func resolve(task Task, name string, with Parameters) (list []choice, found bool, err error) {
	words := vocabularies()[task].byName
	if s, ok := words[name]; ok {
		return s.metric.choices(s.average, with), true, nil
	}
	for i := range catalogue {
		m := &catalogue[i]
		if m.tasks&task == 0 {
			continue
		}
		for _, average := range m.averagesIn(task) {
			if c, ok, err := m.parse(name, average); ok || err != nil {
				return []choice{c}, ok, err
			}
		}
	}
	return nil, false, nil
}

// find is resolve, with an error for a name that stands for nothing.
func find(task Task, name string, with Parameters) ([]choice, error) {
	list, found, err := resolve(task, name, with)
	switch {
	case err != nil:
		return nil, err
	case found && len(list) == 0:
		return nil, fmt.Errorf("metric %q has a parameter, of which no value is given", name)
	case found:
		return list, nil
	}
	elsewhere := Task(0)
	for _, t := range taskNames {
		if _, found, _ := resolve(t.task, name, with); found {
			elsewhere |= t.task
		}
	}
	if elsewhere != 0 {
		return nil, fmt.Errorf("metric %q is not one of task %s: it belongs to %s", name, task, elsewhere)
	}
	return nil, &UnknownMetricError{Name: name, Task: task, Known: vocabularies()[task].known}
}

// UnknownMetricError is the error for a name that is in no row of the catalogue.
type UnknownMetricError struct {
	Name  string
	Task  Task
	Known []string // the names that the task has
}

// Error names the metric and the task.
func (e *UnknownMetricError) Error() string {
	return fmt.Sprintf("unknown metric %q of task %s", e.Name, e.Task)
}
