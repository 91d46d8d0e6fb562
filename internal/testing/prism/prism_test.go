package prism

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// errFault is what prism said, with most of the stack left out.
var errFault = errors.New(`job job-001 failed: panic in stage.Execute bundle processing goroutine: runtime error: invalid memory address or nil pointer dereference, stage: {ID:stage-004},stackTrace:
goroutine 512 [running]:
github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism/internal/worker.(*W).NextInst(...)
github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism/internal/worker.(*B).Progress(0xc0, {0x1, 0xc0}, 0x0)`)

func TestTry(t *testing.T) {
	own := errors.New("panic in stage.Execute bundle processing goroutine: our own")
	for _, c := range []struct {
		errs []error // of the attempts
		want error
	}{
		{[]error{nil}, nil},
		{[]error{own}, own},
		{[]error{errFault, nil}, nil},
		{[]error{fmt.Errorf("wrapped: %w", errFault), own}, own},
		{[]error{errFault, errFault, errFault}, errFault},
	} {
		calls := 0
		err := Try(func() error {
			calls++
			return c.errs[calls-1]
		})
		require.Equal(t, c.want, err)
		require.Len(t, c.errs, calls)
	}
}
