package runs

import "fmt"

// Merge reads the entries of many runs, from the highest image to the lowest. Entries of
// equal images come in an order that depends on the runs only, and equal entries of several
// runs are not joined. It takes memory for one block of each run.
type Merge struct {
	inputs  []input
	current *entry
	// A tournament tree (Knuth, The Art of Computer Programming, vol. 3, 5.4.1): the
	// input with the highest image, and at each node below it, from 1 on, the input that
	// lost there.
	winner player
	losers []player
	begun  bool
	err    error
}

// player is an input with its current image. At the end of the input this is 0.
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

// next goes to the next entry, and at first to the first one. It returns false at the end of
// the runs, or if one is corrupt, which m.err says.
func (m *Merge) next() bool {
	if m.begun && m.winner.image != 0 {
		m.replay(m.advance(m.winner.input))
	}
	m.begun = true
	if m.winner.image == 0 || m.err != nil {
		return false
	}
	m.current = m.inputs[m.winner.input].entry()
	return true
}

// entry returns the current entry with its common tag. It is valid until the next call of
// next.
func (m *Merge) entry() *entry { return m.current }

// replay finds the new winner after the last one has gone on to an image.
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
	if !s.next() {
		if s.blocks.err != nil && m.err == nil {
			m.err = fmt.Errorf("run %d: %w", i, s.blocks.err)
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
