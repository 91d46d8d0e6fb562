package reporttest

import (
	"encoding/json"
	"math"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/findings"
	"github.com/beameval/beameval/io/slice"
)

// ConfidenceReport has values with every kind of confidence.
func ConfidenceReport() *report.Report {
	nan, de, hostile := math.NaN(), Key("country", slice.String("de")), Key("caf\xe9", slice.String("\xff"))
	r := &report.Report{
		Task:     "multilabel",
		Rows:     report.RowCounts{Read: 100, Evaluated: 100},
		Examples: 100,
		Labels:   []string{"sunset", "caf\xe9"},
		Config:   json.RawMessage(`{}`),
		Confidence: &report.Folding{
			Level: 0.95, Folds: 4, By: "user\xff_id", Seed: math.MaxUint64, Clustered: true,
			Digests: []report.FoldDigest{{Rows: 30, Digest: 1}, {Rows: 40, Digest: math.MaxUint64}, {}, {Rows: 30, Digest: 0x123456789abcdef0}},
		},
	}
	interval := func(low, high float64) *report.Confidence {
		return &report.Confidence{Low: low, High: high, StdError: math.Round((high-low)*25) / 100, DOF: 2.5, Folds: 3, Method: "jackknife"}
	}
	warned := interval(1000, 1500)
	warned.Warning = "=a hostile warning\xff"
	none := func(stdError float64, reason string) *report.Confidence {
		return &report.Confidence{Low: nan, High: nan, StdError: stdError, DOF: nan, Folds: 1, NoInterval: reason}
	}
	r.Metrics = []report.Row{
		{Name: "f1_macro", Value: 0.93478, Confidence: interval(0.92478, 0.94378), Replicates: []float64{0.93, 0.94, 1. / 3}, Weights: []float64{30, 40.5, 30}, Support: 100},
		{Name: "f1_micro", Value: 0.87, Undefined: "1 of 2 labels undefined", Confidence: interval(0.73, 0.944), Replicates: []float64{0.5, nan, math.Inf(1)}, Support: 100},
		{Name: "subset_accuracy", Value: 1, Confidence: &report.Confidence{Low: 0.9812, High: 1, StdError: nan, DOF: nan, Folds: 3, Method: "wilson"}, Replicates: []float64{1, 1, 1}, Support: 100},
		{Name: "hamming_loss", Value: 1234.5, Confidence: warned, Support: 100},
		{Name: "lrap", Value: math.Copysign(0, -1), Confidence: none(math.Copysign(0, -1), "no variation"), Replicates: []float64{0, 0, math.Copysign(0, -1)}, Support: 100},
		{Name: "ece", Value: 0.04, Confidence: none(0.01, "biased"), Support: 100},
		{Name: "roc_auc_macro", Value: nan, Undefined: "one class absent", Confidence: none(nan, "few groups"), Support: 100},
		{Name: "average_precision_macro", Value: 0.5, Bounds: &report.Bounds{Low: 0.499, High: 0.501}, Confidence: interval(0.4, 0.6), Support: 100},
		{Name: "recall", Label: Ptr("sunset"), Value: 0.5, Confidence: interval(0.3, 0.7), Replicates: []float64{0.5, 0.25, 0.75}, Support: 10},
		{Name: "recall", Label: Ptr("caf\xe9"), Value: 0.5, Confidence: none(nan, "=a hostile reason\xff"), Replicates: []float64{0.5, 0.25, 0.75}, Support: 10},
		{Name: "f1_macro", Slice: de, Value: 0.9, Confidence: interval(0.89999, 0.90001), Replicates: []float64{0.9, 0.8}, Support: 60},
		{Name: "subset_accuracy", Slice: de, Value: 2e-5, Confidence: interval(1e-5, 3e-5), Replicates: []float64{1e-5, 2e-5, 3e-5}, Support: 60},
		{Name: "tp", Slice: de, Label: Ptr("sunset"), Value: 7, Support: 60},
		{Name: "f1_macro", Slice: hostile, Value: 0.9, Confidence: none(nan, "few groups"), Replicates: []float64{nan}, Support: 1},
	}
	r.Findings = []findings.Finding{
		{
			Name: findings.WorstSlice, Message: "country=de: f1_macro 0.900, all examples 0.935 (difference −0.035 ± 0.011); 60 % of examples", Metric: Ptr("f1_macro"), Slice: de, See: "slices",
			Values: map[string]float64{"value": 0.9, "rest": 0.93478, "difference": -0.03478, "ci_low": -0.045, "ci_high": -0.02456, "support": 60},
		},
		{Name: "never_predicted", Message: "<b>caf\xc3\xa9</b>\nis never predicted", Label: Ptr("caf\xe9"), See: "labels"},
		{Name: "volume", Message: "There are 100 examples, 50 % fewer than in the baseline", See: "no such section"},
	}
	for i := range r.Metrics {
		r.Metrics[i].Folds = [][]int32{nil, {3}, {0, 3}, {0, 1, 3}}[len(r.Metrics[i].Replicates)]
	}
	return r
}
