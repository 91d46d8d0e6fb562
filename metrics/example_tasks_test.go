package metrics_test

import (
	"fmt"
	"log"

	"github.com/beameval/beameval/metrics"
)

// show prints the metrics of a batch.
func show(p metrics.Params, batch *metrics.Batch) {
	partial, err := p.New()
	if err != nil {
		log.Fatal(err)
	}
	partial.Fold(batch, metrics.AllRows(nil, batch.Rows))
	list(p, partial)
}

// list prints the metrics of a partial.
func list(p metrics.Params, partial *metrics.Partial) {
	results, err := p.Evaluate(partial, metrics.Options{PerLabel: metrics.PerLabel{All: true}})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results {
		fmt.Printf("%s %.4f\n", r.Name, r.Number)
	}
}

// Three classes and their probabilities; the last example is predicted wrongly.
func Example_multiclass() {
	batch := &metrics.Batch{
		Rows: 4, Labels: 3,
		Class: []int32{0, 1, 2, 2}, Predicted: []int32{0, 1, 2, 1},
		Probability: []float64{
			0.8, 0.1, 0.1,
			0.2, 0.7, 0.1,
			0.1, 0.3, 0.6,
			0.1, 0.5, 0.4,
		},
	}
	batch.Complete(metrics.Multiclass)
	show(metrics.Params{Task: metrics.Multiclass, Labels: 3, Metrics: []string{"accuracy", "f1_macro", "log_loss"}}, batch)
	// Output:
	// accuracy 0.7500
	// f1_macro 0.7778
	// log_loss 0.5017
}

// Two examples with sets of labels: {0, 2} is predicted as {0}, {1} as {1, 2}.
func Example_multilabel() {
	batch := &metrics.Batch{
		Rows: 2, Labels: 3,
		True:         metrics.Sets{Offset: []int32{0, 2, 3}, Label: []int32{0, 2, 1}},
		PredictedSet: metrics.Sets{Offset: []int32{0, 1, 3}, Label: []int32{0, 1, 2}},
	}
	show(metrics.Params{Task: metrics.Multilabel, Labels: 3, Metrics: []string{"f1_micro", "f1_samples", "hamming_loss", "subset_accuracy"}}, batch)
	// Output:
	// f1_micro 0.6667
	// f1_samples 0.6667
	// hamming_loss 0.3333
	// subset_accuracy 0.0000
}

// Forecasts of three quantiles; one target of two is within the interval from the first to the last.
func Example_forecasts() {
	show(metrics.Params{
		Task: metrics.Regression, QuantileLevels: []float64{0.1, 0.5, 0.9}, NoEstimate: true,
		Metrics: []string{"wis", "interval_coverage@0.8", "interval_width@0.8"},
	}, &metrics.Batch{
		Rows: 2, Target: []float64{12, 30},
		Quantile: []float64{
			8, 11, 15,
			18, 25, 28,
		},
	})
	// Output:
	// wis 2.2333
	// interval_coverage@0.8 0.5000
	// interval_width@0.8 8.5000
}

// A model and its predecessor on the same examples: one that was right is now wrong, two the reverse.
func Example_changes() {
	show(metrics.Params{Task: metrics.Binary, Metrics: []string{"flip_rate", "regression_rate", "improvement_rate", "accuracy_change"}}, &metrics.Batch{
		Rows: 5, Labels: 1,
		Class:     []int32{1, 0, 1, 1, 0},
		Predicted: []int32{1, 0, 0, 1, 0},
		Baseline:  []int32{1, 1, 1, 0, 0},
	})
	// Output:
	// flip_rate 0.6000
	// regression_rate 0.2000
	// improvement_rate 0.4000
	// accuracy_change 0.2000
}

// A model judges eight answers, and people label four of them: the share of right answers follows from the
// judgements, corrected by their errors where there is a label.
func Example_judgements() {
	p := metrics.Params{Task: metrics.Binary, Judged: true, Metrics: []string{"judged_mean", "label_mean", "prediction_powered_mean"}}
	partial, err := p.New()
	if err != nil {
		log.Fatal(err)
	}
	labelled := &metrics.Batch{Rows: 4, Labels: 1, Class: []int32{1, 1, 0, 1}, Predicted: []int32{1, 1, 0, 0}}
	partial.Fold(labelled, metrics.AllRows(nil, labelled.Rows))
	rest := &metrics.Batch{Rows: 4, Labels: 1, Predicted: []int32{1, 1, 1, 0}}
	partial.FoldUnlabelled(rest, metrics.AllRows(nil, rest.Rows))
	list(p, partial)
	// Output:
	// judged_mean 0.6250
	// label_mean 0.7500
	// prediction_powered_mean 0.8214
}

// Three systems: each beats the next twice in three comparisons.
func Example_preferences() {
	const a, b, c = 0, 1, 2
	show(metrics.Params{Task: metrics.Preference, Labels: 3, Metrics: []string{"bradley_terry"}}, &metrics.Batch{
		Rows: 6, Labels: 3,
		First:  []int32{a, a, b, b, b, c},
		Second: []int32{b, b, a, c, c, b},
		Outcome: []metrics.Outcome{
			metrics.FirstWins, metrics.FirstWins, metrics.FirstWins,
			metrics.FirstWins, metrics.FirstWins, metrics.FirstWins,
		},
	})
	// Output:
	// bradley_terry 0.6931
	// bradley_terry 0.0000
	// bradley_terry -0.6931
}

// Three problems, at which a model has had two attempts, four and one.
func Example_grades() {
	show(metrics.Params{Task: metrics.Grading, Grades: metrics.GradeOptions{Booleans: true}, Metrics: []string{"pass_rate", "pass@1", "pass@2", "all_pass@2"}}, &metrics.Batch{
		Rows:        3,
		Grade:       []float64{0, 1, 0, 0, 0, 1, 1},
		GradeOffset: []int32{0, 2, 6, 7},
	})
	// Output:
	// pass_rate 0.5833
	// pass@1 0.5833
	// pass@2 0.7500
	// all_pass@2 0.0000
}

// Four answers, which two people and a model have rated. The model has no rating of the last one.
func Example_raters() {
	show(metrics.Params{Task: metrics.Agreement, Labels: 3, Metrics: []string{"alpha_ordinal", "full_agreement", "agreement_with_others"}}, &metrics.Batch{
		Rows: 4, Labels: 3,
		Rating:       []float64{1, 1, 2, 3, 3, 3, 5, 4, 2, 2, 2},
		Rater:        []int32{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1},
		RatingOffset: []int32{0, 3, 6, 9, 11},
	})
	// Output:
	// alpha_ordinal 0.5942
	// full_agreement 0.5000
	// agreement_with_others 0.6250
	// agreement_with_others 0.6250
	// agreement_with_others 0.3333
}
