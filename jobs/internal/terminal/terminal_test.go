package terminal

import (
	"bytes"
	"os"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

func TestTerminal(t *testing.T) {
	t.Setenv("COLUMNS", "")
	t.Setenv("NO_COLOR", "")
	control, screen, err := pty.Open()
	require.NoError(t, err)
	defer control.Close()
	defer screen.Close()
	require.NoError(t, pty.Setsize(screen, &pty.Winsize{Rows: 24, Cols: 57}))
	file, err := os.Create(t.TempDir() + "/file")
	require.NoError(t, err)
	defer file.Close()

	t.Setenv("TERM", "xterm")
	require.True(t, Is(screen))
	require.True(t, Colours(screen))
	require.Equal(t, 57, Width(screen))
	for _, w := range []interface{ Write([]byte) (int, error) }{file, new(bytes.Buffer)} {
		require.False(t, Is(w))
		require.False(t, Colours(w))
		require.Equal(t, DefaultWidth, Width(w))
	}
	t.Setenv("NO_COLOR", "1")
	require.True(t, Is(screen))
	require.False(t, Colours(screen))
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	require.False(t, Is(screen))
	require.False(t, Colours(screen))
	t.Setenv("COLUMNS", "120")
	require.Equal(t, 120, Width(screen))
	require.Equal(t, 120, Width(file))
}
