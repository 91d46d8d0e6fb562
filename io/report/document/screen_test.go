package document

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A rounded number stays on its side of a limit.
func TestTelling(t *testing.T) {
	limit := 0.8
	for x, want := range map[float64]string{
		0.12345678: "0.1235", 0.79996: "0.79996", 0.8: "0.8", 0.80000004: "0.80000004", 0.7999999999999999: "0.7999999999999999", -1e300: "-1e+300",
	} {
		require.Equal(t, want, telling(x, nil, &limit))
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"short", "short"},
		{"twelve chars", "twelve chars"},
		{"thirteen char", "thirte… char"},
		{"日本日本日本日本", "日本日…日本"},
	} {
		require.Equal(t, test.want, cut(test.name, 12))
	}
}

// Verdicts have colours; names that read like verdicts have not.
func TestColoursOfVerdicts(t *testing.T) {
	same := func(s string) string { return s }
	shown := Screen{Colour: true}.print(TableOf([]string{"worse"}, Text("metric", same), Verdicts("verdict", same)))
	require.Contains(t, shown, " worse   \x1b[31mworse\x1b[0m")
}
