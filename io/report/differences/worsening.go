package differences

// Worsening says what a change for the worse of a metric is.
type Worsening string

// The changes for the worse.
const (
	Drop   Worsening = "drop"   // higher values are better
	Rise   Worsening = "rise"   // lower values are better
	Either Worsening = "change" // values near a target are better, or none is
)

// Worsenings returns every change for the worse.
func Worsenings() []Worsening { return []Worsening{Drop, Rise, Either} }
