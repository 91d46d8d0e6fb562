package ingest

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/transforms/input"
)

// Bad is a row that cannot be evaluated, with the first problem found in it.
type Bad struct {
	Row     int // within the batch
	Element int // the index in the list of the row; -1 if no single element is bad
	Side    input.Side
	Column  string // the name of the input column
	Value   string // as found
	Reason  Reason

	labels int // the number of labels of the column
}

// DescribeValue returns the value, with its index if it is an element of a list.
func (b *Bad) DescribeValue() string {
	if b.Element < 0 {
		return b.Value
	}
	return fmt.Sprintf("%s (element %d)", b.Value, b.Element)
}

// Explain says what is wrong with the row and what would be correct.
func (b *Bad) Explain(names settings.Names) string {
	percent, fraction := "", ""
	if x, err := strconv.ParseFloat(b.Value, 64); err == nil {
		if x > 2 && x <= 100 { // up to 2, it may be an error of rounding
			percent = "divide by 100 if these are percentages, or "
		}
		if x != math.Trunc(x) && !math.IsNaN(x) {
			fraction = "; a class is a whole number, a boolean or a text, so write 0.5 as a text such as \"grade 0.5\", or set task to regression"
		}
	}
	return strings.NewReplacer(
		"{percent}", percent, "{fraction}", fraction, "{labels}", strconv.Itoa(b.labels), "{last}", strconv.Itoa(b.labels-1), "{setting}", names.Of(settingOf[b.Reason]),
	).Replace(reasons[b.Reason].explain)
}

// Reason says why a row cannot be evaluated. If the elements of a list are in no meaningful order,
// the lowest reason counts.
type Reason int

// The exported reasons say why rows cannot be joined into an example.
const (
	nullLabel Reason = iota
	nullScore
	nullPrediction
	nullWeight
	nanScore
	notProbability
	notFinite
	wrongLength
	outOfRange
	unknownName
	duplicateLabel
	duplicateIndex
	notBinary
	notIndicator
	noScores
	nullScores
	unequalLists
	unequalScores
	negativeProbability
	wrongSum
	NullExample
	nullClass
	nullItem
	DuplicateExample
	duplicateClass
	duplicateItem
	negativeRelevance
	SeveralWeights
	SeveralSlices
	NoTruth
	NoBaseline
	nullCluster
	inexact
	nullRole // of the first role; see nullOf
)

// outsideRole is the reason for a number outside the range of the first role; see outsideOf.
const outsideRole = nullRole + Reason(roles.Count)

// These reasons come after the reasons for a null and for a number out of range, one for each role.
const (
	fewForecasts = outsideRole + Reason(roles.Count) + iota
	decreasing
	sameSystem
	notOutcome
	fewAttempts
	severalLabels
	notDrawn
	ratedTwice
	unequalGrades
)

// others are the reasons that are not of roles. For {setting} see settingOf.
var others = [...]explained{
	nanScore:       {"NaN score", "not a number"},
	notProbability: {"probability outside [0, 1]", "expected a probability within [0, 1]; {percent}set {setting} if these are not probabilities"},
	notFinite:      {"not a finite number", "expected a finite number"},
	wrongLength:    {"wrong number of values", "expected {labels}, one for each label"},
	outOfRange:     {"label out of range", "expected a label index from 0 to {last}{fraction}"},
	unknownName:    {"unknown label name", "not one of the {labels} labels; see {setting}"},
	duplicateLabel: {"duplicate label", "the list names it twice"},
	duplicateIndex: {"duplicate label", "the list names it twice; set {setting} if lists have a 0 or 1 for each label"},
	notBinary:      {"label not 0 or 1", "expected 0 or 1; set {setting} if another value means positive"},
	notIndicator:   {"indicator not 0 or 1", "expected 0 or 1 for each label"},
	noScores:       {"no scores", "expected a score for at least one class, to predict a class from"},
	nullScores:     {"null score", "the list is missing; where no label has a score, it must be empty"},
	unequalLists:   {"lists of unequal length", "expected a label for each score"},
	unequalScores:  {"lists of unequal length", "expected one value for each score"},

	negativeProbability: {"negative probability of a class", "expected a probability of 0 or more for each class"},
	wrongSum:            {"label does not add up to 1", "expected probabilities of the classes that add up to 1, within 0.001; divide each by their sum"},

	NullExample:       {"null example id", "the row does not say which example or query it belongs to"},
	DuplicateExample:  {"duplicate example", "there are several rows of the example; expected one"},
	duplicateClass:    {"duplicate label", "the example has it twice"},
	duplicateItem:     {"duplicate item", "the query has the item twice"},
	negativeRelevance: {"negative relevance", "expected a relevance of 0 or more; set {setting} to count it as 0"},
	SeveralWeights:    {"several weights", "expected the same weight in all rows of an example"},
	SeveralSlices:     {"several slices", "expected the same values of slice columns, and of {setting}, in all rows of an example"},
	inexact:           {"number too long for float64", "expected a number that float64 holds exactly, as it does all integers up to 2^53; subtract the same number from labels and predictions, or convert them to double"},
	nullCluster:       {"null cluster", "the row does not say which cluster it is in; see {setting}"},
	fewForecasts:      {"wrong number of forecasts", "expected {labels}, one for each quantile"},
	decreasing:        {"quantiles out of order", "expected forecasts of higher quantiles, or upper bounds, that are not below those of lower ones, or set {setting}"},
	fewAttempts:       {"too few attempts", "expected as many as metrics need, the largest k of those named …@k; see {setting}"},
	severalLabels:     {"several labels", "expected the same label in all rows of an example"},
	notDrawn:          {"sampling probability outside (0, 1]", "expected the probability with which the row was drawn, above 0 and up to 1"},
	ratedTwice:        {"several ratings of a rater", "expected one rating of each rater in all rows of an example"},
	unequalGrades:     {"lists of unequal length", "expected each further grade of each attempt"},
	sameSystem:        {"system compared with itself", "expected two different systems"},
	notOutcome:        {"unknown outcome", "expected a if the first system wins, b if the second does, or tie (or model_a, model_b, tie (bothbad), both_bad)"},
	NoBaseline:        {"no prediction of the baseline", "the baseline has no row for it; set {setting} to count and skip such examples"},
	NoTruth:           {roles.NoTruth, "the truth has no row for it; set {setting} to count and skip such examples"},
}

// early are the reasons for null values in roles that count before others.
var early = map[roles.Role]Reason{
	roles.Label: nullLabel, roles.ScoreLabel: nullLabel, roles.Score: nullScore, roles.Prediction: nullPrediction, roles.Weight: nullWeight,
	roles.Class: nullClass, roles.Item: nullItem,
}

// nullOf returns the reason for a null value in a role. Roles may have one in common.
func nullOf(r roles.Role) Reason {
	if why, is := early[r]; is {
		return why
	}
	first := r
	for other := range roles.All() {
		if other < first && other.Of().Null == r.Of().Null {
			first = other
		}
	}
	return nullRole + Reason(first)
}

// outsideOf returns the reason for a number outside the range of a role.
func outsideOf(r roles.Role) Reason { return outsideRole + Reason(r) }

// reasons holds the name of each reason in reports, and what was expected.
var reasons = func() (all [unequalGrades + 1]explained) {
	copy(all[:], others[:])
	for r := range roles.All() {
		all[nullOf(r)], all[outsideOf(r)] = explained{r.Of().Null, r.Of().Missing}, explained{r.Of().Range.Outside, r.Of().Range.Expected}
	}
	return all
}()

type explained struct{ name, explain string }

// settingOf says, for a reason, what people may have to set.
var settingOf = map[Reason]settings.Setting{
	notProbability:    settings.OtherScores,
	unknownName:       settings.Labels,
	duplicateIndex:    settings.IndicatorEncoding,
	notBinary:         settings.PositiveLabel,
	negativeRelevance: settings.NegativeIsZero,
	decreasing:        settings.Crossing,
	fewAttempts:       settings.FewAttempts,
	SeveralSlices:     settings.GroupedBy,
	nullCluster:       settings.GroupedBy,
	NoTruth:           settings.SkipMissing,
	NoBaseline:        settings.SkipWithoutBaseline,
}

// String names the reason as reports count it.
func (r Reason) String() string { return reasons[r].name }
