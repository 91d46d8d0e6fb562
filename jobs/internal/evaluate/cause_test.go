package evaluate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/transforms"
)

func TestCause(t *testing.T) {
	layers := ""
	for i := range 20 {
		layers += fmt.Sprintf("layer %d\n\tcaused by:\n", i)
	}
	for from, want := range map[string]string{
		"job failed:\nprocess bundle failed: " + transforms.ErrorMark + "a.parquet: truncated" + transforms.ErrorEnd + "\n\tfull error: …": "a.parquet: truncated",

		"\tconnecting to job service\nfailed to dial server at localhost:1\n\tcaused by:\ncontext deadline exceeded": "connecting to job service: failed to dial server at localhost:1: context deadline exceeded",

		"job failed:\njava.lang.Exception: no slots\n" + strings.Repeat("\tat org.apache.flink.A.b(A.java:1)\n", 99) + "\t... 12 more": "job failed: java.lang.Exception: no slots",

		"process bundle failed:\npanic: index out of range\nFull error:\npanic: index out of range\n\ngoroutine 9 [running]:\nmain.f()\n\t/a/b.go:7 +0x1d\n": "process bundle failed: panic: index out of range",

		layers: "layer 0: …: layer 15: layer 16: layer 17: layer 18: layer 19",
	} {
		require.EqualError(t, cause(errors.New(from)), want)
	}
}

func TestExitCodeOfPlanning(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	schema := errors.New("no column")
	damage := &columns.Error{File: "a.parquet", RowGroup: 0, Row: -1, Err: schema}
	footer := &columns.Error{File: "a.parquet", RowGroup: -1, Row: -1, Err: schema}
	for _, test := range []struct {
		ctx       context.Context
		err, want error
		code      int
	}{
		{t.Context(), schema, schema, command.BadUsage},
		{t.Context(), footer, footer, command.BadUsage},
		{t.Context(), damage, damage, command.Failed},
		{cancelled, damage, damage, command.BadUsage}, // which the command then says otherwise
	} {
		err := ofPlanning(test.ctx, test.err)
		require.Equal(t, test.code, command.Code(err))
		require.ErrorIs(t, err, test.want)
	}
}
