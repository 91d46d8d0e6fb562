package reports

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLastDate: the last date in a name counts, and what looks like one but is none is told.
func TestLastDate(t *testing.T) {
	for dir, want := range map[string]struct{ day, rest, odd string }{
		"reports/dt=2026-11-19":                {day: "2026-11-19"},
		"reports/20261119/b":                   {day: "2026-11-19", rest: "/b"},
		"reports/2026_11_19":                   {day: "2026-11-19"},
		"year=2026/month=11/day=19/hour=3":     {day: "2026-11-19", rest: "/hour=3"},
		"2026/11/19":                           {day: "2026-11-19"},
		"2025-12-31/2026-11-19":                {day: "2026-11-19"},
		"y8760/dt=2025-01-01":                  {day: "2025-01-01"},
		"y8760/2025-01-01":                     {day: "2025-01-01"},
		"y8760/20250101":                       {day: "2025-01-01"},
		"y8760/2025/01/01":                     {day: "2025-01-01"},
		"s3://bucket-1234/5678/dt=2025-01-01":  {day: "2025-01-01"},
		"v1234-56-7890/dt=2025-01-01":          {day: "2025-01-01"},
		"dt=2025-01-01/run-1234-56-78":         {day: "2025-01-01", rest: "/run-1234-56-78"},
		"dt=2025-01-01/20269999":               {day: "2025-01-01", rest: "/20269999"},
		"20269999-01-01":                       {},
		"12345678901/x":                        {},
		"y8760/runs":                           {},
		"y8760/dt=2025":                        {},
		"dt=2026-02-30":                        {odd: "2026-02-30"},
		"dt=2026-13-01":                        {odd: "2026-13-01"},
		"20260230":                             {odd: "20260230"},
		"2026/13/01":                           {odd: "2026/13/01"},
		"year=2025/month=13/day=01":            {odd: "2025/month=13/day=01"},
		"2026/02/30":                           {odd: "2026/02/30"},
		"year=2025/dt=2026-02-30":              {odd: "2026-02-30"},
		"2026-01-01/dt=2026-02-30":             {odd: "2026-02-30"},
		"dt=2026-02-30/again=2026-03-01/hour=": {day: "2026-03-01", rest: "/hour="},
	} {
		night, odd := lastDate(dir)
		day := ""
		if !night.At.IsZero() {
			day = night.At.Format(time.DateOnly)
		}
		require.Equal(t, want, struct{ day, rest, odd string }{day, night.Rest, odd}, dir)
	}
}

// TestReadRowsTwice: a report whose rows are not distinct cannot be compared, as nobody knows which counts.
func TestReadRowsTwice(t *testing.T) {
	dir := t.TempDir()
	const row = `{"name":"f1","slice":{"c":"x"},"label":null,"value":0.5,"support":1}`
	for rows, want := range map[string]string{
		row: "",
		row + "," + `{"name":"f1","slice":{"c":"y"},"label":null,"value":0.5,"support":1}`: "",
		row + "," + row: filepath.ToSlash(dir) + "/metrics.json: f1 (c=x) occurs twice",
	} {
		content := `{"schema":"beameval.report/v1","task":"binary","config":{},"labels":[],"metrics":[` + rows + `]}`
		require.NoError(t, os.WriteFile(filepath.Join(dir, "metrics.json"), []byte(content), 0o600))
		_, err := Read(t.Context(), dir)
		if want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want)
		}
	}
}
