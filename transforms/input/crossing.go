package input

// Crossing says what is done about a row whose forecasts of quantiles, or bounds of an interval, decrease with
// the level.
type Crossing string

// The crossings. Without one, such rows are bad.
const (
	FailCrossing Crossing = "fail" // the row is bad
	SortCrossing Crossing = "sort" // they are sorted; the median, if it is the prediction, is that of the sorted ones
	KeepCrossing Crossing = "keep" // they are evaluated as they are, as in scikit-learn and scoringrules
)
