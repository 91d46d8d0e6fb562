package metrics

import (
	"math"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// residuals totals what regression metrics are made of. With y the target, p
// the estimate and w the weight, r = y - p.
type residuals struct {
	sums [numMoments]exact.Sum
	// largest is the largest |r|.
	largest float64
	// belowLog counts rows with y or p <= -1, whose logarithm log(1+x) is
	// undefined; belowPoisson those with y < 0 or p <= 0.
	belowLog, belowPoisson int64
}

type moment int

const (
	momentY          moment = iota // Σ w y
	momentP                        // Σ w p
	momentR                        // Σ w r
	momentSize                     // Σ w |r|
	momentYY                       // Σ w y²
	momentPP                       // Σ w p²
	momentYP                       // Σ w y p
	momentRR                       // Σ w r²
	momentPercentage               // Σ w |r| / max(|y|, ε)
	momentSymmetric                // Σ w 2|r| / (|y|+|p|)
	momentLog                      // Σ w (log(1+y) - log(1+p))²
	momentPoisson                  // Σ w 2 (y log(y/p) - y + p)
	numMoments
)

func (s *residuals) fold(b *Batch, rows []int32) {
	for _, i := range rows {
		w := b.weight(i)
		if w == 0 {
			continue
		}
		y, p := b.Target[i], b.Estimate[i]
		r := y - p
		size := math.Abs(r)
		s.largest = max(s.largest, size)
		s.addOne(momentY, w, y)
		s.addOne(momentP, w, p)
		s.addOne(momentR, w, r)
		s.addOne(momentSize, w, size)
		s.addTwo(momentYY, w, y, y)
		s.addTwo(momentPP, w, p, p)
		s.addTwo(momentYP, w, y, p)
		s.addTwo(momentRR, w, r, r)
		s.sums[momentPercentage].Add(float64(w * (size / max(math.Abs(y), epsilon))))
		if r != 0 {
			s.sums[momentSymmetric].Add(float64(w * (2 * (size / (math.Abs(y) + math.Abs(p))))))
		}
		if y <= -1 || p <= -1 {
			s.belowLog++
		} else {
			d := math.Log1p(y) - math.Log1p(p)
			s.sums[momentLog].Add(float64(w * float64(d*d)))
		}
		switch {
		case y < 0 || p <= 0:
			s.belowPoisson++
		case y == 0:
			s.sums[momentPoisson].Add(float64(w * float64(2*p)))
		default:
			s.sums[momentPoisson].Add(float64(w * (2 * (float64(y*math.Log(y/p)) - r))))
		}
	}
}

// epsilon is the machine epsilon, which scikit-learn's percentage error uses
// as the smallest denominator.
const epsilon = 0x1p-52

// addOne adds w·x, exactly.
func (s *residuals) addOne(m moment, w, x float64) {
	if w == 1 {
		s.sums[m].Add(x)
		return
	}
	s.sums[m].AddProduct(w, x)
}

// addTwo adds w·x·y, exactly, so that variances come out right even where the
// mean dwarfs the deviation.
func (s *residuals) addTwo(m moment, w, x, y float64) {
	if w == 1 {
		s.sums[m].AddProduct(x, y)
		return
	}
	p := float64(x * y)
	s.sums[m].AddProduct(w, p)
	if e := math.FMA(x, y, -p); e != 0 && !math.IsInf(p, 0) {
		s.sums[m].AddProduct(w, e)
	}
}

func (s *residuals) merge(from statistic) {
	f := from.(*residuals)
	for m := range s.sums {
		s.sums[m].Merge(&f.sums[m])
	}
	s.largest = max(s.largest, f.largest)
	s.belowLog += f.belowLog
	s.belowPoisson += f.belowPoisson
}

func (s *residuals) append(dst []byte) []byte {
	for m := range s.sums {
		dst = s.sums[m].Append(dst)
	}
	largest := s.largest
	if math.IsNaN(largest) {
		largest = math.NaN() // one NaN, whatever the processor makes of Inf - Inf
	}
	dst = wire.AppendFloat(dst, largest)
	return wire.AppendUint(wire.AppendUint(dst, uint64(s.belowLog)), uint64(s.belowPoisson))
}

func (s *residuals) decode(d *wire.Decoder) {
	for m := range s.sums {
		s.sums[m].Decode(d)
	}
	if s.largest = d.Float(); math.Signbit(s.largest) && !math.IsNaN(s.largest) {
		d.Fail("residuals: %v is no distance", s.largest)
	}
	s.belowLog, s.belowPoisson = int64(d.Count(math.MaxInt64)), int64(d.Count(math.MaxInt64))
}

func (s *residuals) fits(*Params) bool { return true }

func (s *residuals) reset() {
	for m := range s.sums {
		s.sums[m].Reset()
	}
	s.largest, s.belowLog, s.belowPoisson = 0, 0, 0
}
