package runs

import "fmt"

// Merge reads the entries of many runs from the highest image to the lowest. Those
// of equal images come in an order that depends on the runs only; entries that
// agree in all but the run stay apart. It takes memory for a block of each
// run.
type Merge struct {
	inputs  []input
	current *Entry
	// A tournament tree after Knuth, The Art of Computer Programming, vol. 3, 5.4.1:
	// the input with the highest image, and at each node from 1 on, below it,
	// the one that lost there.
	winner player
	losers []player
	begun  bool
	err    error
}

// player is an input with its current image, which is 0 at its end.
type player struct {
	image uint64
	input int
}

// input is a run being read.
type input struct {
	reader
	tags []uint32
}

// NewMerge returns a Merge of runs, which it does not change.
func NewMerge(runs []Run) *Merge {
	m := &Merge{inputs: make([]input, len(runs)), losers: make([]player, len(runs))}
	n := len(runs)
	winners := make([]player, 2*n)
	for i, run := range runs {
		m.inputs[i] = input{reader: *newReader(run.Data), tags: run.Tags}
		winners[n+i] = player{m.advance(i), i}
	}
	for i := n - 1; i > 0; i-- {
		a, b := winners[2*i], winners[2*i+1]
		if a.image < b.image {
			a, b = b, a
		}
		winners[i], m.losers[i] = a, b
	}
	if n > 0 {
		m.winner = winners[1]
	}
	return m
}

// Next goes to the next entry, the first one at first. It returns false at the
// end of the runs, and where one is corrupt: see Err.
func (m *Merge) Next() bool {
	if m.begun && m.winner.image != 0 {
		m.replay(m.advance(m.winner.input))
	}
	m.begun = true
	if m.winner.image == 0 || m.err != nil {
		return false
	}
	m.current = m.inputs[m.winner.input].Entry()
	return true
}

// Entry returns the current entry, with its common tag, until the next call of Next.
func (m *Merge) Entry() *Entry { return m.current }

// Err returns why the entries ended early, or nil.
func (m *Merge) Err() error { return m.err }

// replay finds the winner after the last one went on to an image.
func (m *Merge) replay(image uint64) {
	winner := player{image, m.winner.input}
	for i := (len(m.losers) + winner.input) / 2; i > 0; i /= 2 {
		if loser := &m.losers[i]; loser.image > winner.image {
			*loser, winner = winner, *loser
		}
	}
	m.winner = winner
}

// advance goes to the next entry of an input and returns its image, or 0.
func (m *Merge) advance(i int) uint64 {
	s := &m.inputs[i]
	if !s.Next() {
		if s.Err() != nil && m.err == nil {
			m.err = fmt.Errorf("run %d: %w", i, s.Err())
		}
		return 0
	}
	if s.at == 0 { // of a block just decoded
		for j := range s.entries {
			e := &s.entries[j]
			if int(e.Tag) >= len(s.tags) {
				if m.err == nil {
					m.err = fmt.Errorf("run %d: tag %d of %d", i, e.Tag, len(s.tags))
				}
				return 0
			}
			e.Tag = s.tags[e.Tag]
		}
	}
	return s.entries[s.at].Image
}
