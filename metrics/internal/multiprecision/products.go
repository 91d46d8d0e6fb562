package multiprecision

import (
	"math"
	"math/big"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Products is the sum of products w·x·y, which nothing rounds, so that variances are correct even if the
// mean dwarfs the deviation. The zero Products is empty and ready to use.
type Products struct {
	sum exact.Sum
	// tiny and huge hold the products that are too small or too large for float64, multiplied by
	// 2^bandShift and 2^-bandShift.
	tiny, huge exact.Sum
}

// ProductsOf returns the sum of products that need no scaling.
func ProductsOf(sum exact.Sum) Products { return Products{sum: sum} }

// Products from leastProduct to mostProduct need no scaling.
const (
	leastProduct, mostProduct = 0x1p-500, 0x1p500
	bandShift                 = 1100
)

// Add adds w·x·y.
func (s *Products) Add(w, x, y float64) {
	p := float64(x * y)
	if size := math.Abs(p); (size < leastProduct || size > mostProduct) && x != 0 && y != 0 {
		s.addFar(w, x, y)
		return
	}
	if w == 1 {
		s.sum.AddProduct(x, y)
		return
	}
	addParts(&s.sum, w, p, math.FMA(x, y, -p))
}

// addFar adds a product to the sum of the tiny or of the huge products.
func (s *Products) addFar(w, x, y float64) {
	to, shift := &s.tiny, bandShift
	fx, ex := math.Frexp(x)
	fy, ey := math.Frexp(y)
	if ex+ey > 0 {
		to, shift = &s.huge, -bandShift
	}
	p := float64(fx * fy)
	e := math.FMA(fx, fy, -p)
	addParts(to, w, math.Ldexp(p, ex+ey+shift), math.Ldexp(e, ex+ey+shift))
}

// addParts adds w·p and w·e. If p is infinite, e is ignored.
func addParts(to *exact.Sum, w, p, e float64) {
	to.AddProduct(w, p)
	if e != 0 && !math.IsInf(p, 0) && !math.IsNaN(p) {
		to.AddProduct(w, e)
	}
}

// Ordinary returns the whole sum, or nil if products had to be scaled.
func (s *Products) Ordinary() *exact.Sum {
	if s.tiny.Empty() && s.huge.Empty() {
		return &s.sum
	}
	return nil
}

// Infinite returns the sum, which is infinite or NaN, if Big returns nil.
func (s *Products) Infinite() float64 { return s.sum.Float64() + s.huge.Float64() }

// Big returns the exact sum, or nil if a value is infinite.
func (s *Products) Big() *big.Float {
	total := Zero()
	for _, band := range []struct {
		sum   *exact.Sum
		shift int
	}{{&s.sum, 0}, {&s.tiny, -bandShift}, {&s.huge, bandShift}} {
		v, finite := band.sum.Big()
		if !finite {
			return nil
		}
		total.Add(total, v.SetMantExp(v, band.shift))
	}
	return total
}

// Fields lists the fields.
func (s *Products) Fields(v *fields.Visitor, from *Products) {
	fields.Visit(v, &s.sum, &from.sum)
	fields.Visit(v, &s.tiny, &from.tiny)
	fields.Visit(v, &s.huge, &from.huge)
}
