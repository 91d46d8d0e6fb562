package transforms

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// inFilesWith evaluates shards whose true labels are in others.
func inFilesWith(spec Spec, shards, truth []input.Shard) func(beam.Scope) Evaluation {
	return func(s beam.Scope) Evaluation {
		return must(Joined(s, anyDivision(spec), beam.CreateList(s, shards), beam.CreateList(s, truth)))
	}
}

// requireSameReports runs evaluations in one pipeline. It requires that evaluations with the same
// name write the same bytes to every file of their reports but run.json, and returns the names of
// the files.
func requireSameReports(t *testing.T, evaluations map[string][]func(beam.Scope) Evaluation) map[string][]string {
	t.Helper()
	dir := t.TempDir()
	p, scope := beam.NewPipelineWithRoot()
	for name, list := range evaluations {
		for i, evaluate := range list {
			out := Output{Dir: filepath.Join(dir, name, fmt.Sprint(i)), Formats: report.Formats(), Runner: "prism", Started: time.Now()}
			evaluate(scope).WriteReport(scope, out)
		}
	}
	err := onPrism(p)
	require.NoError(t, err)
	names := make(map[string][]string)
	for name, list := range evaluations {
		for i := range list {
			names[name] = requireSameFiles(t, filepath.Join(dir, name, "0"), filepath.Join(dir, name, fmt.Sprint(i)))
		}
	}
	return names
}

// TestLayoutsInPipelines: reports are the same bytes whatever the layout and the order of
// rows, from files and from memory, with curves, labels found in the data, frequencies
// counted in it and rows per query.
func TestLayoutsInPipelines(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	ordered, cut, mixed := arrangements[0], arrangements[2], arrangements[5]
	rows := rankedOnly(drawExamples(150))
	few := labelRows(rows, true)
	all := labelRows(rows, false)
	list := queryRows(100, func(i int) string { return fmt.Sprint("query ", i) })
	judged := qrels(list)
	beside := []input.Shard{written(t, rows, 40)}
	of := func(name string) Spec {
		spec := scenarioNamed(t, name).spec
		spec.Params.CurveLines, spec.Slices = 20, []Slice{by("country")}
		return spec
	}
	perQuery := func(spec Spec) Spec {
		spec.PerQuery, spec.TempDir = true, t.TempDir()
		return spec
	}
	ranking := rankingSpec(t, metrics.ItemTies)
	ranking.Columns.Example = "query"
	shown := ranking
	shown.Params.Metrics = []string{"ndcg", "gini@2", "novelty@3", "tail_share@3", "personalization@2"}
	var inMemoryQueries []input.Prediction
	for _, q := range list {
		p := input.Prediction{Example: q.Query, Items: q.Items, Relevance: q.Relevance, Scores: q.Scores, Weight: &q.Weight, Slices: map[string]string{"device": q.Device}}
		if q.Country != nil {
			p.Slices["country"] = *q.Country
		}
		inMemoryQueries = append(inMemoryQueries, p)
	}
	qrelsSpec := perQuery(withQrels(rankingSpec(t, metrics.ExpectedTies)))
	twice := withTruth(of("multiclass, labels found"))
	binary := withTruth(of("binary"))
	binary.Truth.SkipMissing = true
	evaluations := map[string][]func(beam.Scope) Evaluation{
		"multilabel": {
			inFiles(of("multilabel"), beside...),
			inFiles(long(of("multilabel"), nil), arranged(t, r, ordered, all)...),
			inFiles(long(of("multilabel"), nil), arranged(t, r, mixed, all)...),
		},
		"multilabel, labels found": {
			inFiles(of("multilabel, labels found"), beside...),
			inFiles(long(of("multilabel, labels found"), nil), arranged(t, r, cut, all)...),
			inFiles(long(of("multilabel, labels found"), nil), arranged(t, r, mixed, all)...),
		},
		"multilabel, sparse, propensities": {
			inFiles(of("multilabel, sparse, propensities"), beside...),
			inFiles(long(of("multilabel, sparse, propensities"), nil), arranged(t, r, mixed, few)...),
		},
		"multilabel, truth": {
			inFilesWith(long(of("multilabel, labels found"), &input.Columns{Example: "id", Class: "class", Label: "true"}), arranged(t, r, mixed, all), arranged(t, r, ordered, all)),
			inFilesWith(long(of("multilabel, labels found"), &input.Columns{Example: "id", Label: "labels"}), arranged(t, r, cut, all), arranged(t, r, mixed, rows)),
			inFilesWith(withTruth(of("multilabel, labels found")), arranged(t, r, mixed, rows), arranged(t, r, cut, rows)),
		},
		"multiclass, truth": {
			inFilesWith(twice, beside, beside),
			inFilesWith(twice, arranged(t, r, mixed, rows), arranged(t, r, mixed, rows)),
		},
		"binary, some truth": {
			inFilesWith(binary, beside, arranged(t, r, ordered, rows[20:])),
			inFilesWith(binary, arranged(t, r, mixed, rows), arranged(t, r, mixed, rows[20:])),
		},
		"queries": {
			inFiles(perQuery(ranking), written(t, list, 7)),
			inFiles(perQuery(ranking), arranged(t, r, mixed, list)...),
			inFiles(perQuery(longRanking(ranking)), arranged(t, r, ordered, itemRows(list))...),
			inFiles(perQuery(longRanking(ranking)), arranged(t, r, mixed, itemRows(list))...),
			inMemory(perQuery(ranking), inMemoryQueries),
		},
		"items shown": {
			inFiles(shown, written(t, list, 7)),
			inFiles(longRanking(shown), arranged(t, r, mixed, itemRows(list))...),
			inMemory(shown, inMemoryQueries),
		},
		"qrels": {
			inFilesWith(qrelsSpec, arranged(t, r, ordered, itemRows(list)), arranged(t, r, ordered, judged)),
			inFilesWith(qrelsSpec, arranged(t, r, mixed, itemRows(list)), arranged(t, r, mixed, judged)),
		},
	}
	drawn := drawExamples(300)
	file := written(t, drawn, 70)
	for _, name := range []string{"binary", "multiclass, labels found", "multilabel", "regression"} {
		s := scenarioNamed(t, name)
		evaluations[name+", files and memory"] = []func(beam.Scope) Evaluation{inFiles(s.spec, file), inMemory(s.spec, s.predictions(drawn))}
	}
	evaluations["grades"] = gradeLayouts(t, r, ordered, cut, mixed)
	evaluations["further grades"] = furtherGradeLayouts(t, r, ordered, cut, mixed)
	for name, files := range requireSameReports(t, evaluations) {
		require.Equal(t, name == "queries" || name == "qrels", slices.Contains(files, "per_query.parquet"), name)
	}
}

// gradeLayouts returns evaluations of the same attempts, each in a row, or all of an example in lists, or in memory.
func gradeLayouts(t *testing.T, r *rand.Rand, arrangements ...arrangement) (all []func(beam.Scope) Evaluation) {
	t.Helper()
	type attempt struct {
		Task    string  `parquet:"task"`
		Reward  float64 `parquet:"reward"`
		Answer  *string `parquet:"answer"`
		Label   string  `parquet:"label"`
		Weight  float64 `parquet:"weight"`
		Country string  `parquet:"country"`
	}
	type example struct {
		Task    string    `parquet:"task"`
		Reward  []float64 `parquet:"reward,list"`
		Answer  []string  `parquet:"answer,list"`
		Label   string    `parquet:"label"`
		Weight  float64   `parquet:"weight"`
		Country string    `parquet:"country"`
	}
	var attempts []attempt
	var examples []example
	var memory []input.Prediction
	for i := range 80 {
		e := example{Task: fmt.Sprint("task ", i), Label: fmt.Sprint(i % 3), Weight: float64(i%4) / 2, Country: []string{"de", "fr"}[i%2]}
		for range 1 + r.IntN(5) {
			a := attempt{Task: e.Task, Reward: r.NormFloat64(), Label: e.Label, Weight: e.Weight, Country: e.Country}
			answer := []string{"0", "1", "2", ""}[r.IntN(4)]
			if answer != "" {
				a.Answer = &answer
			}
			e.Reward, e.Answer, attempts = append(e.Reward, a.Reward), append(e.Answer, answer), append(attempts, a)
		}
		examples = append(examples, e)
		memory = append(memory, input.Prediction{Example: e.Task, Grades: e.Reward, Answers: e.Answer, Labels: []string{e.Label}, Slices: map[string]string{"country": e.Country}})
	}
	for i := range examples {
		memory[i].Weight = &examples[i].Weight
	}
	spec := Spec{
		Params:  metrics.Params{Task: metrics.Grading, Grades: metrics.GradeOptions{PassThreshold: new(0.25)}, Metrics: []string{"pass_rate", "pass@2", "all_pass@3", "best@2", "flaky_rate", "std", "median", "variance_within", "variance_between", "attempts", "majority_accuracy"}},
		Columns: input.Columns{Example: "task", Grade: "reward", Answer: "answer", Label: "label", Weight: "weight"},
		Slices:  []Slice{by("country")}, Worst: &Worst{Count: 5},
	}
	all = append(all, inFiles(spec, written(t, examples, 7)), inMemory(spec, memory))
	spec.Long = true
	for _, a := range arrangements {
		all = append(all, inFiles(spec, arranged(t, r, a, attempts)...))
	}
	return all
}

// furtherGradeLayouts returns evaluations of the same attempts with further grades, each in a row, or in memory.
func furtherGradeLayouts(t *testing.T, r *rand.Rand, arrangements ...arrangement) (all []func(beam.Scope) Evaluation) {
	t.Helper()
	type attempt struct {
		Task    string  `parquet:"task"`
		Reward  float64 `parquet:"reward"`
		Cost    float64 `parquet:"cost"`
		Late    bool    `parquet:"late"`
		Tokens  int32   `parquet:"tokens"`
		Weight  float64 `parquet:"weight"`
		Country string  `parquet:"country"`
	}
	var attempts []attempt
	var memory []input.Prediction
	for i := range 80 {
		weight := float64(i%4) / 2
		e := input.Prediction{Example: fmt.Sprint("task ", i), Weight: &weight, Slices: map[string]string{"country": []string{"de", "fr"}[i%2]}, FurtherGrades: make([][]float64, 3)}
		for range 1 + r.IntN(5) {
			a := attempt{e.Example, r.NormFloat64(), r.ExpFloat64(), r.IntN(3) == 0, int32(r.IntN(50)), weight, e.Slices["country"]}
			attempts, e.Grades = append(attempts, a), append(e.Grades, a.Reward)
			late := 0.
			if a.Late {
				late = 1
			}
			for k, x := range []float64{a.Cost, late, float64(a.Tokens)} {
				e.FurtherGrades[k] = append(e.FurtherGrades[k], x)
			}
		}
		memory = append(memory, e)
	}
	spec := Spec{
		Params: metrics.Params{Task: metrics.Grading, FurtherGrades: []metrics.FurtherGrade{
			{Name: "usd", LowerIsBetter: true}, {Name: "late", Booleans: true, LowerIsBetter: true}, {Name: "tokens", PassThreshold: new(20.)},
		}, Metrics: []string{"mean", "mean_usd", "best@2_usd", "median_usd", "quantile@0.9_tokens", "pass@2_late", "flaky_rate_tokens", "std_usd", "variance_between_tokens", "attempts"}},
		Columns: input.Columns{Example: "task", Grade: "reward", FurtherGrades: "further", Weight: "weight", Wide: map[string][]string{"further": {"cost", "late", "tokens"}}},
		Slices:  []Slice{by("country")}, Long: true,
	}
	for _, a := range arrangements {
		all = append(all, inFiles(spec, arranged(t, r, a, attempts)...))
	}
	spec.Long = false
	return append(all, inMemory(spec, memory))
}
