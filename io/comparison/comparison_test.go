package comparison_test

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	kinds "github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/slice"
)

// comparisons are the contents of the golden files by name of directory.
var comparisons = map[string]func() *comparison.Comparison{
	"compared":   exampleComparison,
	"binary":     binaryComparison,
	"ranking":    rankingComparison,
	"multilabel": multilabelComparison,
	"multiclass": multiclassComparison,
	"untested": func() *comparison.Comparison {
		nan := math.NaN()
		return &comparison.Comparison{
			Task: "ranking", A: comparison.Compared{Name: "monday", Examples: 1}, B: comparison.Compared{Name: "tuesday", Examples: 1200},
			Level: 0.95, Adjust: comparison.BenjaminiHochberg, Pairing: comparison.Untested,
			Warnings: []string{"a has no replicates"},
			Changes: []comparison.Change{
				{Name: "ndcg", A: 0.5, B: 0.75, Difference: 0.25, StdError: nan, DOF: nan, Low: nan, High: nan, PValue: nan, PAdjusted: nan, Pairing: comparison.Untested, Verdict: comparison.Unsure, Reason: "no replicates"},
				{Name: "queries", A: 1, B: 1200, Difference: 1199, StdError: nan, DOF: nan, Low: nan, High: nan, PValue: nan, PAdjusted: nan, Pairing: comparison.Untested, Verdict: comparison.Unsure, Reason: "no replicates"},
			},
		}
	},
	"nothing": func() *comparison.Comparison {
		return &comparison.Comparison{Task: "binary", Level: 0.95, Adjust: comparison.Unadjusted, Pairing: comparison.Unpaired}
	},
}

// exampleComparison has differences of every verdict, and texts that are hard to write.
func exampleComparison() *comparison.Comparison {
	nan := math.NaN()
	c := &comparison.Comparison{
		Task: "multilabel", A: comparison.Compared{Name: "reports/a|b", Examples: 10_000, Groups: 50}, B: comparison.Compared{Name: "gs://bucket/\xffb", Examples: 10_000, Groups: 50},
		Level: 0.95, Adjust: comparison.Holm, Pairing: comparison.Paired, Warnings: []string{"a warning\nof two lines"},
		Visible: []comparison.Visible{
			{Metric: "hamming_loss", Direction: kinds.Rise, Drop: 0.0143, Needed: nan}, {Metric: "f1_micro", Direction: kinds.Drop, Drop: 0.025, Needed: 25_600.5},
		},
	}
	change := func(name string, key slice.Key, label *string, a, b, half, p float64, v comparison.Verdict) {
		c.Changes = append(c.Changes, comparison.Change{
			Name: name, Slice: key, Label: label, A: a, B: b, Difference: b - a, StdError: half / 2, DOF: 48.5, Low: b - a - half, High: b - a + half, Groups: 50,
			PValue: p / 2, PAdjusted: p, Pairing: comparison.Paired, Verdict: v,
		})
	}
	unsure := func(name string, a, b float64, pairing comparison.Pairing, reason string) {
		c.Changes = append(c.Changes, comparison.Change{
			Name: name, A: a, B: b, Difference: b - a, StdError: nan, DOF: nan, Low: nan, High: nan, PValue: nan, PAdjusted: nan,
			Pairing: pairing, Verdict: comparison.Unsure, Reason: reason,
		})
	}
	hostile := reporttest.Key("caf\xe9", slice.String("=\xff"))
	change("f1_macro", nil, nil, 0.8, 0.8125, 0.005, 1.5e-9, comparison.Better)
	change("subset_accuracy", nil, nil, 0.5, 0.4375, 0.03125, 0.0004, comparison.Worse)
	change("hamming_loss", nil, nil, 0.125, 0.125, 0.01, 1, comparison.NoSignificantChange)
	change("f1_micro", nil, nil, 0.75, 0.75+1./64, 0.0175, 0.0625, comparison.NoSignificantChange)
	unsure("roc_auc_macro", 0.9, nan, comparison.Untested, "undefined in b")
	unsure("ece", 0.01, 0.02, comparison.Paired, "biased")
	unsure("lrap", nan, 0.5, comparison.Untested, "only in b\xff")
	change("recall", nil, reporttest.Ptr("caf\xe9"), 0.5, 0.25, 0.125, 0.001, comparison.Worse)
	change("recall", nil, reporttest.Ptr("=1+1"), 0.5, 0.75, 0.125, 0, comparison.Better)
	for i := range 120 {
		change("f1_macro", reporttest.Key("user", slice.Int(int64(i))), nil, 0.5, 0.25, 0.125, 0.002+float64(i)/1e5, comparison.Worse)
	}
	change("f1_macro", hostile, nil, 0.5, 0.75, 0.125, 0.03, comparison.Better)
	part := func(x, half float64) report.Estimate {
		return report.Estimate{Value: x, Low: x - half, High: x + half}
	}
	c.Why = []comparison.Why{
		{Metric: "subset_accuracy", By: []string{"country"}, A: 0.5, B: 0.4375, Difference: -0.0625, Mix: part(0.005, 0.01), Performance: part(-0.0675, 0.02), Reason: "undefined without some group"},
		{Metric: "subset_accuracy", By: []string{"caf\\xe9", "device"}, A: 0.5, B: 0.4375, Difference: -0.0625, Mix: part(-0.0125, 0.0075), Performance: part(-0.05, 0.03), Slices: []comparison.WhySlice{
			{Slice: slice.Key{{Column: "caf\xe9", Value: slice.String("=\xff")}, {Column: "device", Value: slice.Null()}}, ShareA: 0.5, ShareB: 0.25, A: 0.75, B: 0.65, Mix: part(-0.01, 0.0025), Performance: part(-0.0375, nan)},
			{Slice: slice.Key{{Column: "caf\xe9", Value: slice.String("new")}, {Column: "device", Value: slice.String("phone")}}, ShareB: 0.25, A: nan, B: 0.5, Mix: part(-0.0125, 0.01), Performance: part(0, nan)},
			{Rest: true, ShareA: 0.5, ShareB: 0.5, A: 0.5, B: 0.475, Mix: part(0.01, nan), Performance: part(-0.0125, nan)},
		}},
		{Metric: "f1_macro", By: []string{"country"}, A: 0.8, B: 0.8125, Difference: 0.0125, Mix: report.UnknownEstimate(), Performance: report.UnknownEstimate(), Reason: "no confusion.parquet"},
	}
	half := 0.5
	r := &report.Report{Metrics: []report.Row{{Name: "f1_macro", Value: 0.8125}, {Name: "f1_macro", Slice: hostile, Value: 0.75}, {Name: "subset_accuracy", Value: 0.4375}}}
	comparison.Judge(r, []report.Gate{
		{Metric: "f1_macro", Limits: report.Limits{Min: &half, MaxDrop: reporttest.LimitOf(0.1)}},
		{Metric: "subset_accuracy", Limits: report.Limits{MaxDrop: reporttest.LimitOf(0.05), Sure: true}},
		{Metric: "f1_macro", Each: true, Limits: report.Limits{MaxRise: reporttest.LimitOf(0.1), Sure: true}},
		{Metric: "lrap", Limits: report.Limits{MaxDrop: reporttest.LimitOf(0.1), Sure: true}, AllowUndefined: true},
	}, c)
	c.Gates = r.Gates
	return c
}

func writeComparison(t *testing.T, c comparison.Result) *reporttest.Files {
	t.Helper()
	f := &reporttest.Files{}
	require.NoError(t, comparison.Write(c, f.Create))
	return f
}

// results returns all contents of golden files by name of directory.
func results() map[string]func() comparison.Result {
	all := map[string]func() comparison.Result{}
	for name, build := range comparisons {
		all[name] = func() comparison.Result { return build() }
	}
	for name, build := range boards {
		all[name] = func() comparison.Result { return build() }
	}
	return all
}

func TestGolden(t *testing.T) {
	for name, build := range results() {
		t.Run(name, func(t *testing.T) {
			r := build()
			f := writeComparison(t, r)
			require.Subset(t, f.Created, []string{"comparison.csv", "comparison.parquet", "comparison.md", "comparison.html"})
			require.Equal(t, "comparison.json", f.Created[len(f.Created)-1])
			for _, file := range f.Created {
				if filepath.Ext(file) != ".parquet" {
					reporttest.Golden(t, filepath.Join(name, file), f.Bytes(file))
				}
			}
			reporttest.CheckPage(t, f.Bytes(comparison.HTML))
			require.True(t, json.Valid(f.Bytes(comparison.JSON)))
			_, err := csv.NewReader(bytes.NewReader(f.Bytes(comparison.CSV))).ReadAll()
			require.NoError(t, err)
			var summary bytes.Buffer
			require.NoError(t, comparison.Summary(r, &summary, document.Screen{}))
			reporttest.RequireWidth(t, 80, summary.String())
			reporttest.Golden(t, filepath.Join(name, "summary.txt"), summary.Bytes())
		})
	}
}

// smallComparison is a comparison.json with one difference, in which a text is replaced with
// another.
func smallComparison(old, text string) []byte {
	whole := `{"schema":"beameval.comparison/v1","task":"binary","a":{"report":"a","examples":2},"b":{"report":"b","examples":2},"pairing":"paired",` +
		`"level":0.95,"adjust":"holm","verdicts":{"worse":1},"gates":[{"metric":"f1","slice":{},"label":null,"max_drop":0.1,"value":0.5,"difference":-0.25,"verdict":"fail"}],` +
		`"options":[{"key":"k","a":[1],"b":[2]}],"differences":[{"name":"f1","slice":{"c":"d"},"label":"e","a":0.75,"b":0.5,"difference":-0.25,"std_error":0.1,` +
		`"ci_low":-0.5,"ci_high":-0.1,"dof":49,"groups":50,"p_value":0.01,"p_adjusted":0.02,"pairing":"paired","verdict":"worse"}],"warnings":["w"]}`
	return []byte(strings.ReplaceAll(whole, old, text))
}

func TestReadComparisonRefuses(t *testing.T) {
	for _, c := range []struct{ old, text, want string }{
		{`"level":0.95`, `"level":1`, `level: 1: expected a number between 0 and 1`},
		{`"level":0.95,`, ``, `level: 0: expected a number between 0 and 1`},
		{`"adjust":"holm"`, `"adjust":"none!"`, `adjust: "none!": expected one of ["bh" "holm" "none"]`},
		{`"pairing":"paired","level"`, `"pairing":"both","level"`, `pairing: "both": expected one of ["paired" "unpaired" "none"]`},
		{`,"verdict":"worse"`, ``, `difference 1: verdict is null or missing`},
		{`"verdict":"worse"`, `"verdict":""`, `difference 1: verdict: "": expected one of ["worse" "better" "no significant change" "unknown"]`},
		{`"verdict":"fail"`, `"verdict":"failed"`, `gate 1: verdict: "failed": expected one of ["pass" "fail" "unknown"]`},
		{`"slice":{"c":"d"}`, `"slice":[]`, `slice`},
		{`"name":"f1"`, `"name":1`, `name`},
		{`beameval.comparison/v1`, `v2`, `the schema is "v2"`},
		{`{`, `[`, `comparison: `},
	} {
		_, err := comparison.Read(smallComparison(c.old, c.text))
		require.ErrorContains(t, err, c.want, c.text)
	}
	_, err := comparison.Read(smallComparison("", ""))
	require.NoError(t, err)
}

func TestMessagesOfEditedComparisons(t *testing.T) {
	reporttest.RequireShortMessages(t, smallComparison("", ""), func(data []byte) error { _, err := comparison.Read(data); return err })
}

// FuzzReadComparison reads edited or damaged files, and writes what was read: the same
// comparison.json, and pages.
func FuzzReadComparison(f *testing.F) {
	f.Add(smallComparison("", ""))
	f.Add(smallComparison(`-0.25`, `1e308`))
	f.Add(smallComparison(`"label":"e"`, `"label":null`))
	f.Add(smallComparison(`0.5`, `null`))
	f.Add(smallComparison(`"options"`, `"why":[{"metric":"f1","by":["c"],"a":0.75,"b":0.5,"difference":-0.25,"mix":-0.05,"mix_ci_low":-0.1,"mix_ci_high":1e308,"performance":-0.2,`+
		`"slices":[{"slice":{"c":"d"},"rest":true,"share_a":1,"mix":-0.05,"performance":-0.2}]}],"options"`))
	f.Add(smallComparison(`"worse"`, `"no significant change"`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := comparison.Read(data)
		if err != nil {
			return
		}
		rewrite := func(c *comparison.Comparison) string {
			var f reporttest.Files
			require.NoError(t, comparison.Write(c, f.Create))
			require.NoError(t, comparison.Summary(c, io.Discard, document.Screen{}))
			return f.Content[comparison.JSON].String()
		}
		first := rewrite(c)
		again, err := comparison.Read([]byte(first))
		require.NoError(t, err)
		require.Equal(t, first, rewrite(again))
	})
}

func TestComparisonParquet(t *testing.T) {
	type row struct {
		Name      string   `parquet:"name"`
		Slice     string   `parquet:"slice"`
		Label     *string  `parquet:"label,optional"`
		A         *float64 `parquet:"a,optional"`
		B         *float64 `parquet:"b,optional"`
		Low       *float64 `parquet:"ci_low,optional"`
		Groups    int32    `parquet:"groups"`
		PValue    *float64 `parquet:"p_value,optional"`
		PAdjusted *float64 `parquet:"p_adjusted,optional"`
		Pairing   string   `parquet:"pairing"`
		Verdict   string   `parquet:"verdict"`
		Reason    *string  `parquet:"reason,optional"`
		Place     *string  `parquet:"slice_caf\\xe9,optional"`
		User      *string  `parquet:"slice_user,optional"`
	}
	c := exampleComparison()
	got := reporttest.ReadRows[row](t, writeComparison(t, c).Bytes(comparison.Parquet))
	require.Len(t, got, len(c.Changes))
	require.Equal(t, row{"subset_accuracy", "{}", nil, reporttest.Ptr(0.5), reporttest.Ptr(0.4375), reporttest.Ptr(-0.09375), 50, reporttest.Ptr(0.0002), reporttest.Ptr(0.0004), "paired", "worse", nil, nil, nil}, got[0])
	require.Equal(t, row{"recall", "{}", reporttest.Ptr(`caf\xe9`), reporttest.Ptr(0.5), reporttest.Ptr(0.25), reporttest.Ptr(-0.375), 50, reporttest.Ptr(0.0005), reporttest.Ptr(0.001), "paired", "worse", nil, nil, nil}, got[1])
	require.Equal(t, row{"f1_macro", `{"user":0}`, nil, reporttest.Ptr(0.5), reporttest.Ptr(0.25), reporttest.Ptr(-0.375), 50, reporttest.Ptr(0.001), reporttest.Ptr(0.002), "paired", "worse", nil, nil, reporttest.Ptr("0")}, got[2])
	require.Equal(t, row{Name: "lrap", Slice: "{}", B: reporttest.Ptr(0.5), Pairing: "none", Verdict: "unknown", Reason: reporttest.Ptr(`only in b\xff`)}, got[len(got)-1])
}

// TestWhatMattersComesFirst: differences are sorted, whatever their original order.
func TestWhatMattersComesFirst(t *testing.T) {
	c := exampleComparison()
	writeComparison(t, c)
	last := 0
	order := []comparison.Verdict{comparison.Worse, comparison.Better, comparison.NoSignificantChange, comparison.Unsure}
	for i, d := range c.Changes {
		if i > 0 && d.Verdict == c.Changes[i-1].Verdict && !math.IsNaN(d.PAdjusted) {
			require.LessOrEqual(t, c.Changes[i-1].PAdjusted, d.PAdjusted)
		}
		for order[last] != d.Verdict {
			last++
		}
	}
}

func TestWriteFails(t *testing.T) {
	broken := errors.New("disk full")
	c := binaryComparison()
	c.Queries = rankingComparison().Queries
	for kind, r := range map[string]comparison.Result{"comparison": c, "leaderboard": boards["systems"]()} {
		for _, file := range writeComparison(t, r).Created {
			for _, w := range []io.Writer{nil, reporttest.Failing{Err: broken}} {
				err := comparison.Write(r, func(name string) (io.Writer, error) {
					switch {
					case name != file:
						return io.Discard, nil
					case w == nil:
						return nil, broken
					}
					return w, nil
				})
				require.ErrorIs(t, err, broken)
				require.ErrorContains(t, err, kind+": "+file)
			}
		}
	}
}

// TestGatesThatCompare judges differences: values equal to a limit pass, up to rounding, and with
// sure only significant differences count.
func TestGatesThatCompare(t *testing.T) {
	nan := math.NaN()
	change := func(a, b, p float64) *comparison.Comparison {
		return &comparison.Comparison{Level: 0.95, Changes: []comparison.Change{{Name: "m", A: a, B: b, Difference: b - a, PAdjusted: p, Reason: "few groups"}}}
	}
	interval, inf := &report.Confidence{Low: 0.9, High: 0.94}, math.Inf(1)
	for i, c := range []struct {
		limits  report.Limits
		row     report.Row
		against *comparison.Comparison
		want    report.Verdict
		reason  string
	}{
		{report.Limits{MaxDrop: reporttest.LimitOf(0.01)}, report.Row{}, change(0.93, 0.92, nan), report.Pass, ""},
		{report.Limits{MaxDrop: reporttest.LimitOf(0.01)}, report.Row{}, change(0.93, 0.9199, nan), report.Fail, ""},
		{report.Limits{MaxDrop: reporttest.LimitOf(0.)}, report.Row{}, change(0.92, 0.93, nan), report.Pass, ""},
		{report.Limits{MaxRise: reporttest.LimitOf(0.01)}, report.Row{}, change(0.92, 0.93, nan), report.Pass, ""},
		{report.Limits{MaxRise: reporttest.LimitOf(0.)}, report.Row{}, change(0.92, 0.93, nan), report.Fail, ""},
		{report.Limits{MaxDrop: reporttest.LimitOf(0.), Sure: true}, report.Row{}, change(0.93, 0.9, 0.051), report.Pass, ""},
		{report.Limits{MaxDrop: reporttest.LimitOf(0.), Sure: true}, report.Row{}, change(0.93, 0.9, 0.05), report.Fail, ""},
		{report.Limits{MaxDrop: reporttest.LimitOf(0.1), Sure: true}, report.Row{}, change(0.93, 0.9, 0.001), report.Pass, ""},
		{report.Limits{MaxDrop: reporttest.LimitOf(0.1), Sure: true}, report.Row{}, change(0.93, 0.9, nan), report.Pass, ""},
		{report.Limits{MaxDrop: reporttest.LimitOf(0.), Sure: true}, report.Row{}, change(0.93, 0.93, nan), report.Pass, ""},
		{report.Limits{MaxDrop: reporttest.LimitOf(0.02), Sure: true}, report.Row{}, change(0.93, 0.9, nan), report.Unknown, "no p-value: few groups"},
		{report.Limits{MaxDrop: reporttest.LimitOf(0.1)}, report.Row{}, change(nan, 0.9, nan), report.Unknown, "no difference: few groups"},
		{report.Limits{MaxDrop: reporttest.LimitOf(0.1)}, report.Row{}, &comparison.Comparison{}, report.Unknown, "no difference"},
		{report.Limits{MaxDrop: reporttest.LimitOf(0.1)}, report.Row{}, nil, report.Unknown, report.NoBaseline},
		{report.Limits{MaxDrop: reporttest.LimitOf(0.1), Min: new(0.95)}, report.Row{}, nil, report.Fail, report.NoBaseline},
		{report.Limits{MaxDrop: reporttest.PercentOf(1)}, report.Row{}, change(0.93, 0.9207, nan), report.Pass, ""},
		{report.Limits{MaxDrop: reporttest.PercentOf(1)}, report.Row{}, change(0.93, 0.92069, nan), report.Fail, ""},
		{report.Limits{MaxDrop: reporttest.PercentOf(1)}, report.Row{}, change(-0.93, -0.9393, nan), report.Pass, ""},
		{report.Limits{MaxDrop: reporttest.PercentOf(1)}, report.Row{}, change(-0.93, -0.9394, nan), report.Fail, ""},
		{report.Limits{MaxRise: reporttest.PercentOf(1)}, report.Row{}, change(0.93, 0.9393, nan), report.Pass, ""},
		{report.Limits{MaxRise: reporttest.PercentOf(0)}, report.Row{}, change(0.93, 0.94, nan), report.Fail, ""},
		{report.Limits{MaxRise: reporttest.PercentOf(50)}, report.Row{}, change(-0.1, 0.92, nan), report.Fail, ""},
		{report.Limits{MaxRise: reporttest.PercentOf(50)}, report.Row{}, change(0, 0.92, nan), report.Unknown, "a share of 0, the baseline, is undefined"},
		{report.Limits{MaxRise: reporttest.PercentOf(50)}, report.Row{}, change(0, 0, nan), report.Unknown, "a share of 0, the baseline, is undefined"},
		{report.Limits{MaxRise: reporttest.PercentOf(50), MaxDrop: reporttest.LimitOf(0.1)}, report.Row{}, change(0, -0.92, nan), report.Fail, "a share of 0, the baseline, is undefined"},
		{report.Limits{MaxDrop: reporttest.PercentOf(1), Sure: true}, report.Row{}, change(0.93, 0.9, 0.051), report.Pass, ""},
		{report.Limits{MaxDrop: reporttest.PercentOf(1), Sure: true}, report.Row{}, change(0.93, 0.9, 0.05), report.Fail, ""},
		{report.Limits{MaxDrop: reporttest.PercentOf(1), Sure: true}, report.Row{}, change(0.93, 0.921, nan), report.Pass, ""},
		{report.Limits{MaxDrop: reporttest.PercentOf(1), Sure: true}, report.Row{}, change(0.93, 0.9, nan), report.Unknown, "no p-value: few groups"},
		{report.Limits{MaxDrop: reporttest.PercentOf(1), Sure: true}, report.Row{}, change(0, -0.9, 0.001), report.Unknown, "a share of 0, the baseline, is undefined"},
		{report.Limits{Min: new(0.9), Sure: true}, report.Row{Confidence: interval}, nil, report.Pass, ""},
		{report.Limits{Min: new(0.91), Sure: true}, report.Row{Confidence: interval}, nil, report.Fail, ""},
		{report.Limits{Min: new(0.91)}, report.Row{Confidence: interval}, nil, report.Pass, ""},
		{report.Limits{Max: new(0.94), Sure: true}, report.Row{Confidence: interval}, nil, report.Pass, ""},
		{report.Limits{Max: new(0.93), Sure: true}, report.Row{Confidence: interval}, nil, report.Fail, ""},
		{report.Limits{Max: new(0.93), Sure: true}, report.Row{}, nil, report.Unknown, "no interval"},
		{report.Limits{Max: new(0.91), Sure: true}, report.Row{}, nil, report.Fail, "no interval"},
		{report.Limits{Min: new(0.5), Sure: true}, report.Row{Confidence: &report.Confidence{Low: nan, High: nan, NoInterval: "few groups"}}, nil, report.Unknown, "no interval: few groups"},
		{report.Limits{Max: new(0.5)}, report.Row{Value: inf}, nil, report.Fail, "infinite"},
		{report.Limits{Min: new(0.5)}, report.Row{Value: inf}, nil, report.Unknown, "infinite"},
		{report.Limits{Max: new(0.5)}, report.Row{Value: nan}, nil, report.Unknown, "not a number"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			c.row.Name, c.row.Value = "m", cmp.Or(c.row.Value, 0.92)
			r := &report.Report{Metrics: []report.Row{c.row}}
			comparison.Judge(r, []report.Gate{{Metric: "m", Limits: c.limits, AllowUndefined: true}}, c.against)
			require.Equal(t, c.want, r.Gates[0].Verdict)
			require.Equal(t, c.reason, r.Gates[0].Reason)
			comparison.Judge(r, []report.Gate{{Metric: "m", Limits: c.limits}}, c.against)
			if c.want == report.Unknown && c.reason != report.NoBaseline {
				c.want = report.Fail
			}
			require.Equal(t, c.want, r.Gates[0].Verdict)
		})
	}
}

// Names of reports, metrics, slices and labels cannot become markup, and a page of many differences
// stays small.
func TestHostileNamesInPageOfComparison(t *testing.T) {
	c := exampleComparison()
	names := append(reporttest.HostileNames(), "<script>alert(1)</script>", `" onmouseover="x`, "</style>", "<!--", "{{.}}", strings.Repeat("long ", 2000))
	c.A.Name, c.B.Name, c.Warnings = names[0], names[len(names)-1], names
	for i := range 1_000 {
		name := names[i%len(names)]
		for _, d := range []comparison.Change{{Slice: reporttest.Key(name, slice.String(name+strconv.Itoa(i)))}, {Label: &name}} {
			d.Name, d.A, d.B, d.Difference, d.Low, d.High = []string{"f1_macro", "recall", name}[i%3], 0.5, 0.75, 0.25, 0.2, 0.3
			d.PAdjusted, d.Verdict, d.Reason = 0.01, []comparison.Verdict{comparison.Worse, comparison.Better, comparison.Unsure}[i%3], name
			c.Changes = append(c.Changes, d)
		}
	}
	c.Changes = append(c.Changes, comparison.Change{Name: names[len(names)-1], Difference: 0.25, Reason: names[len(names)-2], Verdict: comparison.Unsure})
	data := writeComparison(t, c).Bytes(comparison.HTML)
	root := reporttest.CheckPage(t, data)
	require.Less(t, len(data), 2_000_000)
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "charts")), "The 20 of ")
}

// Reports without intervals can be compared, too; the page then shows points without intervals.
func TestPageOfComparison(t *testing.T) {
	root := reporttest.CheckPage(t, writeComparison(t, exampleComparison()).Bytes(comparison.HTML))
	header := reporttest.TextOf(reporttest.Find(root, "header"))
	for _, part := range []string{"reports/a|b", "10,000", "Paired: both are of the same examples, in 50 groups.", "Failed: 2 of "} {
		require.Contains(t, header, part)
	}
	text := reporttest.TextOf(reporttest.Find(root, "main"))
	for _, part := range []string{
		"0.8000 → 0.8125 ▲ better", `unknown: undefined in \xffb`, "Differences at a glance", "significantly better", "significantly worse", "Slices: f1_macro",
		"Labels: recall", "Slices The first 100 of 121; comparison.csv has all.", "Show all 100 rows", "All metrics of all examples", "a warning",
	} {
		require.Contains(t, text, part)
	}
}
