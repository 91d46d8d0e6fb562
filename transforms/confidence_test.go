package transforms

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/hash"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
)

// inGroups is a spec with confidence intervals, of examples divided by their ids.
func inGroups(spec Spec, groups int) Spec {
	spec.Confidence = &Confidence{Folds: groups, By: "id", Seed: 3}
	if spec.Columns.Example != "" {
		spec.Confidence.By = spec.Columns.Example
	}
	return spec
}

// groupOf is the group of an id for the seed of inGroups.
func groupOf(id string, groups int) int {
	group, _ := bits.Mul64(hash.Mix(xxhash.Sum64String(id)+hash.Mix(3+0x9e3779b97f4a7c15)), uint64(groups))
	return int(group)
}

// replicated is an evaluation of some rows, and of those without each of some groups.
type replicated struct {
	name     string
	evaluate func(keep func(id string) bool) func(beam.Scope) Evaluation
}

// requireReplicates requires that the replicates of each metric are its values without a group,
// bit for bit, or nearly those if they come from bins.
func requireReplicates(t *testing.T, groups int, without []int, list []replicated) {
	t.Helper()
	var evaluations []func(beam.Scope) Evaluation
	for _, r := range list {
		evaluations = append(evaluations, r.evaluate(func(string) bool { return true }))
		for _, g := range without {
			evaluations = append(evaluations, r.evaluate(func(id string) bool { return groupOf(id, groups) != g }))
		}
	}
	all, err := rowsOf(t, evaluations...)
	require.NoError(t, err)
	for i, r := range list {
		compared := 0
		of := all[i*(1+len(without)):]
		for k, g := range without {
			values := make(map[string]report.Row)
			for _, row := range decodedRows(t, of[1+k]) {
				values[placeOfRow(&row)] = row
			}
			weights, rest := weightsOf(t, decodedRows(t, of[0])), weightsOf(t, decodedRows(t, of[1+k]))
			require.NotEmpty(t, weights["overall"], r.name)
			for key, of := range weights {
				if delete(of, int32(g)); len(of) > 0 {
					require.Equal(t, of, rest[key], "%s without group %d: weights of %s", r.name, g, key)
				}
			}
			for _, row := range decodedRows(t, of[0]) {
				at, has := slices.BinarySearch(row.Folds, int32(g))
				if !has {
					continue // the slice has no examples there
				}
				want, found := values[placeOfRow(&row)]
				if !found && len(row.Slice) > 0 {
					continue // all examples of the slice are there, or of the label
				}
				require.True(t, found, "%s: %s", r.name, placeOfRow(&row))
				got := row.Replicates[at]
				if math.IsNaN(got) {
					require.NotEmpty(t, want.Undefined, "%s without group %d: %s", r.name, g, placeOfRow(&row))
					continue
				}
				if tolerance := toleranceOf(row.Name); got == want.Value || tolerance == 0 {
					require.Equal(t, want.Value, got, "%s without group %d: %s", r.name, g, placeOfRow(&row))
					compared++
				} else {
					require.InDelta(t, want.Value, got, tolerance, "%s without group %d: %s", r.name, g, placeOfRow(&row))
				}
			}
		}
		require.Greater(t, compared, 10, r.name)
	}
}

// weightsOf returns the weights of folds by slice. One row of a slice has them.
func weightsOf(t *testing.T, rows []report.Row) map[string]map[int32]float64 {
	t.Helper()
	all := map[string]map[int32]float64{}
	for _, row := range rows {
		if row.Weights == nil {
			continue
		}
		key := row.Slice.String()
		require.Nil(t, all[key], "slice %s has weights twice", key)
		all[key] = map[int32]float64{}
		for i, fold := range row.Folds {
			all[key][fold] = row.Weights[i]
		}
	}
	return all
}

// toleranceOf returns by how much replicates of a metric may be off. Curves without a fold are
// known only at the ends of bins: areas are nearly exact, but the best point of a curve of few
// examples may lie between two ends, and jump.
func toleranceOf(metric string) float64 {
	name, _, atBound := strings.Cut(metric, "@")
	name, _, disparity := strings.Cut(name, "_difference")
	switch {
	case strings.Contains(name, "threshold"):
		return math.Inf(1)
	case atBound, name == "ks", strings.HasPrefix(name, "max_f1"):
		return 0.15
	case strings.HasPrefix(name, "roc_auc"), name == "gini", name == "pr_auc", strings.HasPrefix(name, "average_precision"):
		if disparity {
			return 0.04
		}
		return 0.02
	}
	return 0
}

func placeOfRow(row *report.Row) string {
	label := ""
	if row.Label != nil {
		label = *row.Label
	}
	return fmt.Sprintf("%s %s %s", row.Name, row.Slice, label)
}

func decodedRows(t *testing.T, texts []string) (rows []report.Row) {
	t.Helper()
	for _, text := range texts {
		row, err := rowOf(text)
		require.NoError(t, err)
		rows = append(rows, row)
	}
	return rows
}

// keptBy returns the elements whose ids are kept.
func keptBy[T any](list []T, id func(*T) string, keep func(string) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(e T) bool { return !keep(id(&e)) })
}

// TestReplicatesAreEvaluations: each replicate equals, bit for bit but for curves that go through
// the ends of bins, an evaluation of the data without that group, for every metric of every task,
// weighted, sparse, in every layout, with truth in other files, from files and from memory.
func TestReplicatesAreEvaluations(t *testing.T) {
	t.Parallel()
	const groups = 10
	rows := drawExamples(160)
	idOf := func(e *example) string { return e.ID }
	var list []replicated
	for _, s := range scenarios(t) {
		if s.spec.Params.Propensity != nil { // they must not depend on the examples
			s.spec.Labels.Frequencies = metrics.LabelFrequencies{Examples: 1000, Count: map[int32]int64{0: 300, 1: 20, 2: 5, 3: 1}}
		}
		spec := inGroups(s.spec, groups)
		list = append(list, replicated{s.name, func(keep func(string) bool) func(beam.Scope) Evaluation {
			return inFiles(spec, written(t, keptBy(rows, idOf, keep), 30))
		}})
	}
	for _, name := range []string{"binary", "multiclass", "multilabel"} { // whose curves are traced point by point then
		spec := inGroups(scenarioNamed(t, name).spec, groups)
		spec.Confidence.Metrics = spec.Params.Metrics
		list = append(list, replicated{name + ", all metrics", func(keep func(string) bool) func(beam.Scope) Evaluation {
			return inFiles(spec, written(t, keptBy(rows, idOf, keep), 30))
		}})
	}
	binary := scenarioNamed(t, "binary")
	compared := inGroups(binary.spec, groups)
	compared.Slices = append(compared.Slices, by("device"))
	compared.Groups = &Groups{By: []string{"device"}, Reference: map[string]string{"device": "desk"}, Metrics: []string{"accuracy", "fpr", "predicted_positive_rate", "recall", "roc_auc"}}
	list = append(list, replicated{"binary, groups compared", func(keep func(string) bool) func(beam.Scope) Evaluation {
		return inFiles(compared, written(t, keptBy(rows, idOf, keep), 30))
	}})
	quantiles := binary.spec
	quantiles.Params.Quantiles = true
	quantiles.Params.Metrics = []string{"ece", "ace", "accuracy", "f1", "precision", "recall", "roc_auc", "log_loss", "brier", "ks", "mcc", "fpr"}
	bounded := binary.spec
	bounded.Params.Curves, bounded.Params.Metrics = metrics.BoundedCurves, nil
	bounded.Params.CurveBins = 256 // as many as scores
	bounded = complete(t, bounded)
	for name, spec := range map[string]Spec{"binary, quantiles": quantiles, "binary, bounded curves": bounded} {
		spec = inGroups(spec, groups)
		spec.Confidence.Metrics = spec.Params.Metrics
		list = append(list, replicated{name, func(keep func(string) bool) func(beam.Scope) Evaluation {
			return inFiles(spec, written(t, keptBy(rows, idOf, keep), 30))
		}})
	}
	memory := inGroups(binary.spec, groups)
	memory.Confidence.By = ""
	list = append(list, replicated{"binary, in memory", func(keep func(string) bool) func(beam.Scope) Evaluation {
		return inMemory(memory, binary.predictions(keptBy(rows, idOf, keep)))
	}})
	without := []int{0, 7}
	if testing.Short() {
		without = without[:1]
	}
	requireReplicates(t, groups, without, list)
}

// TestReplicatesInLayouts is TestReplicatesAreEvaluations where examples are put together.
func TestReplicatesInLayouts(t *testing.T) {
	t.Parallel()
	const groups = 10
	r := rand.New(rand.NewPCG(3, 4))
	rows := rankedOnly(drawExamples(120))
	queries := queryRows(120, func(i int) string { return fmt.Sprint("query ", i) })
	ranking := rankingSpec(t, metrics.ItemTies)
	ranking.Columns.Example = "query"
	mixed := arrangements[5]
	idOf := func(e *example) string { return e.ID }
	multilabel := inGroups(long(scenarioNamed(t, "multilabel").spec, nil), groups)
	truth := inGroups(withTruth(scenarioNamed(t, "binary").spec), groups)
	ofTruth := truth
	ofTruth.Truth = &Truth{Columns: truth.Truth.Columns, Slices: []string{"id"}}
	list := []replicated{
		{"multilabel, a row for each label", func(keep func(string) bool) func(beam.Scope) Evaluation {
			return inFiles(multilabel, arranged(t, r, mixed, labelRows(keptBy(rows, idOf, keep), false))...)
		}},
		{"truth", func(keep func(string) bool) func(beam.Scope) Evaluation {
			kept := keptBy(rows, idOf, keep)
			return inFilesWith(truth, arranged(t, r, mixed, kept), arranged(t, r, mixed, kept))
		}},
		{"groups by the truth", func(keep func(string) bool) func(beam.Scope) Evaluation {
			kept := keptBy(rows, idOf, keep)
			return inFilesWith(ofTruth, arranged(t, r, mixed, kept), arranged(t, r, mixed, kept))
		}},
		{"queries", func(keep func(string) bool) func(beam.Scope) Evaluation {
			return inFiles(inGroups(ranking, groups), written(t, keptBy(queries, func(q *queryRow[string]) string { return q.Query }, keep), 9))
		}},
		{"items", func(keep func(string) bool) func(beam.Scope) Evaluation {
			kept := keptBy(queries, func(q *queryRow[string]) string { return q.Query }, keep)
			return inFiles(inGroups(longRanking(ranking), groups), arranged(t, r, mixed, itemRows(kept))...)
		}},
	}
	requireReplicates(t, groups, []int{2, 9}, list)
}

// TestGroupedReports: reports with confidence intervals are the same bytes whatever the layout and
// the order of rows. Their digests, too, say that the examples are the same.
func TestGroupedReports(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 7))
	rows := rankedOnly(drawExamples(150))
	few := scenarioNamed(t, "multilabel").spec
	few.Slices = []Slice{by("country")}
	few = inGroups(few, 12)
	binary := scenarioNamed(t, "binary")
	memory := binary.spec
	memory.Confidence = &Confidence{Folds: 12, By: "device", Clustered: true}
	evaluations := map[string][]func(beam.Scope) Evaluation{
		"multilabel": {
			inFiles(few, written(t, rows, 40)),
			inFiles(few, arranged(t, r, arrangements[5], rows)...),
			inFiles(long(few, nil), arranged(t, r, arrangements[2], labelRows(rows, false))...),
			inFiles(long(few, nil), arranged(t, r, arrangements[5], labelRows(rows, false))...),
		},
		"files and memory": {
			inFiles(memory, arranged(t, r, arrangements[3], rows)...),
			inMemory(memory, binary.predictions(rows)),
		},
	}
	for _, files := range requireSameReports(t, evaluations) {
		require.Contains(t, files, report.ReplicatesParquet)
	}
}

// TestRowsWithoutCluster: a row that says not which cluster it is in is bad.
func TestRowsWithoutCluster(t *testing.T) {
	t.Parallel()
	spec := scenarioNamed(t, "binary").spec
	spec.Confidence = &Confidence{Folds: 10, By: "country", Clustered: true}
	rows := drawExamples(40)
	nulls := 0
	for i := range rows {
		if rows[i].Country == nil {
			nulls++
		}
	}
	_, err := rowsOf(t, inFiles(spec, written(t, rows, 10)))
	require.ErrorContains(t, err, `column "country": null: the row does not say which cluster it is in`)
	spec.SkipBadRows = true
	got, err := rowsOf(t, inFiles(spec, written(t, rows, 10)))
	require.NoError(t, err)
	for _, row := range decodedRows(t, got[0]) {
		if len(row.Slice) == 0 && row.Name == "accuracy" {
			require.EqualValues(t, len(rows)-nulls, row.Support)
			require.Len(t, row.Replicates, len(slices.Compact(slices.Sorted(func(yield func(int) bool) {
				for _, e := range rows {
					if e.Country != nil && !yield(groupOf(*e.Country, 10)) {
						return
					}
				}
			}))))
		}
	}
}

func TestConfidenceRules(t *testing.T) {
	for message, c := range map[string]Confidence{
		"Confidence.Level is 1: it must be between 0 and 1":         {Level: 1, By: "id"},
		"Confidence.Folds is 9: it must be 10 to 1000":              {Folds: 9, By: "id"},
		"Confidence.Folds is 1001: it must be 10 to 1000":           {Folds: 1001, By: "id"},
		"Confidence.Folds is 20, but Confidence.Each has 30 values": {Folds: 20, Each: make([]uint64, 30), By: "id"},
		"no column to divide the examples by: set Confidence.By":    {},
		`unknown metric "f"`: {By: "id", Metrics: []string{"f"}},
		`Confidence.Metrics has "log_loss", which is not computed: add it to Params.Metrics`: {By: "id", Metrics: []string{"log_loss"}},
	} {
		spec := binarySpec(t)
		spec.Params.Metrics = []string{"accuracy", "roc_auc"}
		spec.Confidence = &c
		_, err := settle(spec, false)
		require.ErrorContains(t, err, message)
	}
}

// TestBoundedCurvesInGroups: the histograms of groups are coarse, the histograms of all examples
// are not.
func TestBoundedCurvesInGroups(t *testing.T) {
	t.Parallel()
	spec := scenarioNamed(t, "multilabel").spec
	spec.Params.Curves, spec.Params.Metrics, spec.Params.CurveBins = metrics.BoundedCurves, nil, 512
	spec = complete(t, spec)
	file := written(t, drawExamples(900), 200)
	all, err := rowsOf(t, inFiles(spec, file), inFiles(inGroups(spec, 10), file))
	require.NoError(t, err)
	values := make(map[string]report.Row)
	for _, row := range decodedRows(t, all[0]) {
		values[placeOfRow(&row)] = row
	}
	bounded := 0
	for _, row := range decodedRows(t, all[1]) {
		want := values[placeOfRow(&row)]
		require.NotNil(t, row.Confidence)
		row.Confidence, row.Replicates, row.Weights, row.Folds = nil, nil, nil, nil
		require.Equal(t, rowText(want), rowText(row))
		if row.Bounds != nil {
			bounded++
		}
	}
	require.Positive(t, bounded)
}

// TestGroupsInRows: the rows of an evaluation compare groups, as its report does.
func TestGroupsInRows(t *testing.T) {
	t.Parallel()
	spec := inGroups(scenarioNamed(t, "binary").spec, 10)
	spec.Slices = []Slice{by("device")}
	spec.Groups = &Groups{By: []string{"device"}, Reference: map[string]string{"device": "desk"}, Metrics: []string{"accuracy", "predicted_positive_rate"}}
	all, err := rowsOf(t, inFiles(spec, written(t, drawExamples(300), 100)))
	require.NoError(t, err)
	met := make(map[string]bool)
	for _, row := range decodedRows(t, all[0]) {
		if slices.Contains(GroupMetrics(spec.Groups), row.Name) {
			met[row.Name] = true
			require.NotNil(t, row.Confidence, row.Name)
		}
	}
	require.Len(t, met, len(GroupMetrics(spec.Groups)))
}
