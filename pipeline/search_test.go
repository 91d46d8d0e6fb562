package pipeline

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/pipeline/config"
)

// searchRow is an example with columns to search. In country de on a phone, predictions are bad.
type searchRow struct {
	ID      string   `parquet:"example_id"`
	Label   int64    `parquet:"label"`
	Score   float64  `parquet:"score"`
	Weight  float64  `parquet:"weight"`
	Country *string  `parquet:"country,optional"`
	Device  string   `parquet:"device"`
	Age     float64  `parquet:"age"`
	Grade   int32    `parquet:"grade"`
	User    string   `parquet:"user"`
	Same    bool     `parquet:"same"`
	Tags    []string `parquet:"tags,list"`
}

func searchRows(n int) []searchRow {
	rng := rand.New(rand.NewPCG(1, 2))
	countries, devices := []string{"de", "fr", "it", "us"}, []string{"phone", "tablet", "tv", "pc"}
	rows := make([]searchRow, n)
	for i := range rows {
		r := &rows[i]
		*r = searchRow{
			ID: fmt.Sprintf("id %d", i), Score: rng.Float64(), Weight: float64(1 + rng.IntN(3)), Device: devices[rng.IntN(4)],
			Age: math.Round(1000*rng.NormFloat64()) / 10, Grade: int32(rng.IntN(5)), User: fmt.Sprintf("user %d", rng.IntN(n/3)), Tags: []string{"a", "b"},
		}
		if c := rng.IntN(5); c < 4 {
			r.Country = &countries[c]
		}
		p := r.Score
		if r.Country == &countries[0] && r.Device == "phone" {
			p = 1 - p
		}
		if rng.Float64() < p {
			r.Label = 1
		}
	}
	return rows
}

// searchOf returns the search in metrics.json.
func searchOf(t *testing.T, files map[string]string) *report.Search {
	t.Helper()
	r, err := report.Read([]byte(files[report.MetricsJSON]))
	require.NoError(t, err)
	return r.Search
}

const (
	searchInput = "task: binary\ninput: {columns: {weight: weight}}\n"
	searchYAML  = searchInput + "confidence: {}\n"
)

// TestSearchIsIdenticalBytes searches the same rows in one file, and shuffled over several files, on
// different runners. All files but run.json must be the same, and the planted slice must be found.
func TestSearchIsIdenticalBytes(t *testing.T) {
	t.Parallel()
	data := spreadOf(t, searchRows(6000))
	for name, yaml := range map[string]string{
		"level 2":            searchYAML + "search: {columns: [country, device, age, grade, user, same]}\n",
		"level 4, brier":     searchYAML + "search: {columns: all, level: 4, alpha: 0.99, measure: brier, top: 50}\n",
		"clusters":           searchInput + "search: {columns: [device, country], measure: zero_one_loss}\nconfidence: {by: user, groups: 40}\n",
		"pairs not counted":  searchYAML + "search: {columns: [device, country, grade], max_values: 1000}\n",
		"without confirming": searchYAML + "search: {columns: [device, country], confirm: false}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := contents(t, evaluateOn(t, parse(t, yaml, data.whole), "direct", 1))
			got := contents(t, evaluateOn(t, parse(t, echo(t, want), data.parts), "prism", 4))
			require.Equal(t, len(want), len(got))
			for file, content := range want {
				require.True(t, content == got[file], "%s differs", file)
			}
			require.Contains(t, want, "found_slices.csv")
			require.Contains(t, want, "found_slices.parquet")
			require.Contains(t, want[report.ReportHTML], "Worst slices found")
			s := searchOf(t, want)
			require.NotEmpty(t, s.Found)
			f := s.Found[0]
			require.Equal(t, "country=de, device=phone", f.Key.String())
			require.Equal(t, s.Confirmed, f.Confirmed)
			if s.Confirmed {
				require.Greater(t, f.Low, 0.)
				require.Equal(t, int64(6000), s.Searched+s.Confirming)
				require.Contains(t, collections.Map(f.Metrics, func(m report.FoundMetric) string { return m.Name }), "accuracy")
				for _, m := range f.Metrics {
					if m.Name == s.Measure {
						require.InDelta(t, f.Value, m.Value, 1e-12)
					}
				}
			} else {
				require.Equal(t, int64(6000), s.Searched)
				require.True(t, math.IsNaN(f.Value))
			}
		})
	}
}

// TestSearchCountsPairsOrNot finds the same, whether pairs are counted at first or as candidates.
func TestSearchCountsPairsOrNot(t *testing.T) {
	t.Parallel()
	dir := write(t, searchRows(3000), 2, 500)
	var found []*report.Search
	for _, most := range []int{50, 1000} {
		yaml := searchYAML + fmt.Sprintf("search: {columns: [device, country, grade], alpha: 0.99, min_support: 20, max_values: %d}\n", most)
		found = append(found, searchOf(t, contents(t, evaluateOn(t, parse(t, yaml, dir), "direct", 0))))
	}
	require.NotEmpty(t, found[0].Found)
	require.Equal(t, found[0], found[1])
}

// TestSearchOfSalaries finds the slices that SliceLine is known to find, in a text with a column
// of errors.
func TestSearchOfSalaries(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../metrics/sliceline/testdata/salaries.csv")
	require.NoError(t, err)
	lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	require.NoError(t, err)
	for i := range lines {
		lines[i] = append(lines[i], map[bool]string{true: "target", false: "0"}[i == 0])
	}
	dir := t.TempDir()
	var csvText strings.Builder
	require.NoError(t, csv.NewWriter(&csvText).WriteAll(lines))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "salaries.csv"), []byte(csvText.String()), 0o600))
	s := searchOf(t, contents(t, evaluate(t, parse(t, `
task: regression
input: {columns: {label: target, prediction: id}}
search: {columns: all, measure: error, level: 5, top: 10, min_support: 4, confirm: false}
`, dir))))
	require.Equal(t, "error", s.Measure)
	want := []struct {
		score float64
		size  int64
		slice string
	}{
		{1.042, 18, "discipline=2, sex=2"}, {0.478, 39, "sex=2"}, {0.316, 10, "rank=3, sex=2"},
		{0.262, 29, "discipline=1, rank=1, service=4, sex=1"}, {0.224, 125, "discipline=1, rank=1, sex=1"},
	}
	require.Len(t, s.Found, 10)
	for i, w := range want {
		require.InDelta(t, w.score, s.Found[i].Score, 1e-3)
		require.Equal(t, w.size, s.Found[i].Size)
		require.Equal(t, w.slice, s.Found[i].Key.String())
	}
}

// TestSearchSaysWhatIsLeftOut has columns that cannot be searched, and nothing to find.
func TestSearchSaysWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	rows := searchRows(2000)
	for i := range rows {
		rows[i].Score = 0.5
	}
	dir := write(t, rows, 2, 500)
	s := searchOf(t, contents(t, evaluateOn(t, parse(t, searchYAML+"search: {columns: all}\n", dir), "direct", 0)))
	require.Empty(t, s.Found)
	require.Len(t, s.LeftOut, 3)
	require.Contains(t, s.LeftOut[0], `column "tags" is list<string>`)
	require.Equal(t, `column "user" has more than 50 values`, s.LeftOut[1])
	require.Equal(t, "no slice of at least 100 examples has a score above 0: none has a log_loss that is high enough for its size", s.LeftOut[2])
}

// TestSearchIsBounded by a count: what may be searched is said before, and what was not after.
func TestSearchIsBounded(t *testing.T) {
	t.Parallel()
	dir := write(t, searchRows(3000), 2, 500)
	const yaml = searchYAML + "search: {columns: [device, country, grade], level: 3, alpha: 0.99, min_support: 20, max_values: 10, max_candidates: "
	whole, bounded := parse(t, yaml+"1000}\n", dir), parse(t, yaml+"1}\n", dir)
	for cfg, most := range map[*config.Config]string{whole: "1,000", bounded: "1"} {
		cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
		plan, err := Make(t.Context(), cfg)
		require.NoError(t, err)
		require.Equal(t, 2, plan.Searches)
		require.Contains(t, plan.Notes, "search: 3 columns, by log_loss: there may be 1,330 slices, of which it counts "+most+" besides single values and pairs at most (search.max_candidates); the predictions are read twice more")
	}
	const left = "slices of 3 or more columns: too many are candidates, with a limit of 1 (search.max_candidates): search fewer columns, or raise min_support or the limit"
	require.NotContains(t, strings.Join(searchOf(t, contents(t, evaluateOn(t, whole, "direct", 0))).LeftOut, "\n"), "candidates")
	require.Contains(t, searchOf(t, contents(t, evaluateOn(t, bounded, "direct", 0))).LeftOut, left)
}

func TestSearchRefuses(t *testing.T) {
	t.Parallel()
	dir := write(t, searchRows(200), 1, 200)
	for why, yaml := range map[string]string{
		`no column "nonesuch"`:                                          searchYAML + "search: {columns: [country, nonesuch]}\n",
		`a slice column must hold one value a row`:                      searchYAML + "search: {columns: tags}\n",
		`search.measure: column "device" is string: losses are numbers`: searchYAML + "search: {columns: [country], measure: device}\n",
		`search.measure: "brierr" is no loss that these examples have`:  searchYAML + "search: {columns: [country], measure: brierr}\n",
	} {
		requireRefused(t, parse(t, yaml, dir), why)
	}
}

// TestSearchOfScatteredExamples finds the same in predictions whose truth, with one of the columns, is
// in other files.
func TestSearchOfScatteredExamples(t *testing.T) {
	t.Parallel()
	type prediction struct {
		ID      string  `parquet:"example_id"`
		Score   float64 `parquet:"score"`
		Weight  float64 `parquet:"weight"`
		Country *string `parquet:"country,optional"`
		Age     float64 `parquet:"age"`
		User    string  `parquet:"user"`
	}
	type truth struct {
		ID     string  `parquet:"example_id"`
		Label  int64   `parquet:"label"`
		Device string  `parquet:"device"`
		Cost   float64 `parquet:"cost"`
	}
	rows := searchRows(6000)
	predictions, truths := make([]prediction, len(rows)), make([]truth, len(rows))
	for i, r := range rows {
		predictions[i] = prediction{r.ID, r.Score, r.Weight, r.Country, r.Age, r.User}
		truths[i] = truth{r.ID, r.Label, r.Device, math.Abs(float64(r.Label) - r.Score)}
	}
	whole, parts, flat := spreadOf(t, predictions), spreadOf(t, truths), write(t, rows, 2, 500)
	const yaml = searchYAML + "search: {columns: [device, country, age, user], level: 3, alpha: 0.98, measure: "
	want := searchOf(t, contents(t, evaluateOn(t, parse(t, yaml+"log_loss}\n", flat), "direct", 0)))
	require.Equal(t, "country=de, device=phone", want.Found[0].Key.String())
	got := contents(t, evaluateOn(t, parse(t, yaml+"log_loss}\n", whole.whole, parts.parts), "direct", 1))
	require.Equal(t, want, searchOf(t, got))
	again := contents(t, evaluateOn(t, parse(t, yaml+"log_loss}\n", whole.parts, parts.whole), "prism", 4))
	for file, content := range got {
		require.True(t, content == again[file], "%s differs", file)
	}
	costs := searchOf(t, contents(t, evaluateOn(t, parse(t, yaml+"cost}\n", whole.parts, parts.whole), "direct", 0)))
	require.True(t, slices.ContainsFunc(costs.Found, func(f report.FoundSlice) bool {
		return slices.Equal(f.Key, want.Found[0].Key) && f.Size == want.Found[0].Size
	}))
}
