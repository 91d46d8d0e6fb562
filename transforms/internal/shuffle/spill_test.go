package shuffle

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSpill(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		s := &Spill{Dir: dir}
		data := []byte("first")
		first, err := s.Write(data)
		require.NoError(t, err)
		copy(data, "xxxxx") // the caller reuses it
		none, err := s.Write(nil)
		require.NoError(t, err)
		second, err := s.Write([]byte("the second"))
		require.NoError(t, err)
		require.NoError(t, s.Close())
		require.NoError(t, s.Close())
		later, err := s.Write([]byte("later"))
		require.NoError(t, err)
		for _, more := range []string{" and", "", " more"} {
			_, err = s.Write([]byte("between"))
			require.NoError(t, err)
			require.NoError(t, s.Extend(&later, []byte(more)))
		}
		require.NoError(t, s.Close())
		s.Abandon() // nothing since
		for want, at := range map[string]Spilled{"first": first, "": none, "the second": second, "later and more": later} {
			require.Equal(t, dir == "", at.File == "")
			got, err := at.Read()
			require.NoError(t, err)
			require.Equal(t, want, string(got))
		}
		if dir != "" {
			files, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, files, 2, "a file each time")
		}
	}
}

func TestSpillErrors(t *testing.T) {
	dir := t.TempDir()
	_, err := (&Spill{Dir: filepath.Join(dir, "none")}).Write([]byte("x"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "writing temporary data: ")
	require.ErrorContains(t, err, "; set TMPDIR to ")

	s := &Spill{Dir: dir}
	at, err := s.Write([]byte("12345"))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, os.Truncate(at.File, 4))
	_, err = at.Read()
	require.ErrorContains(t, err, "reading temporary data: "+at.File+": truncated: ")
	for _, wrong := range [][]FilePart{{{-1, 2}}, {{0, -1}}, {{1 << 62, 1 << 62}}, {{0, 2}, {0, 3}}} {
		_, err = (&Spilled{File: at.File, Parts: wrong}).Read()
		require.ErrorContains(t, err, "truncated")
	}
	require.NoError(t, os.Remove(at.File))
	_, err = at.Read()
	require.ErrorIs(t, err, fs.ErrNotExist)
}
