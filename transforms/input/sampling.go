package input

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/beameval/beameval/internal/hash"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms/internal/groupby"
)

// Sampling says that rows were drawn from others, with known probabilities, to be labelled. The column that
// Columns.Weight names, of Spec or of its Truth, has the probability of each row, above 0 and up to 1: a row that was
// drawn with probability π stands for 1/π rows, and weighs as much.
type Sampling struct {
	// Finite says that metrics are about the rows from which others were drawn; otherwise, about the process that made
	// these rows. It changes intervals.
	Finite bool
}

// Stratum is a stratum of rows that were drawn.
type Stratum struct {
	Hash uint64 // of its value; strata are in ascending order
	// Each has the hashes of the values of Confidence.By in the stratum, ascending, if they are few: they are divided into
	// folds of about the same size. Others are divided by their hashes.
	Each []uint64 `json:",omitempty"`
}

// OfTruth reports whether the truth says how rows were drawn, instead of the predictions. s may be nil.
func (s *Sampling) OfTruth(t *Truth) bool { return s != nil && t != nil && t.Columns.Weight != "" }

// HasStrata reports whether each fold is of a stratum. c may be nil.
func (c *Confidence) HasStrata() bool { return c != nil && len(c.Strata) > 0 }

// StratumOf returns the index of the stratum of a fold; it is 0 if there are no Strata.
func (c *Confidence) StratumOf(fold int32) int {
	if !c.HasStrata() {
		return 0
	}
	return int(fold) / c.foldsOfStratum()
}

func (c *Confidence) foldsOfStratum() int { return (c.Folds - c.Rest) / len(c.Strata) }

// DividerOfStratum returns what divides the values of a stratum that are not few.
func (c *Confidence) DividerOfStratum() hash.Divider {
	return hash.NewDivider(c.foldsOfStratum(), c.Seed)
}

// OfNoStratum returns the fold of rows of no stratum: the first of Rest or, if there is none, of all.
func (c *Confidence) OfNoStratum() int {
	if c.Rest == 0 {
		return 0
	}
	return c.Folds - c.Rest
}

// FoldIn returns the fold of a row, given the hashes of its stratum and of its value of By, or false if the stratum
// is unknown, as it is for rows that were not drawn.
func (c *Confidence) FoldIn(stratum, value uint64, by hash.Divider) (fold uint64, known bool) {
	h, known := slices.BinarySearchFunc(c.Strata, stratum, func(of Stratum, hash uint64) int { return cmp.Compare(of.Hash, hash) })
	if !known {
		return uint64(c.OfNoStratum()), false
	}
	folds, each := c.foldsOfStratum(), c.Strata[h].Each
	at, listed := slices.BinarySearch(each, value)
	switch {
	case !listed:
		fold = by.Part(value)
	case len(each) > folds:
		fold = uint64(at * folds / len(each))
	default:
		fold = uint64(at)
	}
	return uint64(h*folds) + fold, true
}

// Strata collects the strata of rows that were drawn. Several goroutines may use it at once, and the zero value is ready.
type Strata struct {
	mu     sync.Mutex
	strata map[uint64]*drawnStratum
}

type drawnStratum struct {
	values      map[uint64]bool
	many        bool
	probability float64
	uneven      bool
}

// fewValues is the number of values of a stratum up to which they are divided evenly.
const fewValues = unevenly * MostFoldsOfStrata / 2

// Add adds rows: columns of strata, or nil if there is one, of the probabilities, and of the values that divide rows. Rows
// without a label, whose column may be nil, were not drawn. It returns the index of a row that was drawn from no stratum, and an
// error.
func (s *Strata) Add(rows int, stratum, probability, by, label *columns.Column) (row int, err error) {
	strata, values := make([]uint64, rows), groupby.Hash(nil, by)
	if stratum != nil {
		strata = groupby.Hash(nil, stratum)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.strata == nil {
		s.strata = map[uint64]*drawnStratum{}
	}
	for r, h := range strata {
		if probability.IsNull(r) || by.IsNull(r) || label != nil && label.IsNull(r) {
			continue
		}
		if stratum != nil && stratum.IsNull(r) {
			return r, errors.New("the row was drawn with a probability, but from no stratum")
		}
		of := s.strata[h]
		if of == nil {
			of = &drawnStratum{values: map[uint64]bool{}, probability: probability.Number(r)}
			if s.strata[h] = of; len(s.strata) > MostStrata {
				return r, fmt.Errorf("there are more than %d strata: join some of them", MostStrata)
			}
		}
		of.uneven = of.uneven || probability.Number(r) != of.probability
		if of.many {
			continue
		}
		if of.values[values[r]] = true; len(of.values) > fewValues {
			of.many, of.values = true, nil
		}
	}
	return 0, nil
}

// MostStrata is the largest number of strata, and MostFoldsOfStrata the largest number of folds of all of them together,
// unless people set another.
const (
	MostStrata        = 500
	MostFoldsOfStrata = 200
)

// Uneven reports whether rows of one stratum were drawn with different probabilities.
func (s *Strata) Uneven() bool {
	for _, of := range s.strata {
		if of.uneven {
			return true
		}
	}
	return false
}

// Len returns the number of strata.
func (s *Strata) Len() int { return len(s.strata) }

// Divided returns the strata, each divided into folds.
func (s *Strata) Divided(folds int) (list []Stratum) {
	for _, h := range slices.Sorted(maps.Keys(s.strata)) {
		of := Stratum{Hash: h}
		if values := s.strata[h].values; len(values) <= unevenly*folds {
			of.Each = slices.Sorted(maps.Keys(values))
		}
		list = append(list, of)
	}
	return list
}

// unevenly is the number of values for each fold above which their hashes divide them well enough.
const unevenly = 4
