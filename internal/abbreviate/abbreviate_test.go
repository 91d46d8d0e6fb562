package abbreviate

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestAll(t *testing.T) {
	for _, c := range []struct {
		most        int
		names, want []string
	}{
		{8, []string{"a", "b"}, []string{"a", "b"}},
		{20, []string{"country=country_1", "country=country_2"}, []string{"country=country_1", "country=country_2"}},
		{9, []string{"country=country_1", "country=country_2"}, []string{"coun…ry_1", "coun…ry_2"}},
		{14, []string{"country=de, device=phone", "country=at, device=phone"}, []string{"…de, device…", "…at, device…"}},
		{13, []string{"reports/de, device=phone", "reports/at, device=phone"}, []string{"…de, device…", "…at, device…"}},
		{9, []string{"overall", "country=de, device=phone", "country=de, device=tablet"}, []string{"overall", "coun…hone", "coun…blet"}},
		{7, []string{"abcdefgh1xyzabcdefgh", "abcdefgh2xyzabcdefgh", "c"}, []string{"abc…fgh", "ab…gh 2", "c"}},
		{7, []string{"same name twice", "same name twice"}, []string{"sam…ice", "sam…ice"}},
		{7, []string{"one name alone"}, []string{"one…one"}},
	} {
		got := All(c.names, utf8.RuneCountInString, c.most)
		require.Equal(t, c.want, got)
	}
}

// TestLongNames: time grows with the length of names, not with its square.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("a long name of many words ", 50_000)
	require.Equal(t, []string{"a long…ords 1", "a long…ords 2"}, All([]string{long + "1", long + "2"}, utf8.RuneCountInString, 13))
	require.Equal(t, []string{"1a l…ds ", "2a l…ds "}, All([]string{"1" + long, "2" + long}, utf8.RuneCountInString, 8))
}

// FuzzAll: names are no wider than asked for, if that is at least a few runes, and different names stay different.
func FuzzAll(f *testing.F) {
	f.Add("country=de, device=phone", "country=de, device=tablet", "overall", 9)
	f.Add("aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaac", 4)
	f.Fuzz(func(t *testing.T, a, b, c string, most int) {
		if most < 4 || most > 100 || !utf8.ValidString(a+b+c) {
			t.Skip()
		}
		names := []string{a, b, c, a}
		short := All(names, utf8.RuneCountInString, most)
		require.Equal(t, distinct(names), distinct(short), "%q", short)
		for _, s := range short {
			require.LessOrEqual(t, utf8.RuneCountInString(s), most)
		}
	})
}
