package evaluate

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/graphshape"
)

// A job on a cluster takes seconds, and what it can show that direct and prism do not depends on the
// graph: its transforms, coders and side inputs, and the fields that travel with its functors. The
// lines of a shape are all of these. So all scenarios run on direct and on prism, and a cluster runs as
// few as have every line: a new one is covered as soon as any scenario has it.

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
func cover(shapes []graphshape.Shape, first int) (list []int) {
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
func spare(s graphshape.Shape, times map[string]int) bool {
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
func shapesOf(t *testing.T, runner string, list []scenario) []graphshape.Shape {
	t.Helper()
	shapes := make([]graphshape.Shape, len(list))
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
func (s scenario) shape(t *testing.T, runner string) graphshape.Shape {
	t.Helper()
	dir, args := s.prepare(t)
	code, lines, stderr := call{dir, shortTempDir(t), append([]string{shapeOn, runner}, args...)}.run(t)
	require.Zero(t, code, "%s: %s", s.name, stderr)
	set := make(graphshape.Shape)
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
	set, err := graphshape.Of(p, plan.Config.Task)
	if err == nil {
		_, err = fmt.Fprintln(stdout, strings.Join(slices.Sorted(maps.Keys(set)), "\n"))
	}
	return err
}

// Every field that travels in a functor is set in some scenario, so that clusters are tested with it; and the chosen
// scenarios are few, and have each line that any scenario has.
func TestShapesOfScenarios(t *testing.T) {
	all := slices.Concat(generated, bundled, reported())
	shapes, lines := shapesOf(t, "flink", all), make(graphshape.Shape)
	for _, s := range shapes {
		maps.Copy(lines, s)
	}
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		if field, ok := strings.CutPrefix(line, graphshape.Zero); ok && !lines[graphshape.Set+field] {
			t.Errorf("no scenario sets %s", strings.TrimSpace(field))
		}
	}
	list := cover(shapes, len(generated))
	require.Less(t, len(list), len(all)/3)
	covered := make(graphshape.Shape)
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
	of := func(config string) graphshape.Shape { return scenario{name: config, config: config}.shape(t, "flink") }
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
