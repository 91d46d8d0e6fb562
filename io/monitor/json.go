package monitor

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// monitorFile is monitor.json; see [report.WriteObject] for the layout.
type monitorFile struct {
	Schema             string       `json:"schema"`
	Task               string       `json:"task"`
	Level              float64      `json:"level"`
	Metrics            []string     `json:"metrics"`
	NightsToFalseAlarm float64      `json:"nights_to_false_alarm"`
	BurnIn             int          `json:"burn_in"`
	Season             int          `json:"season"`
	Alarms             int          `json:"alarms"`
	Nights             []nightJSON  `json:"nights" layout:"lines"`
	Series             []seriesJSON `json:"series" layout:"lines"`
	Bounds             []boundJSON  `json:"bounds" layout:"lines"`
	Drift              []driftJSON  `json:"drift" layout:"lines"`
	LabelShift         []LabelShift `json:"label_shift" layout:"lines"`
	Skipped            []Skipped    `json:"skipped" layout:"lines"`
	Warnings           []string     `json:"warnings" layout:"lines"`
}

type nightJSON struct {
	Date     string    `json:"date"`
	Report   string    `json:"report"`
	At       time.Time `json:"at"`
	Model    string    `json:"model,omitempty"`
	Examples int64     `json:"examples"`
	Segment  int       `json:"segment"`
	Changed  []string  `json:"changed,omitempty"`
}

// seriesJSON is a series in monitor.json. Unknown numbers are null.
type seriesJSON struct {
	Metric    string      `json:"metric"`
	Slice     slice.Key   `json:"slice"`
	Label     *string     `json:"label"`
	Nights    int         `json:"nights"`
	TwoSided  bool        `json:"two_sided"`
	Evidence  *float64    `json:"evidence"`
	Threshold *float64    `json:"threshold"`
	Alarm     bool        `json:"alarm"`
	Since     *string     `json:"since"`
	Change    *float64    `json:"change"`
	Reason    string      `json:"reason,omitempty"`
	Values    []valueJSON `json:"values"`
}

type valueJSON struct {
	Date     string   `json:"date"`
	Value    *float64 `json:"value"`
	Low      *float64 `json:"ci_low"`
	High     *float64 `json:"ci_high"`
	P        *float64 `json:"p"`
	Evidence *float64 `json:"evidence"`
}

type boundJSON struct {
	Metric string    `json:"metric"`
	Slice  slice.Key `json:"slice"`
	Label  *string   `json:"label"`
	Min    *float64  `json:"min,omitempty"`
	Max    *float64  `json:"max,omitempty"`
	Mean   *float64  `json:"mean"`
	Low    *float64  `json:"ci_low"`
	High   *float64  `json:"ci_high"`
	Alarm  bool      `json:"alarm"`
	Since  *string   `json:"since"`
	Reason string    `json:"reason,omitempty"`
}

type driftJSON struct {
	Score             string    `json:"score"`
	Slice             slice.Key `json:"slice"`
	Label             *string   `json:"label"`
	PSI               *float64  `json:"psi"`
	PSILow            *float64  `json:"psi_ci_low"`
	PSIHigh           *float64  `json:"psi_ci_high"`
	JensenShannon     *float64  `json:"jensen_shannon"`
	JensenShannonLow  *float64  `json:"jensen_shannon_ci_low"`
	JensenShannonHigh *float64  `json:"jensen_shannon_ci_high"`
	Wasserstein       *float64  `json:"wasserstein"`
	WassersteinLow    *float64  `json:"wasserstein_ci_low"`
	WassersteinHigh   *float64  `json:"wasserstein_ci_high"`
	KSBound           *float64  `json:"ks_bound"`
	KSBoundLow        *float64  `json:"ks_bound_ci_low"`
	KSBoundHigh       *float64  `json:"ks_bound_ci_high"`
}

// WriteJSON writes monitor.json as [Write] does.
func (m *Monitor) WriteJSON(w io.Writer) error {
	return report.WriteObject(w, monitorFile{
		Schema: schema, Task: quote.Valid(m.Task), Level: m.Level, Metrics: append([]string{}, lists.Map(m.Metrics, quote.Valid)...),
		NightsToFalseAlarm: m.NightsToFalseAlarm, BurnIn: m.BurnIn, Season: m.Season, Alarms: m.Alarms(),
		Nights: lists.Map(m.Nights, func(n Night) nightJSON {
			return nightJSON{quote.Valid(n.Date), quote.Valid(n.Report), n.At.UTC(), quote.Valid(n.Model), n.Examples, n.Segment, lists.Map(n.Changed, quote.Valid)}
		}),
		Series: lists.Map(m.Series, m.seriesJSON),
		Bounds: lists.Map(m.Bounds, func(b Bound) boundJSON {
			return boundJSON{quote.Valid(b.Metric), b.Slice, tabular.LabelText(b.Label), b.Min, b.Max, numbers.OrNil(b.Mean), numbers.OrNil(b.Low), numbers.OrNil(b.High), b.Alarm, textOrNil(b.Since), quote.Valid(b.Reason)}
		}),
		Drift: lists.Map(m.Drift, func(d Drift) driftJSON {
			j := driftJSON{Score: quote.Valid(d.Score), Slice: d.Slice, Label: tabular.LabelText(d.Label)}
			for to, from := range j.distances(&d) {
				*to = numbers.OrNil(*from)
			}
			return j
		}),
		LabelShift: lists.Map(m.LabelShift, func(l LabelShift) LabelShift { return LabelShift{quote.Valid(l.Label), l.Weight} }),
		Skipped:    lists.Map(m.Skipped, func(s Skipped) Skipped { return Skipped{quote.Valid(s.Report), quote.Valid(s.Reason)} }),
		Warnings:   lists.Map(m.Warnings, quote.Valid),
	})
}

func (m *Monitor) seriesJSON(s Series) seriesJSON {
	return seriesJSON{
		quote.Valid(s.Metric), s.Slice, tabular.LabelText(s.Label), len(s.Values), s.TwoSided, numbers.OrNil(s.Evidence), numbers.OrNil(s.Threshold), s.Alarm, textOrNil(s.Since),
		numbers.OrNil(s.Change), quote.Valid(s.Reason), append([]valueJSON{}, lists.Map(s.Values, func(v Value) valueJSON {
			return valueJSON{quote.Valid(m.Nights[v.Night].Date), numbers.OrNil(v.Value), numbers.OrNil(v.Low), numbers.OrNil(v.High), numbers.OrNil(v.P), numbers.OrNil(v.Evidence)}
		})...),
	}
}

// distances yields where the numbers of d are in JSON.
func (j *driftJSON) distances(d *Drift) func(yield func(**float64, *float64) bool) {
	return func(yield func(**float64, *float64) bool) {
		for _, of := range []struct {
			value, low, high **float64
			distance         *Distance
		}{
			{&j.PSI, &j.PSILow, &j.PSIHigh, &d.PSI},
			{&j.JensenShannon, &j.JensenShannonLow, &j.JensenShannonHigh, &d.JensenShannon},
			{&j.Wasserstein, &j.WassersteinLow, &j.WassersteinHigh, &d.Wasserstein},
			{&j.KSBound, &j.KSBoundLow, &j.KSBoundHigh, &d.KSBound},
		} {
			if !yield(of.value, &of.distance.Value) || !yield(of.low, &of.distance.Low) || !yield(of.high, &of.distance.High) {
				return
			}
		}
	}
}

// textOrNil returns nil for "".
func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return new(quote.Valid(s))
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func labelOf(text *string) *string {
	if text == nil {
		return nil
	}
	return new(quote.Unescape(*text))
}

// Read reads a monitor.json. A null number becomes NaN.
func Read(data []byte) (*Monitor, error) {
	var file monitorFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("monitor: %w", err)
	}
	if file.Schema != schema {
		return nil, fmt.Errorf("monitor: the schema is %q, not %q: monitor again, or use the version of beameval that wrote the file", file.Schema, schema)
	}
	m := &Monitor{
		Task: file.Task, Level: file.Level, Metrics: report.OrNil(file.Metrics), NightsToFalseAlarm: file.NightsToFalseAlarm, BurnIn: file.BurnIn, Season: file.Season,
		Nights: lists.Map(file.Nights, func(n nightJSON) Night {
			return Night{n.Date, n.At.UTC(), n.Report, n.Model, n.Examples, n.Segment, n.Changed}
		}),
		Bounds: lists.Map(file.Bounds, func(b boundJSON) Bound {
			return Bound{b.Metric, b.Slice, labelOf(b.Label), b.Min, b.Max, numbers.OrNaN(b.Mean), numbers.OrNaN(b.Low), numbers.OrNaN(b.High), b.Alarm, textOf(b.Since), b.Reason}
		}),
		Drift: lists.Map(file.Drift, func(j driftJSON) Drift {
			d := Drift{Score: j.Score, Slice: j.Slice, Label: labelOf(j.Label)}
			for from, to := range j.distances(&d) {
				*to = numbers.OrNaN(*from)
			}
			return d
		}),
		LabelShift: report.OrNil(file.LabelShift), Skipped: report.OrNil(file.Skipped), Warnings: report.OrNil(file.Warnings),
	}
	if err := file.check(); err != nil {
		return nil, fmt.Errorf("monitor: %w", err)
	}
	places := lists.Places(lists.Map(file.Nights, func(n nightJSON) string { return n.Date }))
	for i := range file.Series {
		s, err := file.Series[i].series(places)
		if err != nil {
			return nil, fmt.Errorf("monitor: series %d: %w", i+1, err)
		}
		m.Series = append(m.Series, s)
	}
	return m, nil
}

// check returns an error if a value is invalid: a file may have been edited.
func (file *monitorFile) check() error {
	if !(file.Level >= 0 && file.Level < 1) {
		return fmt.Errorf("level: %v: expected a number in [0, 1)", file.Level)
	}
	met := map[string]bool{}
	for i, n := range file.Nights {
		switch {
		case n.Date == "" || met[n.Date]:
			return fmt.Errorf("night %d: date %s: expected the date of no other night", i+1, quote.Value(n.Date))
		case i > 0 && n.At.Before(file.Nights[i-1].At):
			return fmt.Errorf("night %d: %s is before the night in front of it: expected the oldest first", i+1, quote.Value(n.Date))
		case n.At.UTC().Year() < 0 || n.At.UTC().Year() > 9999:
			return fmt.Errorf("night %d: at: expected a year in [0, 9999]", i+1)
		}
		met[n.Date] = true
	}
	for i, b := range file.Bounds {
		if (b.Min == nil) == (b.Max == nil) {
			return fmt.Errorf("bound %d: expected either min or max", i+1)
		}
	}
	return nil
}

// series returns the series, whose values are at the nights with the given places.
func (j *seriesJSON) series(places map[string]int) (Series, error) {
	s := Series{
		Metric: j.Metric, Slice: j.Slice, Label: labelOf(j.Label), TwoSided: j.TwoSided, Evidence: numbers.OrNaN(j.Evidence), Threshold: numbers.OrNaN(j.Threshold),
		Alarm: j.Alarm, Since: textOf(j.Since), Change: numbers.OrNaN(j.Change), Reason: j.Reason,
	}
	last := -1
	for i, v := range j.Values {
		at, found := places[v.Date]
		switch {
		case !found:
			return s, fmt.Errorf("value %d: date %s: expected that of a night", i+1, quote.Value(v.Date))
		case at <= last:
			return s, fmt.Errorf("value %d: date %s: expected a later night than that of the value in front of it", i+1, quote.Value(v.Date))
		}
		last = at
		s.Values = append(s.Values, Value{at, numbers.OrNaN(v.Value), numbers.OrNaN(v.Low), numbers.OrNaN(v.High), numbers.OrNaN(v.P), numbers.OrNaN(v.Evidence)})
	}
	return s, nil
}
