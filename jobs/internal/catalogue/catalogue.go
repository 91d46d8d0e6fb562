// Package catalogue is the command that explains metrics:
//
//	beameval metrics
//	beameval metrics ranking
//	beameval metrics f1_score
//
// It knows those that the program has registered, too.
package catalogue

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/terminal"
	"github.com/beameval/beameval/metrics"
)

var tasks = metrics.Tasks()

// Command returns the command.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:   "metrics [TASK | NAME]",
		Short: "list the metrics of a task, or explain one",
		Long: `Lists the metrics of a task with their definitions, or explains one: what it is,
which values are better, what it needs, its other names and its source. NAME is
spelled as in a configuration, such as f1_macro or ndcg@10.`,
		Example: `  beameval metrics ranking
  beameval metrics roc_auc`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, before string) (found []string, _ cobra.ShellCompDirective) {
			for _, name := range known() {
				if len(args) == 0 && strings.HasPrefix(name, before) {
					found = append(found, name)
				}
			}
			return found, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			stdout := c.OutOrStdout()
			out := screen{new(bytes.Buffer), terminal.Width(stdout)}
			switch len(args) {
			case 0:
				out.count()
			case 1:
				if err := out.show(args[0]); err != nil {
					return err
				}
			default:
				return fmt.Errorf("expected the name of a task or of a metric, found %d arguments: metrics [TASK | NAME]", len(args))
			}
			if err := command.Print(out.Bytes(), stdout); !errors.Is(err, syscall.EPIPE) { // people look at the beginning
				return err
			}
			return nil
		},
	}
}

func taskNames() []string { return collections.Map(tasks, metrics.Task.String) }

// known returns what the command takes: the names of metrics, and of tasks.
func known() []string { return append(metrics.Names(metrics.AnyTask), taskNames()...) }

// screen is the output, for a terminal of a width.
type screen struct {
	*bytes.Buffer
	width int
}

// count says how many metrics each task has.
func (s screen) count() {
	for _, t := range tasks {
		fmt.Fprintf(s, "%-12s%d metrics\n", t, len(metrics.Catalogue(t)))
	}
	fmt.Fprint(s, "\nbeameval metrics TASK lists them, and beameval metrics NAME explains one.\n")
}

func (s screen) show(name string) error {
	for _, t := range tasks {
		if strings.EqualFold(name, t.String()) {
			s.list(t)
			return nil
		}
	}
	return s.explain(name)
}

// list prints the names of a task's metrics with their definitions.
func (s screen) list(t metrics.Task) {
	for _, m := range metrics.Catalogue(t) {
		fmt.Fprintln(s, m.Name)
		s.wrap("    ", "    ", m.Definition)
	}
}

// explain prints what a metric is in each task that has it; tasks in which it is the same are together.
func (s screen) explain(name string) error {
	var found []metrics.About
	in := make(map[int][]string) // by the index of found
	for _, t := range tasks {
		m, is := metrics.Lookup(t, name)
		if !is {
			continue
		}
		i := slices.IndexFunc(found, func(other metrics.About) bool { return reflect.DeepEqual(other, m) })
		if i < 0 {
			i, found = len(found), append(found, m)
		}
		in[i] = append(in[i], t.String())
	}
	if found == nil {
		return fmt.Errorf("there is no metric or task %s%s beameval metrics TASK lists those of a task: %s",
			quote.Value(name), quote.Meant(name, known()), strings.Join(taskNames(), ", "))
	}
	for i, m := range found {
		if i > 0 {
			fmt.Fprintln(s)
		}
		fmt.Fprintln(s, m.Name)
		for _, fact := range []struct{ name, text string }{
			{"grade", furtherGrade(m)}, {"task", strings.Join(in[i], ", ")}, {"definition", m.Definition}, {"averages", averages(m)}, {"better", m.Better.String()},
			{"interval", m.Interval}, {"needs", m.Needs}, {"aliases", strings.Join(m.Aliases, ", ")}, {"source", m.Source},
		} {
			if fact.text != "" {
				s.wrap(fmt.Sprintf("  %-12s", fact.name), strings.Repeat(" ", 14), fact.text)
			}
		}
		if near := quote.Slip(name, known()); m.Grade != "" && near != "" {
			fmt.Fprintf(s, "\nDid you mean %s?\n", near)
		}
	}
	return nil
}

// furtherGrade says which grade a metric is of, if that is none that every report has.
func furtherGrade(m metrics.About) string {
	if m.Grade == "" {
		return ""
	}
	return fmt.Sprintf("the further grade %s (input.columns.grades); lower values are better if lower_is_better lists it", m.Grade)
}

func averages(m metrics.About) string {
	var list []string
	for _, a := range m.Averages {
		if a == "" {
			a = "per label"
		}
		list = append(list, a)
	}
	return strings.Join(list, ", ")
}

// wrap prints a text behind a prefix, in lines that fit the terminal; the others begin with next.
func (s screen) wrap(prefix, next, words string) {
	width := max(s.width-len(next), 20)
	for i, line := range strings.Split(text.WrapSoft(words, width), "\n") {
		if i > 0 {
			prefix = next
		}
		fmt.Fprintln(s, prefix+strings.TrimRight(line, " "))
	}
}
