package monitor

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/document"
)

// Each is what many nights show of each value of a part of the paths of reports, such as of each model in
// reports/model=a/dt=2026-11-19: a monitor for each value, and an index of them.
type Each struct {
	Key                string  // of the part, such as model
	NightsToFalseAlarm float64 // of each monitor alone
	Parts              []Part  // by value
	Skipped            []Skipped
	monitors           []*Monitor // of the parts; nil for one without a monitor
}

// Part is the monitor of one value in a few numbers, for the index. Unknown numbers are NaN.
type Part struct {
	Value   string
	Folder  string // of the files of its monitor, in the output; "" if it has no monitor
	Nights  int
	Date    string // of the newest night
	Series  int
	Alarms  int
	Alarmed []string // the first alarms, in words
	// Metric is the first metric that the monitor shows, of all examples; "" if it shows none. The others are its last
	// value with the interval, its change, and its values at the last nights, NaN where it has none.
	Metric    string
	Last      float64
	Low, High float64
	Change    float64
	Trend     []Reading
	Reason    string // why there is no monitor or, if there is one, why it does not judge any series
}

// Reading is the value of a metric at a night.
type Reading struct {
	Date  string
	Value float64
}

// mostAlarmed is the number of alarms that the index names.
const mostAlarmed = 3

// Add adds the monitor of a value. Values must be added in their order.
func (e *Each) Add(value string, m *Monitor) {
	where := m.Alarmed()
	p := Part{
		Value: value, Folder: e.folder(value), Nights: len(m.Nights), Series: len(m.Series), Alarms: len(where), Alarmed: where[:min(len(where), mostAlarmed)],
		Reason: m.unjudged(), Last: math.NaN(), Low: math.NaN(), High: math.NaN(), Change: math.NaN(),
	}
	if n := len(m.Nights); n > 0 {
		p.Date = m.Nights[n-1].Date
	}
	if first := m.headlines(1); len(first) > 0 {
		last := first[0].last()
		p.Metric, p.Last, p.Low, p.High, p.Change, p.Trend = first[0].Metric, last.Value, last.Low, last.High, m.change(first[0]), m.trend(first[0])
	}
	e.add(p, m)
}

// LeaveOut adds a value that has no monitor.
func (e *Each) LeaveOut(value string, reason error) {
	nan := math.NaN()
	e.add(Part{Value: value, Last: nan, Low: nan, High: nan, Change: nan, Reason: reason.Error()}, nil)
}

func (e *Each) add(p Part, m *Monitor) {
	e.Parts, e.monitors = append(e.Parts, p), append(e.monitors, m)
}

// unjudged returns why no series is judged, or "" if one is.
func (m *Monitor) unjudged() string {
	if len(m.Series) == 0 || slices.ContainsFunc(m.Series, func(s Series) bool { return s.Reason == "" }) {
		return ""
	}
	return m.Series[0].Reason
}

// Alarms returns the number of alarms of all monitors.
func (e *Each) Alarms() (n int) {
	for i := range e.Parts {
		n += e.Parts[i].Alarms
	}
	return n
}

// Alarmed names what alarmed, as [Monitor.Alarmed] does, the first alarms of each monitor, with the value of each.
func (e *Each) Alarmed() (all []string) {
	for i := range e.Parts {
		for _, where := range e.Parts[i].Alarmed {
			all = append(all, e.named(&e.Parts[i])+": "+where)
		}
	}
	return all
}

// named names a part in a sentence.
func (e *Each) named(p *Part) string { return quote.Visible(e.Key + "=" + p.Value) }

// verdict says in a word or two what a monitor has found.
func (p *Part) verdict() string {
	switch {
	case p.Folder == "":
		return "left out"
	case p.Alarms > 0:
		return document.Plural(int64(p.Alarms), "alarm")
	case p.Reason != "":
		return "not judged"
	}
	return "no alarm"
}

// worst returns the parts with alarms, those with most first, then those without a monitor, then the others.
func (e *Each) worst() []Part {
	all := slices.Clone(e.Parts)
	slices.SortStableFunc(all, func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.Alarms, a.Alarms), cmp.Compare(oneIf(b.Folder == ""), oneIf(a.Folder == "")))
	})
	return all
}

// tally says how many alarms there are.
func (e *Each) tally() string {
	alarmed, left := 0, 0
	for i := range e.Parts {
		if e.Parts[i].Alarms > 0 {
			alarmed++
		}
		if e.Parts[i].Folder == "" {
			left++
		}
	}
	text := fmt.Sprintf("no alarm in %s", document.Plural(int64(len(e.Parts)), "monitor"))
	if alarmed > 0 {
		text = fmt.Sprintf("%s in %d of %s", document.Plural(int64(e.Alarms()), "alarm"), alarmed, document.Plural(int64(len(e.Parts)), "monitor"))
	}
	if left > 0 {
		text += fmt.Sprintf("; %d left out", left)
	}
	return text
}

// mostName is the length of the name of a folder, in bytes. File systems take 255.
const mostName = 160

// folder returns the name of the folder of a value, which each file system takes, and which differs from the names of
// the other folders also where capitals do not matter.
func (e *Each) folder(value string) string {
	name := safe(e.Key) + "=" + safe(value)
	taken := slices.ContainsFunc(e.Parts, func(p Part) bool { return strings.EqualFold(p.Folder, name) })
	if len(name) <= mostName && !taken {
		return name
	}
	sum := sha256.Sum256([]byte(value))
	return strings.ToValidUTF8(name[:min(len(name), mostName)], "") + "~~" + hex.EncodeToString(sum[:4]) // no safe name has two of these
}

// safe replaces what could mean something to a file system, a shell or a URL with a tilde and two digits for each byte: a
// percent sign would mean something to the last.
func safe(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		plain := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("-_+.", r) && i+n < len(name) // Windows drops a final dot
		if plain && (r != utf8.RuneError || n > 1) {
			b.WriteString(name[i : i+n])
		} else {
			for _, c := range []byte(name[i : i+n]) {
				fmt.Fprintf(&b, "~%02X", c)
			}
		}
		i += n
	}
	return b.String()
}
