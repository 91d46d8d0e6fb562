package ranges

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/scoreruns"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// Scores that are kept in files, from which curves of more examples are traced, do not depend on how the work was
// divided: they are sorted, tuples are numbered in order, and every run but the last has as many examples.

// Kept are scores in the form in which files have them.
type Kept struct {
	Table []byte   // a sliceTable; the tags of the runs are tuple·classes + class
	Runs  [][]byte // from the highest score to the lowest
	Knots []uint64 // the image of every knotEvery-th score, from which bounds of ranges are chosen
}

const (
	keptRun   = 1 << 16 // the examples of a run
	knotEvery = 1 << 12
)

// Keep returns the scores of pieces, in any order, without the slices that leave reports by their keys.
func Keep(p *metrics.Params, rangeBytes int, pieces []Piece, leave func(slice string) bool) (*Kept, error) {
	k := &keeper{classes: p.CurveClasses(), labels: max(p.Labels, 1) + 1, most: scoresIn(rangeBytes)}
	tables, err := k.number(pieces, leave)
	if err != nil {
		return nil, err
	}
	byRange := make(map[int][]int)
	for i := range pieces {
		byRange[pieces[i].Range] = append(byRange[pieces[i].Range], i)
	}
	for _, at := range slices.Sorted(maps.Keys(byRange)) { // the range of the highest scores comes first
		if err := k.addRange(pieces, byRange[at], tables); err != nil {
			return nil, err
		}
	}
	k.flush()
	k.kept.Table, err = wire.Encode(newSliceTable(k.memberships), sliceTableFields)
	return &k.kept, err
}

// keeper makes a Kept.
type keeper struct {
	worker
	classes, labels, most int
	memberships           []shuffle.Membership // by tuple
	alike                 []scoreruns.Entry    // of one score
	waiting               scoreruns.Builder
	rows                  int
	kept                  Kept
}

// number numbers the tuples of all pieces. It returns the common tag of each tag, by piece.
func (k *keeper) number(pieces []Piece, leave func(slice string) bool) (tags [][]uint32, err error) {
	codes := make([][]string, len(pieces)) // of the tuples of each piece
	memberships := make(map[string]shuffle.Membership)
	for i := range pieces {
		if i > 0 && pieces[i].Tuples.Same(&pieces[i-1].Tuples) {
			codes[i] = codes[i-1]
			continue
		}
		table, err := pieces[i].tuples()
		if err != nil {
			return nil, err
		}
		for _, row := range table.Tuples {
			membership := shuffle.Membership{Fold: row.Fold}
			for _, at := range row.Slices {
				if key := table.Keys[at]; !leave(key) {
					membership.Slices = append(membership.Slices, key)
				}
			}
			slices.Sort(membership.Slices)
			code := string(appendCode(nil, &membership))
			codes[i], memberships[code] = append(codes[i], code), membership
		}
	}
	numbers := make(map[string]uint32)
	for _, code := range slices.Sorted(maps.Keys(memberships)) {
		numbers[code] = uint32(len(k.memberships))
		k.memberships = append(k.memberships, memberships[code])
	}
	tags = make([][]uint32, len(pieces))
	for i := range pieces {
		for _, code := range codes[i] {
			for class := range k.classes {
				tags[i] = append(tags[i], numbers[code]*uint32(k.classes)+uint32(class))
			}
		}
	}
	return tags, nil
}

// addRange adds the scores of a range, some at a time.
func (k *keeper) addRange(pieces []Piece, chosen []int, tags [][]uint32) error {
	in, common := &rangeInput{most: k.most}, make([][]uint32, len(chosen))
	for i, at := range chosen {
		in.scores, common[i] = append(in.scores, pieces[at]), tags[at]
	}
	return k.sort(in, k.labels, len(k.memberships)*k.classes, common, k.addSorted)
}

// errWeights says what kept scores cannot have.
var errWeights = errors.New("scores with weights are not kept, because their sums depend on how they were added: leave statistics.curves out")

// addSorted adds sorted scores, those that are equal by label and tag.
func (k *keeper) addSorted(sorted *scoreruns.Sorted) error {
	for i := 0; i < sorted.Len(); {
		k.alike = k.alike[:0]
		for first := sorted.Image(i); i < sorted.Len() && sorted.Image(i) == first; i++ {
			e := sorted.Entry(i)
			if e.Weight != 1 {
				return errWeights
			}
			k.alike = append(k.alike, e)
		}
		slices.SortFunc(k.alike, func(a, b scoreruns.Entry) int {
			return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Tag, b.Tag))
		})
		for _, e := range k.alike {
			for range e.Count {
				k.add(&e)
			}
		}
	}
	return nil
}

func (k *keeper) add(e *scoreruns.Entry) {
	if k.rows%knotEvery == 0 {
		k.kept.Knots = append(k.kept.Knots, e.Image)
	}
	k.rows++
	if k.waiting.Add(e.Image, e.Label, e.Tag, 1); k.waiting.Len() == keptRun {
		k.flush()
	}
}

func (k *keeper) flush() {
	if k.waiting.Len() > 0 {
		k.kept.Runs = append(k.kept.Runs, k.waiting.AppendRun(nil))
	}
}

// BoundsOf chooses bounds of ranges from the knots of all scores that are kept.
func BoundsOf(knots []uint64, rangeBytes int) []uint64 {
	list := make([]scoreruns.Knot, len(knots))
	for i, image := range knots {
		list[i] = scoreruns.Knot{Image: image, Entries: knotEvery}
	}
	of := scoresIn(rangeBytes)
	return scoreruns.Bounds(list, (len(knots)*knotEvery+of-1)/of)
}

// Restored are the scores that were kept in a file, as a fold emits them.
type Restored struct {
	Scores
	memberships []shuffle.Membership
	sorter      scoreruns.Sorter
	tags        []uint32
}

// Restore returns what reads scores that were kept. Job has the number of labels. become changes what the examples of a
// tuple belong to.
func Restore(j *shuffle.Job, bounds []uint64, table []byte, become func(*shuffle.Membership) error) (*Restored, error) {
	var t sliceTable
	if err := wire.Decode(table, &t, sliceTableFields); err != nil {
		return nil, err
	}
	r := new(Restored)
	for _, row := range t.Tuples {
		membership := shuffle.Membership{Fold: row.Fold}
		for _, at := range row.Slices {
			membership.Slices = append(membership.Slices, t.Keys[at])
		}
		if err := become(&membership); err != nil {
			return nil, err
		}
		r.memberships = append(r.memberships, membership)
	}
	scores, err := NewScores(j, &shuffle.Bounds{Images: bounds}, func(tuple int32) shuffle.Membership { return r.memberships[tuple] })
	if err != nil {
		return nil, err
	}
	r.Scores = *scores
	for tag := range len(r.memberships) * int(r.classes) {
		r.tags = append(r.tags, uint32(tag))
	}
	return r, nil
}

// AddRun adds the scores of a run.
func (r *Restored) AddRun(run []byte) error {
	r.sorter.Start(scoreruns.Count(run), max(r.params.Labels, 1)+1, len(r.tags), scoreruns.Everything)
	if err := r.sorter.Add(scoreruns.Run{Data: run, Tags: r.tags}); err != nil {
		return err
	}
	sorted, rows := r.sorter.Sort(), int64(0)
	for i := range sorted.Len() {
		e := sorted.Entry(i)
		if rows += int64(e.Count); rows > keptRun || e.Weight != 1 || !r.scored(e.Label) {
			return fmt.Errorf("%d scores of weight %v of label %d", rows, e.Weight, e.Label)
		}
		tag := r.tuples.number(int32(e.Tag/r.classes))*r.classes + e.Tag%r.classes
		in := r.divider.Range(e.Image)
		for range e.Count {
			if r.ranges[in].Add(e.Image, e.Label, tag, 1); r.ranges[in].Len() >= r.full {
				if err := r.pack(in); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// scored reports whether a label has scores, by its number in runs.
func (s *Scores) scored(number uint32) bool {
	return slices.ContainsFunc(s.tallies.labels, func(label int) bool { return s.params.LabelNumber(label) == int(number) })
}

// Slices yields the slices that have scores, after Finish.
func (s *Scores) Slices() []string { return slices.Sorted(maps.Keys(s.totals)) }
