package monitor_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/monitor"
)

// small is a monitor.json with one of everything, in which a text is replaced with another.
func small(old, text string) []byte {
	whole := `{"schema":"beameval.monitor/v1","task":"binary","level":0.95,"metrics":["f1"],"nights_to_false_alarm":365,"burn_in":1,"season":7,"alarms":1,` +
		`"nights":[{"date":"2026-11-18","report":"a","at":"2026-11-18T00:00:00Z","examples":2,"segment":0},{"date":"2026-11-19","report":"b","at":"2026-11-19T00:00:00Z","examples":2,"segment":1,"changed":["k"]}],` +
		`"series":[{"metric":"f1","slice":{"c":"d"},"label":"e","nights":2,"evidence":400,"threshold":365,"alarm":true,"since":"2026-11-19","change":-0.25,"reason":"r",` +
		`"values":[{"date":"2026-11-18","value":0.75,"ci_low":0.7,"ci_high":0.8,"p":null,"evidence":null},{"date":"2026-11-19","value":0.5,"ci_low":null,"ci_high":null,"p":0.01,"evidence":400}]}],` +
		`"bounds":[{"metric":"f1","slice":{},"label":null,"min":0.9,"mean":0.625,"ci_low":0.5,"ci_high":0.7,"alarm":true,"since":"2026-11-19"}],` +
		`"drift":[{"score":"score","slice":{},"label":null,"psi":0.25,"psi_ci_low":0.2,"psi_ci_high":0.3,"jensen_shannon":null,"wasserstein":null,"ks_bound":0.5}],` +
		`"skipped":[{"report":"c","reason":"damaged"}],"warnings":["w"]}`
	return []byte(strings.ReplaceAll(whole, old, text))
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ old, text, want string }{
		{`"level":0.95`, `"level":1`, `monitor: level: 1: expected a number in [0, 1)`},
		{`"date":"2026-11-18","report"`, `"date":"","report"`, `night 1: date "": expected the date of no other night`},
		{`"date":"2026-11-18","report"`, `"date":"2026-11-19","report"`, `night 2: date "2026-11-19": expected the date of no other night`},
		{`2026-11-18T`, `2026-11-20T`, `night 2: "2026-11-19" is before the night in front of it: expected the oldest first`},
		{`2026-11-19T00:00:00Z`, `9999-12-31T23:59:59-10:00`, `night 2: at: expected a year in [0, 9999]`},
		{`2026-11-19T00:00:00Z`, `tomorrow`, `tomorrow`},
		{`"date":"2026-11-19","value"`, `"date":"2026-11-20","value"`, `series 1: value 2: date "2026-11-20": expected that of a night`},
		{`"date":"2026-11-19","value"`, `"date":"2026-11-18","value"`, `series 1: value 2: date "2026-11-18": expected a later night than that of the value in front of it`},
		{`"min":0.9,`, ``, `bound 1: expected either min or max`},
		{`"min":0.9`, `"min":0.9,"max":1`, `bound 1: expected either min or max`},
		{`"slice":{"c":"d"}`, `"slice":[]`, `slice`},
		{`"metric":"f1"`, `"metric":1`, `metric`},
		{`beameval.monitor/v1`, `v2`, `the schema is "v2", not "beameval.monitor/v1": monitor again, or use the version of beameval that wrote the file`},
		{`{`, `[`, `monitor: `},
	} {
		_, err := monitor.Read(small(c.old, c.text))
		require.ErrorContains(t, err, c.want, c.text)
	}
	_, err := monitor.Read(small("", ""))
	require.NoError(t, err)
}

func TestMessagesOfEditedMonitors(t *testing.T) {
	reporttest.RequireShortMessages(t, small("", ""), func(data []byte) error { _, err := monitor.Read(data); return err })
}

// FuzzReadMonitor reads edited or damaged files, and writes what was read: the same monitor.json,
// and pages.
func FuzzReadMonitor(f *testing.F) {
	f.Add(small("", ""))
	f.Add(small(`0.75`, `1e308`))
	f.Add(small(`0.5`, `-1e308`))
	f.Add(small(`400`, `5e-324`))
	f.Add(small(`"label":"e"`, `"label":null`))
	f.Add(small(`365`, `null`))
	f.Add(small(`2026-11-18T`, `0000-01-01T`))
	f.Add(small(`2026-11-18T00:00:00Z`, `2026-11-18T23:00:00Z`))
	f.Add(small(`"2026-11-19","change"`, `"?","change"`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := monitor.Read(data)
		if err != nil {
			return
		}
		first := write(t, m)
		reporttest.CheckPage(t, first.Bytes(monitor.HTML))
		again, err := monitor.Read(first.Bytes(monitor.JSON))
		require.NoError(t, err)
		require.Equal(t, first.Content[monitor.JSON].String(), write(t, again).Content[monitor.JSON].String())
	})
}

func TestTrendParquet(t *testing.T) {
	type row struct {
		Name      string   `parquet:"name"`
		Slice     string   `parquet:"slice"`
		Label     *string  `parquet:"label,optional"`
		Date      string   `parquet:"date"`
		Value     *float64 `parquet:"value,optional"`
		Low       *float64 `parquet:"ci_low,optional"`
		P         *float64 `parquet:"p,optional"`
		Evidence  *float64 `parquet:"evidence,optional"`
		Threshold *float64 `parquet:"threshold,optional"`
		Country   *string  `parquet:"slice_country,optional"`
	}
	m := decay()
	rows := reporttest.ReadRows[row](t, write(t, m).Bytes(monitor.Parquet))
	require.Len(t, rows, 10*29+3)
	first, last := &m.Series[3].Values[0], rows[9*29+2]
	require.Equal(t, row{"roc_auc", `{"country":"de"}`, nil, "2026-10-25", &first.Value, &first.Low, nil, nil, reporttest.Ptr(365.0), reporttest.Ptr("de")}, rows[3*29])
	require.Equal(t, row{"f1", "{}", reporttest.Ptr("1"), "2026-10-31", reporttest.Ptr(0.5), nil, nil, nil, nil, nil}, last)
}
