package roles

import (
	"errors"
	"fmt"
	"strings"
)

// Given says what an evaluation has.
type Given struct {
	Task Task
	Has  Set  // the roles with a column
	Rows bool // each label or item of an example is a row, so that a class says which label a score is of
	// Scores and Sparse say that there are scores, of some labels only. Metrics know this without
	// columns.
	Scores, Sparse bool
}

// rule is a rule about roles and tasks. {role} in its text is what people set for the role.
type rule struct {
	at     Role // the column that is one too many, or too few
	broken func(Given) bool
	why    string
}

var rules = []rule{
	{A, func(g Given) bool { return g.Task == Preference && !g.Has.Has(A, B) }, "no columns of the two systems: set {a} and {b}"},
	{Score, func(g Given) bool { return g.Task == Preference && (g.Scores || g.Has.HasAny(Score, Prediction)) },
		"a preference has neither scores nor predictions: leave {score} and {prediction} out"},
	{Label, func(g Given) bool { return g.Task == Grading && g.Has.Has(Label) && !g.Has.Has(Answer) }, "a grade is the result itself, and only answers are compared with a label: leave {label} out, or set {answer}"},
	{Answer, func(g Given) bool { return g.Task == Grading && g.Has.Has(Answer) && !g.Has.Has(Label) }, "answers are compared with a label, and there is none: set {label}"},
	{Raters, func(g Given) bool { return g.Task == Agreement && !g.Has.Has(Raters) && !g.Has.Has(Rater, Grade) }, "no ratings: set {raters}, or {rater} and {grade}"},
	{Raters, func(g Given) bool { return g.Task == Agreement && g.Has.Has(Raters) && g.Has.HasAny(Rater, Grade) }, "ratings have a column of each rater, or a row each: set {raters}, or {rater} and {grade}"},
	{Label, func(g Given) bool { return g.Task == Agreement && (g.Scores || g.Has.HasAny(Label, Score, Prediction)) },
		"raters are compared with each other: leave {label}, {score} and {prediction} out, or make them one of {raters}"},
	{Score, func(g Given) bool { return g.Task == Grading && (g.Scores || g.Has.HasAny(Score, Prediction)) },
		"grades are there already: leave {score} and {prediction} out"},
	{Prediction, func(g Given) bool { return g.Task == Regression && !g.Has.HasAny(Prediction, Quantiles, Ensemble) }, "regression needs a prediction column: set {prediction}"},
	{BaselinePrediction, func(g Given) bool {
		return g.Task == Regression && g.Has.Has(BaselinePrediction) && !g.Has.Has(Prediction)
	},
		"predictions of a baseline are compared with predictions, and there are none: set {prediction}"},
	{Scale, func(g Given) bool { return g.Task == Regression && g.Has.Has(Scale) && !g.Has.Has(Prediction) },
		"errors of predictions are divided by {scale}, and there are none: set {prediction}"},
	{Score, func(g Given) bool { return g.Task == Regression && (g.Scores || g.Has.Has(Score)) }, "a regression has no scores: leave {score} out, and set {prediction}"},
	{Prediction, func(g Given) bool { return g.Task == Ranking && g.Has.Has(Prediction) }, "a ranking has no predictions: leave {prediction} out"},
	{ScoreLabel, func(g Given) bool { return g.Has.Has(ScoreLabel) && !g.Has.Has(Score) }, "{score_label} says which labels the scores are of, and there are none: set {score}"},
	{ScoreLabel, func(g Given) bool { return g.Has.Has(ScoreLabel) && g.Task&(Multiclass|Multilabel) == 0 }, "scores by label are for tasks multiclass and multilabel, the task is {task}: leave {score_label} out"},
	{ScoreLabel, func(g Given) bool { return g.Sparse && g.Has.Has(Score) && !g.Has.Has(ScoreLabel) && !g.Rows },
		"scores are sparse, and nothing says which labels they are of: set {score_label}"},
	{BaselineScore, func(g Given) bool {
		return g.Has.Has(BaselineScore) && g.Task&^BaselineScore.Of().Tasks == 0 && !g.Scores && !g.Has.Has(Score)
	},
		"scores of a baseline are compared with scores, and there are none: set {score}, or {baseline_prediction} instead of {baseline_score}"},
	{BaselineScore, Given.sparseBaseline,
		"a baseline has a score for every label, and scores are sparse: leave {baseline_score} out, and set {baseline_prediction}"},
	{CostFP, func(g Given) bool { return g.Has.Has(CostFP) && !g.Has.Has(CostFN) }, "an error may also be a false negative: set {cost_fn}"},
	{CostFN, func(g Given) bool { return g.Has.Has(CostFN) && !g.Has.Has(CostFP) }, "an error may also be a false positive: set {cost_fp}"},
	{SamplingStratum, func(g Given) bool { return g.Has.Has(SamplingStratum) && !g.Has.Has(SamplingProbability) },
		"rows of a stratum were drawn with some probability: set {sampling_probability}"},
	{SamplingProbability, func(g Given) bool { return g.Has.Has(SamplingProbability) && g.Has.Has(Weight) },
		"rows that were drawn weigh 1 / {sampling_probability}, and have no other weight: set {weight} or {sampling_probability} to null"},
}

func (g Given) sparseBaseline() bool {
	return g.Has.Has(BaselineScore) && (g.Sparse || g.Has.Has(ScoreLabel))
}

// OwnNeeds returns the needs by which a task that has some columns can be told from others.
func (t Task) OwnNeeds(has Set) Set {
	needs := t.Needs() &^ SetOf(Label, Score)
	if t == Agreement && !has.Has(Raters) {
		needs |= SetOf(Rater, Grade)
	}
	return needs
}

// Lacks returns the roles without which the task cannot be evaluated, and that have no column.
func (g Given) Lacks() Set { return g.Task.Needs() &^ g.Has }

// Check is CheckTask and then CheckRules.
func (g Given) Check(set func(Role) string) (Role, error) {
	if r, err := g.CheckTask(); err != nil {
		return r, fmt.Errorf("%s: %w", set(r), err)
	}
	return g.CheckRules(set)
}

// CheckTask returns an error if a column is of another task, and its role. It does not name the role.
func (g Given) CheckTask() (Role, error) {
	for r := range g.Has.All() {
		if tasks := r.Of().Tasks; g.Task != 0 && tasks != 0 && tasks&g.Task == 0 {
			return r, fmt.Errorf("only for task %s, the task is %s", tasks.or(), g.Task.or())
		}
	}
	return 0, nil
}

// CheckRules returns an error for the first rule that is broken, and the role that it is about: a
// column is missing, or contradicts another. set says what people set for a role.
func (g Given) CheckRules(set func(Role) string) (Role, error) {
	g.Sparse = g.Sparse && g.Task&(Multiclass|Multilabel) != 0
	for i := range rules {
		if rules[i].broken(g) {
			return rules[i].at, errors.New(rules[i].explain(g.Task, set))
		}
	}
	return 0, nil
}

func (r *rule) explain(task Task, set func(Role) string) string {
	names := []string{"{task}", task.or()}
	for r := range All() {
		names = append(names, "{"+r.String()+"}", set(r))
	}
	return strings.NewReplacer(names...).Replace(r.why)
}

func (t Task) or() string {
	var names []string
	for i, name := range TaskNames {
		if t&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}
