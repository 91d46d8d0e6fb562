package sampling

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"github.com/beameval/beameval/internal/hash"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
)

// mark is a hash of the id of a row, long enough for no two ids to share one.
type mark struct{ high, low uint64 }

func (m mark) compare(n mark) int {
	return cmp.Or(cmp.Compare(m.high, n.high), cmp.Compare(m.low, n.low))
}

// markOf returns the mark of an id. Each seed gives another order.
func markOf(id []byte, seed uint64) mark {
	m := mark{xxhash.Sum64(id), 0}
	m.low = xxhash.Sum64(append(id, 0xff))
	return mark{hash.Mix(m.high + hash.Mix(seed+1)), m.low}
}

// rowAt is a row that was drawn.
type rowAt struct {
	mark
	id           string
	stratum      int
	shard, group int
	row          int64 // in its row group
}

// smallest keeps the rows of a stratum with the smallest marks.
type smallest struct {
	most int
	rows []rowAt
}

// takes reports whether a row with this mark may be among the smallest.
func (s *smallest) takes(m mark) bool {
	return len(s.rows) < s.most || m.compare(s.rows[s.most-1].mark) < 0
}

// add adds a row that it takes. From time to time, it forgets all but the smallest.
func (s *smallest) add(r rowAt) {
	s.rows = append(s.rows, r)
	if len(s.rows) == s.most || len(s.rows) >= 2*s.most {
		s.settle()
	}
}

// settle sorts the rows and forgets all but the smallest.
func (s *smallest) settle() {
	slices.SortFunc(s.rows, func(a, b rowAt) int { return a.compare(b.mark) })
	s.rows = s.rows[:min(len(s.rows), s.most)]
}

// choose returns the rows of the sample, in the order of their marks: those with the smallest marks in each stratum.
func (t *task) choose(ctx context.Context, s *stratification) ([]rowAt, error) {
	total := t.room(s)
	paths := append(t.paths(), t.ID...)
	judge := len(t.paths()) - 1
	err := scan(ctx, t.shards, paths,
		func(i int) (*chooser, []*columns.Strings) {
			c := &chooser{combinations: t.combinations(i), strata: s, shard: i, room: t.room(s)}
			for range t.ID {
				c.tables = append(c.tables, columns.Loose(nil, nil))
			}
			return c, c.tables
		},
		func(c *chooser, b *columns.Batch, a at) error {
			for i := range b.Rows {
				if err := c.take(b, i, b.Columns[judge+1:], a); err != nil {
					return err
				}
			}
			return nil
		},
		func(c *chooser) {
			for h := range c.room {
				for _, r := range c.room[h].rows {
					if total[h].takes(r.mark) {
						total[h].add(r)
					}
				}
			}
		})
	if err != nil {
		return nil, err
	}
	return t.drawn(s, total)
}

// room returns room for the rows of each stratum, and for one more, which shows whether ids are the same.
func (t *task) room(s *stratification) []smallest {
	room := make([]smallest, len(s.strata))
	for h := range room {
		room[h].most = int(s.strata[h].Taken) + 1
	}
	return room
}

// drawn joins the rows of all strata. Rows with the same id are an error: chance would take or leave them together.
func (t *task) drawn(s *stratification, room []smallest) (all []rowAt, err error) {
	for h := range room {
		room[h].settle()
		rows := room[h].rows
		n := int(s.strata[h].Taken)
		if n < len(rows) && rows[n].mark == rows[n-1].mark {
			return nil, t.sameID(&rows[n-1], &rows[n])
		}
		all = append(all, rows[:n]...)
	}
	slices.SortFunc(all, func(a, b rowAt) int { return a.compare(b.mark) })
	for i := 1; i < len(all); i++ {
		if all[i].mark == all[i-1].mark {
			return nil, t.sameID(&all[i-1], &all[i])
		}
	}
	return all, nil
}

func (t *task) sameID(a, b *rowAt) error {
	where := t.shards[a.shard].File
	if other := t.shards[b.shard].File; other != where {
		where += " and " + other
	}
	return fmt.Errorf("%s: several rows have %s %s: rows are drawn by their ids, which must differ; --id names columns that differ together, such as --id %s,attempt",
		where, quote.List(t.ID, 5, "%d more"), quote.Value(a.id), t.ID[0])
}

// chooser chooses rows of a shard.
type chooser struct {
	*combinations
	strata *stratification
	shard  int
	of     []int // the stratum of each cell
	room   []smallest
	id     []byte
}

// take takes row i of a batch, with the given columns of ids, if its mark is small enough.
func (c *chooser) take(b *columns.Batch, i int, ids []columns.Column, a at) error {
	cell, err := c.combinations.of(b, i)
	if err != nil {
		return err
	}
	if cell == len(c.of) {
		h, met := c.strata.of[c.keys[cell].Encoded()]
		if !met {
			return fmt.Errorf("%s: the row was not there when the rows were counted: the file has changed", a.of(b, i))
		}
		c.of = append(c.of, h)
	}
	if err := c.identify(b, i, ids, a); err != nil {
		return err
	}
	h := c.of[cell]
	if m := markOf(c.id, c.task.Seed); c.room[h].takes(m) {
		c.room[h].add(rowAt{mark: m, id: c.shown(ids, i), stratum: h, shard: c.shard, group: a.group, row: b.First + int64(i)})
	}
	return nil
}

// identify sets the id of row i of a batch: the texts of some columns or, without any, the position of the row.
func (c *chooser) identify(b *columns.Batch, i int, ids []columns.Column, a at) error {
	c.id = c.id[:0]
	if len(ids) == 0 {
		c.id = append(c.id, cmp.Or(a.shard.Path, a.shard.File)...)
		c.id = strconv.AppendInt(append(c.id, 0), a.row+int64(i), 10)
		return nil
	}
	for j := range ids {
		from, known := len(c.id), false
		if c.id, known = appendText(c.id, &ids[j], i); !known {
			return fmt.Errorf("%s: column %q: the id is missing, and every row must have one: --id names another column", a.of(b, i), c.task.ID[j])
		}
		c.id = binary.AppendUvarint(c.id, uint64(len(c.id)-from))
	}
	return nil
}

// shown returns the id of row i for messages.
func (c *chooser) shown(ids []columns.Column, i int) string {
	var text []byte
	for j := range ids {
		if j > 0 {
			text = append(text, ", "...)
		}
		text, _ = appendText(text, &ids[j], i)
	}
	return string(text)
}
