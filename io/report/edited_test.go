package report_test

import (
	"testing"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
)

func TestMessagesOfEditedReports(t *testing.T) {
	for _, build := range reporttest.Reports {
		reporttest.RequireShortMessages(t, reporttest.Write(t, build()).Bytes(report.MetricsJSON), func(data []byte) error { _, err := report.Read(data); return err })
	}
}
