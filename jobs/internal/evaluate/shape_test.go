package evaluate

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/everyfield"
	"github.com/beameval/beameval/metrics"
)

// A job on a cluster takes seconds, and what it can show that direct and prism do not depends on the
// graph: its transforms, coders and side inputs, and the fields that travel with its functors. The
// lines of a shape are all of these. So all scenarios run on direct and on prism, and a cluster runs as
// few as have every line: a new one is covered as soon as any scenario has it.

// shape is a set of lines: one has the whole graph of a task, without values; one the layout of its input; each
// other names a field of a functor that is not zero. Whether a field travels does not depend on the task.
type shape map[string]bool

// chosen returns scenarios that have all lines of the shapes that a runner gets. Some are always chosen.
// If every scenario is wanted, it returns all.
func chosen(t *testing.T, runner string, always []scenario, others ...scenario) (list []scenario) {
	t.Helper()
	all := slices.Concat(always, others)
	if everyScenario() {
		return all
	}
	shapes := shapesOf(t, runner, all)
	for _, i := range cover(shapes, len(always)) {
		list = append(list, all[i])
	}
	t.Logf("%d of %d scenarios have all lines of the shapes on %s", len(list), len(all), runner)
	return list
}

// everyScenario says whether a cluster runs all scenarios, as before a release.
func everyScenario() bool { return os.Getenv("SCENARIOS") == "all" }

// cover returns indices of shapes that together have all lines: the first ones, and each time the one
// that adds most. In the end it leaves out those, but the first ones, whose lines later ones have, too.
func cover(shapes []shape, first int) (list []int) {
	times := make(map[string]int)
	for {
		best, most := 0, 0
		for i, s := range shapes {
			adds := 0
			for line := range s {
				if times[line] == 0 {
					adds++
				}
			}
			if adds > most {
				best, most = i, adds
			}
		}
		switch {
		case len(list) < first:
			best = len(list)
		case most == 0:
			return slices.Concat(list[:first], slices.DeleteFunc(slices.Clone(list[first:]), func(i int) bool { return spare(shapes[i], times) }))
		}
		for line := range shapes[best] {
			times[line]++
		}
		list = append(list, best)
	}
}

// spare reports whether others have all lines of a shape, given how many have each, and if so, no longer counts it.
func spare(s shape, times map[string]int) bool {
	for line := range s {
		if times[line] == 1 {
			return false
		}
	}
	for line := range s {
		times[line]--
	}
	return true
}

// shapesOf returns the shapes of scenarios on a runner.
func shapesOf(t *testing.T, runner string, list []scenario) []shape {
	t.Helper()
	shapes := make([]shape, len(list))
	t.Run("shapes", func(t *testing.T) {
		for i, s := range list {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				shapes[i] = s.shape(t, runner)
			})
		}
	})
	return shapes
}

// shapeOn is the first argument of a call that prints the shape of a run; the second is the runner.
const shapeOn = "shape-on"

// shape plans the scenario, and returns the shape of the pipeline that a runner would get.
func (s scenario) shape(t *testing.T, runner string) shape {
	t.Helper()
	dir, args := s.prepare(t)
	code, lines, stderr := call{dir, shortTempDir(t), append([]string{shapeOn, runner}, args...)}.run(t)
	require.Zero(t, code, "%s: %s", s.name, stderr)
	set := make(shape)
	for line := range strings.Lines(lines) {
		set[line] = true
	}
	return set
}

// printShape plans a run on a runner, and prints the lines of its shape instead of running it.
func (f *flags) printShape(ctx context.Context, runner string, stdout io.Writer) error {
	at := &place{flags: f, runner: runner}
	cfg, err := f.configuration(ctx)
	if err != nil {
		return err
	}
	own, err := f.setAside(ctx, cfg, at, strings.NewReader(""), io.Discard)
	defer own.remove()
	if err != nil {
		return err
	}
	plan, err := makePlan(ctx, cfg)
	if err != nil {
		return err
	}
	p, err := at.build(plan, time.Now())
	if err != nil {
		return err
	}
	set, err := shapeOf(p, plan.Config.Task)
	if err == nil {
		_, err = fmt.Fprintln(stdout, strings.Join(slices.Sorted(maps.Keys(set)), "\n"))
	}
	return err
}

// shapeOf returns the shape of a pipeline.
func shapeOf(p *beam.Pipeline, task metrics.Task) (shape, error) {
	edges, _, err := p.Build()
	if err != nil {
		return nil, err
	}
	set := make(shape)
	whole := []string{task.String()}
	for _, e := range edges {
		whole = append(whole, string(e.Op), e.Name())
		for _, in := range e.Input {
			whole = append(whole, fmt.Sprint(in.Kind, " ", in.From.ID()))
		}
		for _, out := range e.Output {
			whole = append(whole, fmt.Sprint("to ", out.To.ID(), " of ", out.Type, ", ", coderOf(out.To.Coder), ", ", out.To.WindowingStrategy()))
		}
		for _, name := range slices.Sorted(maps.Keys(e.StateCoders)) {
			whole = append(whole, name, coderOf(e.StateCoders[name]))
		}
		for _, fn := range []*graph.Fn{(*graph.Fn)(e.DoFn), (*graph.Fn)(e.CombineFn)} {
			if fn != nil && fn.Recv != nil {
				set.addFields(e.Name(), reflect.ValueOf(fn.Recv))
				set.addOwn(reflect.ValueOf(fn.Recv))
			}
		}
	}
	set[strings.Join(whole, "; ")] = true
	set.addLayout(task)
	return set, nil
}

// addLayout adds which layout a task has: two may have the same graph, and differ in what workers do.
func (set shape) addLayout(task metrics.Task) {
	layout := []string{"layout of", task.String()}
	for _, field := range []string{"input.Spec.Long", "input.Spec.PerQuery", "input.Spec.Truth", "input.Spec.Baseline", "metrics.Params.Sparse"} {
		if set[setField+field] {
			layout = append(layout, field)
		}
	}
	set[strings.Join(layout, " ")] = true
}

// coderOf names a coder and its components.
func coderOf(c *coder.Coder) string {
	if c == nil {
		return "no coder"
	}
	return c.String()
}

// addFields adds the fields of a functor that are not zero, whether they travel or not. All elements
// of a list have the same name. What a type consists of is not looked into.
func (set shape) addFields(name string, v reflect.Value) {
	if v.IsZero() {
		return
	}
	if v.Type().Implements(reflect.TypeFor[reflect.Type]()) {
		set[name] = true
		return
	}
	set[name] = true
	switch v.Kind() {
	case reflect.Pointer:
		set.addFields(name, v.Elem())
	case reflect.Interface:
		set.addFields(name+"."+v.Elem().Type().String(), v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			set.addFields(name+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			set.addFields(name+"[]", v.Index(i))
		}
	case reflect.Map:
		for _, value := range v.Seq2() {
			set.addFields(name+"[]", value)
		}
	}
}

// Lines for fields of functors, and of the structs that these hold, begin with zeroField or
// setField and name the field by its type.
const (
	zeroField = "zero: "
	setField  = "set: "
)

// elsewhere matches the fields that no scenario of small files can set: workers set them; they are of predictions
// in memory, of Go programs, or of large input on a cluster of several subtasks. Tests of windows, balance, passes
// and large input have those.
var elsewhere = regexp.MustCompile(`\.(Bundle|Goroutines|TempDir|Spill|Pass|Windowed|Either|Function|Others|Frequencies|Items|ItemFiles|HeadFrequency|Each)$` +
	`|\.Hashing$|^lanes\.Division\.|^input\.Vocabulary\.File|^element\.Cut\.|^input\.Shard\.`)

// addOwn adds each field of a functor by itself, wherever the functor has it.
func (set shape) addOwn(v reflect.Value) {
	everyfield.In(v, func(name string, f reflect.StructField, zero bool) bool {
		if f.Tag.Get("json") == "-" || elsewhere.MatchString(name) {
			return false // it does not travel, or no scenario can set it
		}
		state := setField
		if zero {
			state = zeroField
		}
		set[state+name] = true
		return true
	})
}

// Every field that travels in a functor is set in some scenario, so that clusters are tested with it; and the chosen
// scenarios are few, and have each line that any scenario has.
func TestShapesOfScenarios(t *testing.T) {
	all := slices.Concat(generated, bundled, reported())
	shapes, lines := shapesOf(t, "flink", all), make(shape)
	for _, s := range shapes {
		maps.Copy(lines, s)
	}
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		if field, ok := strings.CutPrefix(line, zeroField); ok && !lines[setField+field] {
			t.Errorf("no scenario sets %s", strings.TrimSpace(field))
		}
	}
	list := cover(shapes, len(generated))
	require.Less(t, len(list), len(all)/3)
	covered := make(shape)
	for _, i := range list {
		maps.Copy(covered, shapes[i])
	}
	for i, s := range all {
		for line := range shapes[i] {
			require.True(t, covered[line], "%s: %s", s.name, line)
		}
	}
}

// A shape shows the graph and the fields of its functors, not values.
func TestShape(t *testing.T) {
	of := func(config string) shape { return scenario{name: config, config: config}.shape(t, "flink") }
	plain := of("k: [1]\n")
	require.Equal(t, plain, of("k: [2]\n"), "another value")
	for name, config := range map[string]string{
		"a field that is not zero": "bad_rows: skip\n",
		"a field of a list":        "slices: [country]\n",
		"further steps":            "slices: [{score: {quantiles: 2}}]\n",
	} {
		more := of(config)
		maps.DeleteFunc(more, func(line string, _ bool) bool { return plain[line] })
		require.NotEmpty(t, more, name)
	}
}
