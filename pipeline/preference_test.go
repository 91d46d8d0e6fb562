package pipeline

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// battle is a row of task preference.
type battle struct {
	ID     string  `parquet:"id"`
	User   string  `parquet:"user"`
	Lang   string  `parquet:"lang"`
	ModelA string  `parquet:"model_a"`
	ModelB string  `parquet:"model_b"`
	Winner string  `parquet:"winner"`
	Weight float64 `parquet:"weight"`
}

// valuesOfSystems returns the values of a metric in a slice, by system.
func valuesOfSystems(r *report.Report, name, slice string) map[string]float64 {
	values := make(map[string]float64)
	for _, row := range r.Metrics {
		if row.Name == name && row.Label != nil && row.Slice.String() == slice {
			values[*row.Label] = row.Value
		}
	}
	return values
}

func requireValues(t *testing.T, want, got map[string]float64, within float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for system, value := range want {
		require.InDelta(t, value, got[system], within, system)
	}
}

// TestCitations evaluates the citations among journals of statistics (Stigler 1994): a row for each
// two journals and direction, by weight, or a row for each citation.
func TestCitations(t *testing.T) {
	t.Parallel()
	journals := []string{"Biometrika", "Comm Statist", "JASA", "JRSS-B"}
	cited := [][]int{{714, 730, 498, 221}, {33, 425, 68, 17}, {320, 813, 1072, 142}, {284, 276, 325, 188}}
	var weighted, each []battle
	for i, a := range journals {
		for j, b := range journals {
			if i == j {
				continue
			}
			row := battle{ModelA: a, ModelB: b, Winner: "a", Weight: float64(cited[i][j])}
			weighted = append(weighted, row)
			for range cited[i][j] {
				row.ID, row.Weight = fmt.Sprint(len(each)), 1
				each = append(each, row)
			}
		}
	}
	for name, rows := range map[string][]battle{"by weight": weighted, "each": each} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := readReport(t, evaluate(t, parse(t, "preference: {reference: Biometrika}\n", write(t, rows, 2, 700))))
			require.Equal(t, "preference", r.Task)
			require.Equal(t, journals, r.Labels)
			requireValues(t, map[string]float64{"Biometrika": 0, "Comm Statist": -2.9491, "JASA": -0.4796, "JRSS-B": 0.2690}, valuesOfSystems(r, "bradley_terry", "overall"), 5e-5)
			requireValues(t, map[string]float64{"Biometrika": 0, "Comm Statist": 0.1025, "JASA": 0.0606, "JRSS-B": 0.0708}, valuesOfSystems(r, "bradley_terry_std_error", "overall"), 5e-5)
		})
	}
}

func battles(n int) (rows []battle) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		a := r.IntN(5)
		b := (a + 1 + r.IntN(4)) % 5
		winner := []string{"model_a", "model_b", "tie", "tie (bothbad)"}[r.IntN(4)]
		rows = append(rows, battle{fmt.Sprint(i), fmt.Sprint(i % 70), []string{"de", "en"}[i%2], fmt.Sprint("m", a), fmt.Sprint("m", b), winner, 1 + float64(r.IntN(3))})
	}
	return rows
}

// TestPreferences: the bytes of a report with slices, intervals by user and Davidson's ties depend
// neither on files, row groups and order nor on the runner, and labels in other files change no value.
func TestPreferences(t *testing.T) {
	t.Parallel()
	const yaml = "preference: {ties: davidson}\nslices: [[lang]]\nconfidence: {by: user}\nlabels: [m0, m1, m2, m3, m4]\ninput: {columns: {weight: weight}}\n"
	data := spreadOf(t, battles(1500))
	whole := evaluate(t, parse(t, yaml, data.whole))
	requireSame(t, contents(t, whole), contents(t, evaluate(t, parse(t, yaml, data.parts))))
	r := readReport(t, whole)
	for _, row := range r.Metrics {
		if row.Name == "bradley_terry" {
			require.True(t, row.Confidence.HasInterval(), row.Confidence)
		}
	}
	require.Len(t, r.Ranks, 15)
	require.Empty(t, r.Ranks[0].Slice)
	best := r.Ranks[0]
	require.Equal(t, valuesOfSystems(r, "elo", "overall")[best.System], best.Elo)
	require.True(t, best.TiedForFirst)
	weight, comparisons := 0.0, int64(0)
	for _, m := range r.Matches {
		require.Less(t, m.A, m.B)
		weight, comparisons = weight+m.WinsA+m.WinsB+m.Ties, comparisons+m.Comparisons
	}
	require.Len(t, r.Matches, 10)
	require.EqualValues(t, 1500, comparisons)
	require.Greater(t, weight, 1500.0)

	truth := "\ntruth: {files: " + data.parts + ", columns: {example: id, label: winner}}\n"
	joined := readReport(t, evaluate(t, parse(t, "task: preference\n"+yaml+truth, data.whole)))
	require.Equal(t, valuesOfSystems(r, "elo", "overall"), valuesOfSystems(joined, "elo", "overall"))
}

// TestSystemsWithoutStrength: a system that always wins is undefined with the reason, and bad rows are
// counted.
func TestSystemsWithoutStrength(t *testing.T) {
	t.Parallel()
	rows := []battle{
		{ModelA: "x", ModelB: "y", Winner: "model_a", Weight: 1}, {ModelA: "y", ModelB: "z", Winner: "a", Weight: 1},
		{ModelA: "y", ModelB: "z", Winner: "b", Weight: 1}, {ModelA: "y", ModelB: "y", Winner: "b", Weight: 1}, {ModelA: "y", ModelB: "z", Winner: "c", Weight: 1},
	}
	r := readReport(t, evaluate(t, parse(t, "bad_rows: skip\n", write(t, rows, 1, 10))))
	require.Equal(t, map[string]int64{"system compared with itself": 1, "unknown outcome": 1}, r.Rows.Skipped)
	for _, row := range r.Metrics {
		if row.Name == "elo" && *row.Label == "x" {
			require.Equal(t, "wins all comparisons", row.Undefined)
		}
	}
	requireValues(t, map[string]float64{"x": 1, "y": 1. / 3, "z": 0.5}, valuesOfSystems(r, "win_rate", "overall"), 1e-15)
}

// TestGatesOfSystems: a gate judges the rating of a system.
func TestGatesOfSystems(t *testing.T) {
	t.Parallel()
	yaml := "confidence: {}\ngates: [{metric: elo, label: m1, min: 500, sure: true}, {metric: elo, label: m2, min: 2000}, {metric: tie_rate, max: 1}]\n"
	r := readReport(t, evaluate(t, parse(t, yaml, write(t, battles(1500), 1, 500))))
	require.Len(t, r.Gates, 3)
	require.Equal(t, []report.Verdict{report.Pass, report.Fail, report.Pass}, []report.Verdict{r.Gates[0].Verdict, r.Gates[1].Verdict, r.Gates[2].Verdict})
	require.Equal(t, valuesOfSystems(r, "elo", "overall")["m2"], r.Gates[1].Value)
	requireRefused(t, parse(t, "gates: [{metric: elo, min: 500}]", write(t, battles(50), 1, 50)), "elo is a metric of each label: set label")
}

func TestPreferencesRefused(t *testing.T) {
	t.Parallel()
	data := write(t, battles(50), 1, 50)
	for yaml, want := range map[string]string{
		"labels: [m0, m1, m2, m3, m4]\npreference: {reference: m9}": `preference.reference: "m9" is not one of the 5 systems; did you mean "m0"?`,
		"task: preference\ninput: {columns: {a: nosuch}}":           `no column "nosuch"`,
		"input: {columns: {label: weight}}":                         `the label of task preference must be of type string`,
		"input: {columns: {a: weight}}":                             `the a of task preference must be of type int or string`,
		"labels: [m0]":                                              `task preference of 1 systems: there must be 2 to 500, because each is compared with others`,
		"metrics: [nosuch]":                                         `unknown metric`,
		"search: {columns: [lang], confirm: false}":                 `search`,
	} {
		requireRefused(t, parse(t, yaml, data), want)
	}
	requireFails := func(yaml, data, want string) {
		cfg := parse(t, yaml, data)
		cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
		plan, err := Make(t.Context(), cfg)
		require.NoError(t, err)
		require.ErrorContains(t, execute(t.Context(), plan, "direct"), want)
	}
	requireFails("preference: {reference: m9}", data, `preference.reference is "m9", which is not one of the systems, such as "m0"`)
	many := make([]battle, 600)
	for i := range many {
		many[i] = battle{ModelA: fmt.Sprint("m", i), ModelB: "m0", Winner: "tie"}
	}
	requireFails("", write(t, many[1:], 1, 600), "task preference of 600 systems: there must be 2 to 500")
	requireFails("", write(t, []battle{{ModelA: "x", ModelB: "x", Winner: "tie"}}, 1, 1), "task preference of 1 systems: there must be 2 to 500")
}
