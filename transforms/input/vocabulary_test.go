package input

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// labelsFile is a file with this content.
func labelsFile(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "labels.txt")
	require.NoError(t, os.WriteFile(file, []byte(content), 0o666))
	return file
}

func TestVocabularies(t *testing.T) {
	for name, c := range map[string]struct {
		vocab   Vocabulary
		names   []string
		unknown []string
		numbers map[int64]int32 // that integers in a column stand for; -1: none
	}{
		"none": {Vocabulary{}, nil, []string{"", "0", "a"}, map[int64]int32{0: -1, -1: -1}},
		"numbered": {
			NumberedLabels(3), []string{"0", "1", "2"}, []string{"3", "-1", "01", "+1", "", "a", "4294967296"},
			map[int64]int32{0: 0, 2: 2, 3: -1, -1: -1, 1 << 32: -1},
		},
		"named": {Vocabulary{Names: []string{"b", "1", ""}}, []string{"b", "1", ""}, []string{"0", "a"}, map[int64]int32{0: 0, 1: 1, 3: -1}},
		"integers that are names": {
			Vocabulary{Names: []string{"-7", "3", "x", "03"}, Numbers: true}, []string{"-7", "3", "x", "03"}, []string{"0", "7"},
			map[int64]int32{-7: 0, 3: 1, 0: -1},
		},
		"in a file": {
			Vocabulary{File: labelsFile(t, "b\r\na\r\n\r\n2\n"), Count: 4}, []string{"b", "a", "", "2"}, []string{"0", "a\r"},
			map[int64]int32{0: 0, 3: 3, 4: -1},
		},
		"binary":           {BinaryLabels(""), []string{"0", "1"}, []string{"2"}, nil},
		"positive 1":       {BinaryLabels("1"), []string{"0", "1"}, []string{"2"}, nil},
		"another positive": {BinaryLabels("spam"), []string{"not spam", "spam"}, []string{"ham"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			v := c.vocab
			require.Equal(t, len(c.names), v.Len())
			for i, name := range c.names {
				require.Equal(t, name, v.Name(i))
				label, found := v.Label(name)
				require.True(t, found, name)
				require.Equal(t, i, label)
			}
			for _, name := range c.unknown {
				_, found := v.Label(name)
				require.False(t, found, "%q", name)
			}
			for number, want := range c.numbers {
				label, found := v.Integer(number)
				require.Equal(t, want >= 0, found, number)
				if found {
					require.EqualValues(t, want, label)
				}
			}
			require.NoError(t, v.Err())
		})
	}
}

// TestNamesThatCannotBeRead: the labels are numbers then, and there is an error.
func TestNamesThatCannotBeRead(t *testing.T) {
	for want, v := range map[string]Vocabulary{
		"no such file":                    {File: "/nowhere/labels.txt", Count: 2},
		"labels.txt is empty":             {File: labelsFile(t, "\n"), Count: 1},
		"has 2 names, but had 3 when the": {File: labelsFile(t, "a\nb\n"), Count: 3},
	} {
		require.NoError(t, v.Err(), "it was not tried")
		require.Equal(t, "0", v.Name(0))
		_, found := v.Label("a")
		require.False(t, found)
		require.ErrorContains(t, v.Err(), want)
	}
}

// TestSharedVocabulary: goroutines share what copies look up.
func TestSharedVocabulary(t *testing.T) {
	v := Vocabulary{File: labelsFile(t, "a\nb\nc"), Count: 3}
	v.Prepare()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			own := v
			label, _ := own.Label("c")
			if label != 2 || own.Name(1) != "b" || own.Err() != nil {
				t.Error("another label")
			}
		})
	}
	group.Wait()
}

// FuzzReadNames reads files of names: a name is a line.
func FuzzReadNames(f *testing.F) {
	for _, text := range []string{"a\nb\n", "a\r\nb", "\ufeffa\n", "\ufeff\ufeff", "\ufeff\ufeffa", "", "\n", "\r\n\r\n", "\xff\x00\n\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "labels.txt")
		require.NoError(t, os.WriteFile(file, data, 0o600))
		names, version, err := ReadNames(t.Context(), file, "")
		if err != nil {
			return
		}
		require.NotEmpty(t, names)
		require.NotContains(t, strings.Join(names, ""), "\n")
		require.False(t, strings.HasPrefix(names[0], "\ufeff"), "a byte order mark is no part of a name")
		again, _, err := ReadNames(t.Context(), file, version)
		require.NoError(t, err)
		require.Equal(t, names, again)
	})
}
