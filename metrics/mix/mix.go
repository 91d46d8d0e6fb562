// Package mix divides the difference between two values of a metric into mix and performance: what comes
// from other shares of slices in the examples, and what comes from other behaviour within the slices.
//
// A metric m of examples A, whose slices have the shares of B, is written m(A|B). On the way from A to B, either
// the shares change first or the behaviour does. The parts are the means of both ways (Shapley's values of two):
//
//	m(A) ──mix──► m(A|B) ──performance──► m(B)
//	m(A) ──performance──► m(B|A) ──mix──► m(B)
//
// Of a metric that is a mean over examples, they are the parts of Kitagawa (1955), which are sums over slices.
package mix

// Side is one of two sets of examples, which are divided into the same slices.
type Side struct {
	// Shares of the slices in all examples add up to 1.
	Shares []float64
	// Metric returns the value of the metric if the slices had other shares.
	Metric func(shares []float64) float64
}

// Parts of a difference add up to it.
type Parts struct{ Mix, Performance float64 }

// Divide returns the parts of the metric of b minus the metric of a. If the shares are the same, mix is 0.
func Divide(a, b Side) Parts {
	ofA, ofB := a.Metric(a.Shares), b.Metric(b.Shares)
	aWithB, bWithA := a.Metric(b.Shares), b.Metric(a.Shares)
	return Parts{
		Mix:         float64((aWithB-ofA)/2) + float64((ofB-bWithA)/2),
		Performance: float64((ofB-aWithB)/2) + float64((bWithA-ofA)/2),
	}
}

// OfMeans returns, for each slice, the parts of a difference of means over examples that come from the slice. They
// add up to the parts of the difference. In a slice, a and b are the means, and whole is a mean of all examples:
// more examples of a slice raise a mean if the slice is above it, and lower it if the slice is below.
func OfMeans(sharesA, sharesB, a, b []float64, whole float64) []Parts {
	parts := make([]Parts, len(a))
	for i := range parts {
		parts[i] = Parts{
			Mix:         float64((sharesB[i] - sharesA[i]) * (float64((a[i]+b[i])/2) - whole)),
			Performance: float64((sharesA[i] + sharesB[i]) / 2 * (b[i] - a[i])),
		}
	}
	return parts
}
