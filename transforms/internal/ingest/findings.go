package ingest

// Findings are what converters notice about rows besides bad ones. They can be
// merged in any order.
type Findings struct {
	// Clipped counts the probabilities that were outside [0, 1] by the tolerance or
	// less; Excess is by how much at most.
	Clipped int64   `json:",omitempty"`
	Excess  float64 `json:",omitempty"`
	// Negative counts the negative relevances that were taken as 0.
	Negative int64 `json:",omitempty"`
}

// Merge adds what another converter found.
func (f *Findings) Merge(from *Findings) {
	f.Clipped += from.Clipped
	f.Excess = max(f.Excess, from.Excess)
	f.Negative += from.Negative
}

func (f *Findings) clip(excess float64) {
	f.Clipped++
	f.Excess = max(f.Excess, excess)
}
