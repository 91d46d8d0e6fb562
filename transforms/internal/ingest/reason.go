package ingest

import "fmt"

// Reason is why a row cannot be evaluated.
type Reason struct {
	kind reasonKind
	want int // a length or number of labels, where the kind speaks of one
}

type reasonKind int

const (
	isNullLabel reasonKind = iota
	isNullScore
	isNullPrediction
	isNullWeight
	isNaNScore
	isNotProbability
	isNotFinite
	isNegativeWeight
	wrongLength
	outOfRange
	unknownName
	duplicateLabel
	duplicateIndex
	notBinary
	notIndicator
	noScores
	isNullScores
	unequalLists
	isUnequalScores
	isNegativeProbability
	isWrongSum
	isNullExample
	isNullClass
	isNullItem
	duplicateExample
	duplicateClass
	duplicateItem
	isNegativeRelevance
	severalWeights
	severalSlices
	isNoTruth
)

// reasons says of each kind how it is counted in reports and what to expect.
var reasons = [...]struct{ name, explain string }{
	isNullLabel:      {"null label", "the label is missing"},
	isNullScore:      {"null score", "the score is missing"},
	isNullPrediction: {"null prediction", "the prediction is missing"},
	isNullWeight:     {"null weight", "the weight is missing"},
	isNaNScore:       {"NaN score", "not a number"},
	isNotProbability: {"probability outside [0, 1]", "expected a probability within [0, 1]; set input.score_type to logit or score if these are not probabilities"},
	isNotFinite:      {"not a finite number", "expected a finite number"},
	isNegativeWeight: {"negative weight", "expected a weight of 0 or more"},
	wrongLength:      {"wrong number of values", "expected %d, one for each label"},
	outOfRange:       {"label out of range", "expected a label index from 0 to %d"},
	unknownName:      {"unknown label name", "not one of the %d labels; see labels and labels_file"},
	duplicateLabel:   {"duplicate label", "the list names it twice"},
	duplicateIndex:   {"duplicate label", "the list names it twice; set input.label_encoding to indicator if lists have a 0 or 1 for each label"},
	notBinary:        {"label not 0 or 1", "expected 0 or 1; set positive_label if another value means positive"},
	notIndicator:     {"indicator not 0 or 1", "expected 0 or 1 for each label"},
	noScores:         {"no scores", "without a score no class can be predicted"},
	isNullScores:     {"null score", "the list is missing; where no label has a score, it must be empty"},
	unequalLists:     {"lists of unequal length", "expected a label for each score"},
	isUnequalScores:  {"lists of unequal length", "expected one for each score"},

	isNegativeProbability: {"negative probability of a class", "expected a probability of 0 or more for each class"},
	isWrongSum:            {"label does not add up to 1", "expected probabilities of the classes that add up to 1, within 0.001; divide each by their sum"},

	isNullExample:       {"null example id", "the row does not say which example or query it belongs to"},
	isNullClass:         {"null class", "the row does not say which label it is about"},
	isNullItem:          {"null item", "the id of the item is missing"},
	duplicateExample:    {"duplicate example", "there are several rows of the example; expected one"},
	duplicateClass:      {"duplicate label", "the example has it twice"},
	duplicateItem:       {"duplicate item", "the query has the item twice"},
	isNegativeRelevance: {"negative relevance", "expected a relevance of 0 or more; ranking.negative_relevance: zero would take it as 0"},
	severalWeights:      {"several weights", "expected the same weight in all rows of an example"},
	severalSlices:       {"several slices", "expected the same values of slice columns in all rows of an example"},
	isNoTruth:           {"no truth", "the truth has no row for it; set truth.missing: skip to count and skip such examples"},
}

var (
	nullLabel      = Reason{kind: isNullLabel}
	nullScore      = Reason{kind: isNullScore}
	nullScores     = Reason{kind: isNullScores}
	nullPrediction = Reason{kind: isNullPrediction}
	nullWeight     = Reason{kind: isNullWeight}
	nanScore       = Reason{kind: isNaNScore}
	notProbability = Reason{kind: isNotProbability}
	notFinite      = Reason{kind: isNotFinite}
	negativeWeight = Reason{kind: isNegativeWeight}

	negativeProbability = Reason{kind: isNegativeProbability}
	wrongSum            = Reason{kind: isWrongSum}

	nullClass         = Reason{kind: isNullClass}
	unequalScores     = Reason{kind: isUnequalScores}
	nullItem          = Reason{kind: isNullItem}
	negativeRelevance = Reason{kind: isNegativeRelevance}
)

// Reasons why rows cannot be put together to an example.
var (
	NullExample      = Reason{kind: isNullExample}
	DuplicateExample = Reason{kind: duplicateExample}
	SeveralWeights   = Reason{kind: severalWeights}
	SeveralSlices    = Reason{kind: severalSlices}
	NoTruth          = Reason{kind: isNoTruth}
)

// String names the reason as reports count it.
func (r Reason) String() string { return reasons[r.kind].name }

// Explain says what is wrong with a row and what would be right.
func (r Reason) Explain() string {
	text := reasons[r.kind].explain
	switch r.kind {
	case outOfRange:
		return fmt.Sprintf(text, r.want-1)
	case wrongLength, unknownName:
		return fmt.Sprintf(text, r.want)
	}
	return text
}
