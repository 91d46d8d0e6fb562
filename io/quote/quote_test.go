package quote

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/quick"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestShort(t *testing.T) {
	long := strings.Repeat("a", longest+1)
	for from, want := range map[string]string{
		"":                             "",
		long[1:]:                       long[1:],
		long:                           long[:kept] + "… (301 bytes)",
		"a" + strings.Repeat("é", 300): "a" + strings.Repeat("é", 99) + "… (601 bytes)",
	} {
		require.Equal(t, want, Short(from))
	}
	require.NoError(t, quick.Check(func(s string) bool {
		s = strings.Repeat(s, 20)
		return utf8.ValidString(Short(s)) && len(Short(s)) <= longest
	}, nil))
	require.LessOrEqual(t, len(Short(strings.Repeat("\x80", 1<<20))), longest)
}

func TestArgs(t *testing.T) {
	long := strings.Repeat("a", 1000)
	args := []any{1, "b", long, nil}
	require.Equal(t, []any{1, "b", Short(long), nil}, Args(args))
	require.Equal(t, long, args[2])
}

func TestLine(t *testing.T) {
	const hostile = "a b\tc\x1b[31m\u202e\n\xff\"\\é\u00a0"
	require.Equal(t, `a b\tc\x1b[31m\u202e\n\xff"\é\u00a0`, Line(hostile))
}

func TestNearest(t *testing.T) {
	names := []string{"precision", "recall", "f1"}
	require.Equal(t, "recall", Nearest("recal", names))
	require.Equal(t, "f1", Nearest("F1", names))
	require.Equal(t, "precision", Nearest("precission", names))
}

func TestSlip(t *testing.T) {
	names := []string{"precision", "recall", "f1", "größe"}
	for name, want := range map[string]string{
		"recal": "recall", "F1": "f1", "f": "f1", "precison": "precision", "grosse": "größe", "Größe": "größe",
		"accuracy": "", "": "", "xyz": "",
	} {
		require.Equal(t, want, Slip(name, names), name)
	}
}

// A name may be a file that was passed by mistake.
func TestLongNamesCostLittle(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	require.Empty(t, Slip(long, []string{"a", "b"}))
	require.Equal(t, long+"b", Nearest(long, []string{"x", long + "b", "y"}))
}

// FuzzNames writes names chosen by others into files and messages.
func FuzzNames(f *testing.F) {
	for _, name := range []string{"", "a", "caf\xe9", `\xe9`, "\x00\n\u202e", strings.Repeat("é", 200), "\\x5c\\x5", "=1+1"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		require.Equal(t, name, Unescape(Escape(name)))
		require.True(t, utf8.ValidString(Escape(name)))
		require.True(t, json.Valid(AppendName(nil, name)))
		require.True(t, json.Valid(AppendJSON(nil, Valid(name))))
		require.LessOrEqual(t, len(Short(name)), longest)
		for _, shown := range []string{Line(name), Value(name), Visible(name)} {
			require.NotContains(t, shown, "\n")
			require.True(t, utf8.ValidString(shown))
		}
		require.NotPanics(t, func() { Meant(name, []string{"label", "score", name + "x"}) })
	})
}
