package metrics

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/ranks"
)

type FurtherGrade struct {
	Name string
	// These say what it means, as in GradeOptions.
	Booleans      bool
	PassThreshold *float64
	LowerIsBetter bool
}

// optionsOf returns the options of a grade: of the main one, 0, or of a further one, from 1.
func (p *Params) optionsOf(grade int) GradeOptions {
	if grade == 0 {
		return p.Grades
	}
	g := &p.FurtherGrades[grade-1]
	return GradeOptions{Booleans: g.Booleans, PassThreshold: g.PassThreshold, LowerIsBetter: g.LowerIsBetter}
}

// gradeName matches what can be part of the name of a metric.
var gradeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.]*$`)

// checkFurther returns an error if a further grade is invalid.
func (p *Params) checkFurther() error {
	met := map[string]bool{}
	for i := range p.FurtherGrades {
		g := &p.FurtherGrades[i]
		switch err := p.optionsOf(i + 1).check(); {
		case p.Task != Grading:
			return fmt.Errorf("further grades are for task %s, not for task %s", Grading, p.Task)
		case !gradeName.MatchString(g.Name):
			return fmt.Errorf("a further grade is called %.100q, and metrics are named after it: it may have letters, digits, _ and dots, a letter first", g.Name)
		case met[g.Name]:
			return fmt.Errorf("two further grades are called %q", g.Name)
		case err != nil:
			return fmt.Errorf("further grade %q: %w", g.Name, err)
		}
		if other := nameLike(g.Name); other != "" {
			return fmt.Errorf("a further grade cannot be called %q, because %s is another metric: give it another name", g.Name, other)
		}
		met[g.Name] = true
	}
	return nil
}

// furtherMetrics yields the metrics that further grades have.
func furtherMetrics(yield func(*metric) bool) {
	for i := range catalogue {
		if m := &catalogue[i]; m.further && !yield(m) {
			return
		}
	}
}

// nameLike returns the name of a metric that means something else than the metric of a further grade with this name would, or "".
func nameLike(grade string) string {
	for m := range furtherMetrics {
		for _, c := range spellingOf(m, m.name, "").choices(DefaultArguments()) {
			name := c.full + "_" + grade
			if _, d := disparityOf(name); d != nil || knownName(name) {
				return name
			}
		}
	}
	return ""
}

// knownName reports whether a metric of any task has the name, or is spelled so.
func knownName(name string) bool {
	return slices.ContainsFunc(taskNames, func(t taskName) bool {
		_, found, err := resolve(t.task, name, DefaultArguments())
		_, other, also := spelled(t.task, name, DefaultArguments())
		return found || other || err != nil || also != nil
	})
}

// furtherNames returns the names of metrics of a further grade, in the form of the catalogue.
func furtherNames(grade string) (names []string) {
	for m := range furtherMetrics {
		names = append(names, m.name+"_"+grade)
	}
	return names
}

// furtherOf splits the name of a metric of a further grade into what the rest stands for, of the main grade, and the name of the
// grade. The list is nil if the name is none, such as the name of a disparity.
func furtherOf(name string, with Arguments) (list []choice, grade string) {
	if _, d := disparityOf(name); d != nil {
		return nil, ""
	}
	for m := range furtherMetrics {
		for _, spelled := range append([]string{m.name}, m.aliases...) {
			s := spellingOf(m, spelled, "")
			rest, found := strings.CutPrefix(name, s.before)
			argument, grade, named := strings.Cut(rest, "_")
			if !found || !gradeName.MatchString(grade) || !named || s.parameter == nil && argument != "" {
				continue
			}
			if s.parameter == nil || argument == "<"+s.parameter.name+">" || argument == s.parameter.name {
				return s.choices(with), grade
			}
			if c, ok, err := s.parse(s.before + argument); ok && err == nil {
				return []choice{c}, grade
			}
		}
	}
	return nil, ""
}

// ofGrade returns the choice of the same metric of a further grade, from 1.
func (c choice) ofGrade(p *Params, grade int) choice {
	c.grade, c.full = grade, c.full+"_"+p.FurtherGrades[grade-1].Name
	return c
}

// betterOf returns which values of a metric are better.
func (p *Params) betterOf(c choice) Better {
	if c.metric.units && p.optionsOf(c.grade).LowerIsBetter {
		return Lower
	}
	return c.metric.better
}

// furtherGrades is the statistic of how further grades vary.
type furtherGrades struct{ list []grades }

func newFurtherGrades(p *Params) statistic {
	return &furtherGrades{make([]grades, len(p.FurtherGrades))}
}

func (s *furtherGrades) Fold(b *Batch, rows []int32) {
	for i := range s.list {
		s.list[i].fold(b, rows, i+1)
	}
}

func (s *furtherGrades) visit(v *fields.Visitor, from statistic) {
	fields.List(v, &s.list, from.(*furtherGrades).list)
}

func (s *furtherGrades) fits(p *Params) bool {
	return len(s.list) == 0 || len(s.list) == len(p.FurtherGrades)
}

// furtherMeans is the statistic of the mean further grades of examples, where metrics need them all. The tables of
// others are empty.
type furtherMeans struct {
	list   []meanTable
	needed []bool // by table; nil if the statistic cannot fold
}

// meanTable is a table of mean grades.
type meanTable struct{ ranks.Table }

func (t *meanTable) Fields(v *fields.Visitor, from *meanTable) { t.Table.Fields(v, &from.Table) }

func newFurtherMeans(p *Params) statistic {
	s := &furtherMeans{make([]meanTable, len(p.FurtherGrades)), make([]bool, len(p.FurtherGrades))}
	for i := range s.list {
		s.list[i].Table = *ranks.NewTable(p.MaxDistinct)
	}
	for c := range p.chosen() {
		if p.kindOf(c) == kindFurtherMeans {
			s.needed[c.grade-1] = true
		}
	}
	return s
}

func (s *furtherMeans) Fold(b *Batch, rows []int32) {
	for i, needed := range s.needed {
		for _, r := range rows {
			if needed {
				s.list[i].Add(meanOf(b.attempts(i+1, r)), 0, b.weight(r))
			}
		}
	}
}

func (s *furtherMeans) visit(v *fields.Visitor, from statistic) {
	fields.List(v, &s.list, from.(*furtherMeans).list)
}

func (s *furtherMeans) fits(p *Params) bool {
	other := func(t meanTable) bool { return t.Limit() != 0 && t.Limit() != p.MaxDistinct }
	return len(s.list) == 0 || len(s.list) == len(p.FurtherGrades) && !slices.ContainsFunc(s.list, other)
}
