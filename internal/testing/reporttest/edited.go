package reporttest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/quote"
)

// RequireShortMessages requires that error messages about an edited file quote only little of it.
func RequireShortMessages(t *testing.T, data []byte, read func([]byte) error) {
	t.Helper()
	refused := 0
	for _, edited := range edits(t, data, strings.Repeat("so long ", 1000)) {
		if err := read(edited); err != nil {
			require.Less(t, len(quote.Message(err.Error())), 1000, "%.200s", err)
			refused++
		}
	}
	require.Positive(t, refused)
}

// edits returns variants of a JSON document in which one value is replaced with a long string, a
// long number, or a list or object with a long string, or one key with a long string.
func edits(t *testing.T, data []byte, long string) (all [][]byte) {
	var root any
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	require.NoError(t, d.Decode(&root))
	emit := func() {
		b, err := json.Marshal(root)
		require.NoError(t, err)
		all = append(all, b)
	}
	number := json.Number("1" + strings.Repeat("0", len(long)))
	var walk func(v any, set func(any))
	walk = func(v any, set func(any)) {
		for _, other := range []any{long, number, []any{long}, map[string]any{long: long}} {
			set(other)
			emit()
		}
		set(v)
		switch v := v.(type) {
		case []any:
			for i := range v[:min(len(v), 2)] {
				walk(v[i], func(x any) { v[i] = x })
			}
		case map[string]any:
			for key, old := range v {
				walk(old, func(x any) { v[key] = x })
				delete(v, key)
				v[long] = old
				emit()
				delete(v, long)
				v[key] = old
			}
		}
	}
	walk(root, func(v any) { root = v })
	return all
}
