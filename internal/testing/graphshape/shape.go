// Package graphshape says what of a pipeline decides which parts of a runner and of our code a job uses, so that tests can
// run as few jobs on a slow runner as use all of them.
package graphshape

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"

	"github.com/beameval/beameval/internal/testing/everyfield"
	"github.com/beameval/beameval/metrics"
)

// Shape is a set of lines: one has the whole graph of a task, without values; one the layout of its input; each
// other names a field of a functor that is not zero. Whether a field travels does not depend on the task.
type Shape map[string]bool

// Of returns the shape of a pipeline.
func Of(p *beam.Pipeline, task metrics.Task) (Shape, error) {
	edges, _, err := p.Build()
	if err != nil {
		return nil, err
	}
	set := make(Shape)
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
func (set Shape) addLayout(task metrics.Task) {
	layout := []string{"layout of", task.String()}
	for _, field := range []string{"input.Spec.Long", "input.Spec.PerQuery", "input.Spec.Truth", "input.Spec.Baseline", "metrics.Params.Sparse"} {
		if set[Set+field] {
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
func (set Shape) addFields(name string, v reflect.Value) {
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

// Lines for fields of functors, and of the structs that these hold, begin with Zero or
// Set and name the field by its type.
const (
	Zero = "zero: "
	Set  = "set: "
)

// elsewhere matches the fields that no scenario of small files can set: workers set them; they are of predictions
// in memory, of Go programs, of large input on a cluster of several subtasks, or of reports that are merged. Tests of
// windows, balance, passes, large input and merges have those.
var elsewhere = regexp.MustCompile(`\.(Bundle|Goroutines|TempDir|Spill|Pass|Windowed|Either|Function|Others|Frequencies|Items|ItemFiles|HeadFrequency|Each)$` +
	`|\.Hashing$|^lanes\.Division\.|^input\.Vocabulary\.File|^shuffle\.Cut\.|^input\.Shard\.` +
	`|^parts\.Part\.|^report\.Merged\.|^transforms\.Statistics\.(LeftOut|IDsOf|Suppressed)$|\.(Merged|Unmade)$|^input\.Folding\.Many$`)

// addOwn adds each field of a functor by itself, wherever the functor has it.
func (set Shape) addOwn(v reflect.Value) {
	everyfield.In(v, func(name string, f reflect.StructField, zero bool) bool {
		if f.Tag.Get("json") == "-" || elsewhere.MatchString(name) {
			return false // it does not travel, or no scenario can set it
		}
		state := Set
		if zero {
			state = Zero
		}
		set[state+name] = true
		return true
	})
}
