package runs

// Point says how much of a slice scores at least as high as one of its scores.
// Weights are rounded once, from exact sums.
type Point struct {
	Slice          int32
	Score          float64
	TP, FP         float64 // weights of the positives and of the negatives with this score or a higher one
	TPRows, FPRows int64   // how many these are
	// Classes are those of the slice's examples with this very score, ascending.
	// It is nil unless the sweep has Classes.
	Classes []ClassWeight
}

// ClassWeight is the examples of a class: their total weight and their number.
type ClassWeight struct {
	Class  int32
	Weight float64
	Rows   int64
}
