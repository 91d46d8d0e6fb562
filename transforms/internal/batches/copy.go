package batches

import (
	"sync"

	"github.com/beameval/beameval/io/columns"
)

// Copy is a copy of the columns of a batch, for a goroutine other than the one that reads.
type Copy struct {
	Columns []*columns.Column // nil where the original has none
	memory  []columns.Column
}

// copies holds the copies that are not in use.
var copies = sync.Pool{New: func() any { return new(Copy) }}

// CopyOf copies columns. The copy shares only texts of dictionaries, which never change, and is the
// caller's until it calls Release.
func CopyOf(cols []*columns.Column) *Copy {
	c := copies.Get().(*Copy)
	if len(c.memory) < len(cols) {
		c.memory = make([]columns.Column, len(cols))
	}
	c.Columns = c.Columns[:0]
	for i, col := range cols {
		if col == nil {
			c.Columns = append(c.Columns, nil)
			continue
		}
		c.memory[i].Copy(col)
		c.Columns = append(c.Columns, &c.memory[i])
	}
	return c
}

// Release makes the memory available for other copies. Nobody may use c or its columns afterwards.
func (c *Copy) Release() { copies.Put(c) }
