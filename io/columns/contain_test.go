package columns

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestContain(t *testing.T) {
	full := errors.New("a buffer is too large")
	for _, c := range []struct {
		panics any
		want   error
	}{
		{nil, nil},
		{"buffer index out of bound", errUndecoded},
		{errors.New("index out of range"), errUndecoded},
		{Stop{full}, full},
		{fmt.Errorf("reading a record batch: %w", Stop{full}), full},
	} {
		require.Equal(t, c.want, func() (err error) {
			defer Contain(&err)
			if c.panics != nil {
				panic(c.panics)
			}
			return nil
		}())
	}
}
