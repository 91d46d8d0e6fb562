package input

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// TestClassNames: ClassLabel columns are found wherever a version of the library datasets nests them.
func TestClassNames(t *testing.T) {
	of := func(path ...string) (name columns.Name) {
		for _, part := range path {
			name = name.Below(part)
		}
		return name
	}
	const class = `{"names": ["x", "y"], "_type": "ClassLabel"}`
	const old = `{"num_classes": 2, "names": ["x", "y"], "names_file": null, "id": null, "_type": "ClassLabel"}` // version 1
	for feature, column := range map[string]columns.Name{
		`{"l": ` + class + `}`: of("l"),
		`{"a": {"dtype": "int64", "_type": "Value"}, "l": ` + old + `}`:                  of("l"),
		`{"l": {"feature": ` + class + `, "_type": "List"}}`:                             of("l"),
		`{"l": {"feature": ` + class + `, "_type": "LargeList"}}`:                        of("l"),
		`{"l": {"feature": ` + class + `, "length": 2, "_type": "Sequence"}}`:            of("l"),
		`{"l": {"feature": ` + old + `, "length": -1, "id": null, "_type": "Sequence"}}`: of("l"),
		`{"l": [` + class + `]}`:       of("l"),
		`{"s": {"in": ` + class + `}}`: of("s", "in"),
		`{"s": [{"v": {"dtype": "float32", "_type": "Value"}, "l": ` + class + `}]}`:                             of("s", "l"),
		`{"s": {"feature": {"l": ` + class + `}, "_type": "Sequence"}}`:                                          of("s", "l"),
		`{"s": {"feature": {"v": {"dtype": "float32", "_type": "Value"}, "l": ` + class + `}, "_type": "List"}}`: of("s", "l"),
		`{"a.b": ` + class + `}`: of("a.b"),
	} {
		for _, text := range []string{`{"features": ` + feature + `}`, `{"info": {"features": ` + feature + `}}`} {
			names, err := ClassNames(text, column)
			require.NoError(t, err, text)
			require.Equal(t, []string{"x", "y"}, names, text)
			names, err = ClassNames(text, of("other"))
			require.NoError(t, err, text)
			require.Nil(t, names, text)
		}
	}
	for _, text := range []string{
		"", "{}", "null", `{"features": null}`, `{"features": [1, 2]}`, `{"info": {"features": {"l": 7}}}`, `{"features": {"l": {"_type": "ClassLabel"}}}`,
		`{"features": {"l": {"_type": "ClassLabel", "names": null}}}`, `{"features": {"l": {"_type": "ClassLabel", "names": []}}}`,
	} {
		names, err := ClassNames(text, of("l"))
		require.NoError(t, err, text)
		require.Nil(t, names, text)
	}
	_, err := ClassNames(`{"features": `+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+"}", of("l"))
	require.ErrorContains(t, err, "exceeded max depth")
}
