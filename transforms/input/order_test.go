package input

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// TestShuffled: rows are in random order only if nearly every id differs from the one before and ids come again as
// often as chance makes them.
func TestShuffled(t *testing.T) {
	const examples = 5000
	rng := rand.New(rand.NewPCG(1, 2))
	ids := func(rows int) (list []int64) {
		for i := range examples * rows {
			list = append(list, int64(i/rows))
		}
		return list
	}
	random := func(list []int64) []int64 {
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return list
	}
	some := func(list []int64, n int) *columns.Column { return &columns.Column{Type: columns.Int, Ints: list[:n]} }
	pairs := ids(1)
	copy(pairs[1000:], pairs[:20])
	byLabel := slices.Concat(ids(1), ids(1), ids(1))
	for _, c := range []struct {
		name string
		ids  *columns.Column
		all  int64
		want bool
	}{
		{"random order", some(random(ids(20)), 8192), 20 * examples, true},
		{"random order, two rows each", some(random(ids(2)), 8192), 2 * examples, true},
		{"random order, few of very many", some(random(ids(20)), 8192), 1e9, true},
		{"example by example", some(ids(20), 8192), 20 * examples, false},
		{"random examples of three rows each", blocks(random(ids(1)), 3, 8192), 3 * examples, false},
		{"a row each", some(random(ids(1)), examples), examples, false},
		{"a row each, of some two", some(random(pairs), examples), examples, false},
		{"label by label, of which the first is read", some(byLabel, examples), 3 * examples, false},
		{"label by label", some(byLabel, 3*examples), 3 * examples, true},
		{"a few rows", some(random(ids(20)), 20), 20 * examples, false},
		{"none", some(nil, 0), 0, false},
	} {
		require.Equal(t, c.want, shuffled(c.ids, c.all), c.name)
	}
	texts := columns.Column{Type: columns.String, Dict: new(columns.Strings)}
	for i := range 8192 {
		texts.Codes = append(texts.Codes, texts.Dict.CodeOf(string(rune('a'+rng.IntN(500)))))
		texts.Null = append(texts.Null, i%7 == 0)
	}
	require.True(t, shuffled(&texts, 8192))
	texts.Null = slices.Repeat([]bool{true}, 8192)
	require.False(t, shuffled(&texts, 8192))
}

// shuffled adds ids in two parts.
func shuffled(ids *columns.Column, all int64) bool {
	var o Order
	rest := *ids
	if n := ids.Len() / 3; n > 0 && ids.Type == columns.Int {
		o.Add(&columns.Column{Type: columns.Int, Ints: ids.Ints[:n]})
		rest.Ints = ids.Ints[n:]
	}
	if o.Add(&rest) != ids.Len() {
		panic("rows are lost")
	}
	return o.Shuffled(all)
}

// blocks repeats each id.
func blocks(list []int64, times, n int) *columns.Column {
	c := &columns.Column{Type: columns.Int}
	for _, id := range list {
		c.Ints = append(c.Ints, slices.Repeat([]int64{id}, times)...)
	}
	c.Ints = c.Ints[:n]
	return c
}
