package transforms

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/jsonx"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/everyfield"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/parts"
	"github.com/beameval/beameval/transforms/lanes"
)

// everyEdge returns the edges of graphs that together have every DoFn and CombineFn.
func everyEdge(t *testing.T) []*graph.MultiEdge {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	shards := beam.CreateList(s, []input.Shard{{File: "a.parquet", RowGroups: 1}})
	predictions := beam.CreateList(s, []input.Prediction{{}})
	minutes := beam.WindowInto(s, window.NewFixedWindows(time.Minute), predictions)
	binary, found, queries := scenarioNamed(t, "binary").spec, scenarioNamed(t, "multilabel, labels found").spec, longRanking(rankingSpec(t, metrics.ItemTies))
	found.Params.Propensity = &metrics.Propensity{A: 1, B: 1}
	divided, searched, popular, perKey, curves := binary, binary, queries, queries, binary
	divided.Slices = append(slices.Clone(divided.Slices), Slice{{Column: "age", Quantiles: 4}})
	searched.Confidence, searched.Search = &Confidence{By: "id"}, &Search{Columns: []SliceColumn{{Column: "country"}}, Measure: "zero_one_loss", Level: 2, MinSupport: 20}
	popular.Params.Has = metrics.HasItems
	popular.ItemFiles = &input.ItemFiles{Item: "item", Count: "count", MaxItems: 9}
	perKey.Division = lanes.Division{Lanes: 5000, Bundles: true, BundlePerKey: true, Buckets: 1024, Hashing: lanes.Spark}
	curves.Division = perKey.Division
	curves.Division.RangeLanes = 4
	for _, e := range []Evaluation{
		must(Parquet(s, divided, shards)), must(Parquet(s, searched, shards)), must(Parquet(s, popular, shards)), must(Parquet(s, perKey, shards)),
		must(Parquet(s, curves, shards)), must(Predictions(s, divided, predictions)), must(Predictions(s, found, predictions)), must(Predictions(s, divided, minutes)),
		Merge(s, &Parts{Output: Output{Statistics: &Statistics{}}, spec: *asSettled(binary), known: true, list: []parts.Part{{File: "statistics.bin"}}}),
		must(Joined(s, withTruth(scenarioNamed(t, "multiclass, labels found").spec), shards, shards)),
	} {
		e.Rows(s)
		e.WriteReport(s, Output{Dir: "report"})
	}
	must(Parquet(s, binary, shards)).WriteReport(s, Output{Dir: "report", Statistics: &Statistics{Exact: true}})
	fn, err := MetricsFn(combinable(t)[0].spec)
	require.NoError(t, err)
	beam.CombinePerKey(s, fn, beam.ParDo(s, byCountry, predictions))
	edges, _, err := p.Build()
	require.NoError(t, err)
	return edges
}

// functors returns the types of our functors of edges.
func functors(edges []*graph.MultiEdge) map[reflect.Type]bool {
	types := make(map[reflect.Type]bool)
	for _, e := range edges {
		for _, fn := range []*graph.Fn{(*graph.Fn)(e.DoFn), (*graph.Fn)(e.CombineFn)} {
			if fn == nil || fn.Recv == nil {
				continue
			}
			if typ := reflect.TypeOf(fn.Recv).Elem(); strings.HasPrefix(typ.PkgPath(), reflect.TypeFor[Evaluation]().PkgPath()) {
				types[typ] = true
			}
		}
	}
	return types
}

// registration matches where the type of a functor is registered.
var registration = regexp.MustCompile(`beam\.RegisterDoFn\(reflect\.TypeFor\[(\w+)\]|register\.Combiner\d\[.*\]\(&(\w+)\{`)

// TestFunctorsTravel: a functor goes to workers as JSON, with every field that it may have.
func TestFunctorsTravel(t *testing.T) {
	types, names := functors(everyEdge(t)), make(map[string]bool)
	for typ := range types {
		names[filepath.Base(typ.PkgPath())+"."+typ.Name()] = true
		want, got := reflect.New(typ), reflect.New(typ)
		everyfield.Fill(want.Interface())
		data, err := jsonx.Marshal(want.Interface())
		require.NoError(t, err, typ)
		require.NoError(t, jsonx.Unmarshal(got.Interface(), data), typ)
		require.Equal(t, want.Interface(), got.Interface())
	}
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		dir, _ := filepath.Abs(filepath.Dir(path))
		for _, of := range registration.FindAllStringSubmatch(string(text), -1) {
			if name := filepath.Base(dir) + "." + of[1] + of[2]; !names[name] {
				t.Errorf("everyEdge has no %s", name)
			}
		}
		return err
	}))
}
