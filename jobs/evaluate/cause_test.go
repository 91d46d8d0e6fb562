package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms"
)

func TestCause(t *testing.T) {
	stack := "job failed:\n" + strings.Repeat("\tat somewhere\n", 9)
	for from, want := range map[string]string{
		"job failed:\nprocess bundle failed: " + transforms.ErrorMark + "a.parquet: truncated" + transforms.ErrorEnd + "\n\tfull error: …": "a.parquet: truncated",

		"\tconnecting to job service\nfailed to dial server at localhost:1\n\tcaused by:\ncontext deadline exceeded": "connecting to job service: failed to dial server at localhost:1: context deadline exceeded",

		stack: stack,
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
		{t.Context(), schema, schema, exitUsage},
		{t.Context(), footer, footer, exitUsage},
		{t.Context(), damage, damage, exitFailed},
		{cancelled, context.Canceled, errInterrupted, exitFailed},
	} {
		code, err := exitCode(test.ctx, test.err)
		require.Equal(t, test.code, code)
		require.Equal(t, test.want, err)
	}
}
