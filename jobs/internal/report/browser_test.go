//go:build browser

package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	browserpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/browser"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/checks"
	"github.com/beameval/beameval/io/slice"
)

// bundled are the data sets in testdata, one of each task.
var bundled = []string{"breast_cancer", "digits", "digits_attributes", "digits_retrieval", "diabetes"}

// TestBrowser opens the report of every task in a browser, in light and dark mode and at the width
// of a phone.
func TestBrowser(t *testing.T) {
	axe, started := browser.Axe(t, "../../.."), browser.Start(t)
	pages := map[string]string{"many": filepath.Join(hostilePage(t), report.ReportHTML), "many compared": filepath.Join(hostileComparison(t), comparison.HTML),
		"many nights": filepath.Join(hostileMonitor(t), monitor.HTML)}
	for _, set := range bundled {
		pages[set] = filepath.Join(evaluated(t, set), report.ReportHTML)
	}
	for _, set := range []string{"digits", "digits_retrieval"} {
		pages["compared "+set] = filepath.Join(comparedSet(t, set), comparison.HTML)
	}
	for name, page := range pages {
		t.Run(name, func(t *testing.T) {
			p := open(t, started, page, "light")
			p.check(t, "headings that are cut", "[...document.querySelectorAll('h1, h2, h3')].map(h => h.textContent).filter(text => text.includes('…'))")
			p.check(t, "columns without a name", "[...document.querySelectorAll('thead tr > *')].filter(c => !c.textContent.trim()).map(c => c.closest('section').id)")
			p.folds(t, false)
			ask[int](t, p, "document.querySelectorAll('details').forEach(d => d.open = true) || 0")
			p.check(t, "texts that overlap", overlaps)
			p.check(t, "sizes of text in charts", fmt.Sprintf(sizesOfText, 11.99))
			p.check(t, "names of the same chart that look alike", alike)
			p.check(t, "rules of accessibility", axe+"; "+browser.Violations)
			p.prefer(t, "dark")
			p.check(t, "colours in the dark", browser.Contrast)
			p.prefer(t, "light")
			order(t, p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 1280, Height: 900, DeviceScaleFactor: 1})
			p.check(t, "a page wider than 1,280 pixels", "[document.documentElement.scrollWidth].filter(width => width > 1280).map(String)")
			if slices.Contains(bundled, strings.TrimPrefix(name, "compared ")) {
				p.check(t, "tables wider than 1,280 pixels", cutTables)
			}
			order(t, p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 360, Height: 740, DeviceScaleFactor: 1, Mobile: true})
			p.check(t, "elements wider than a phone", tooWide)
			p.check(t, "sizes of text in charts on a phone", fmt.Sprintf(sizesOfText, 10.99))
			p.folds(t, true)
			p.check(t, "rules of accessibility on a phone", browser.Violations)
			p.quiet(t)
		})
	}
	t.Run("slider", func(t *testing.T) {
		for _, set := range []string{"breast_cancer", "digits_attributes"} {
			p := open(t, started, pages[set], "light")
			p.slides(t, filepath.Dir(pages[set]))
			p.quiet(t)
		}
	})
	t.Run("without scripts", func(t *testing.T) {
		with := open(t, started, pages["breast_cancer"], "light")
		without := tab(t, started)
		order(t, without, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		without.visit(t, pages["breast_cancer"], "light")
		const seen = "[...document.querySelectorAll('main > section:not([hidden])')].map(s => s.id)"
		scripted, plain := ask[[]string](t, with, seen), ask[[]string](t, without, seen)
		require.Contains(t, scripted, "slider")
		require.NotContains(t, plain, "slider")
		require.Len(t, plain, len(scripted)-1)
	})
}

// TestBrowserManyLabels types the name of one of many labels.
func TestBrowserManyLabels(t *testing.T) {
	p := open(t, browser.Start(t), filepath.Join(hostilePage(t), report.ReportHTML), "light")
	const choose = "(f => { f.value = %q; return f.dispatchEvent(new Event('change')); })(document.getElementById(%q))"
	name := "<script>alert(42)</script> " + strings.Repeat("W", 42)
	const first = "[...document.querySelectorAll('.charts .choice tbody')].map(b => b.rows[0].cells[0].textContent)"
	require.Empty(t, ask[[]string](t, p, first))
	require.Equal(t, 100, ask[int](t, p, "document.querySelectorAll('#names option').length"))
	ask[bool](t, p, fmt.Sprintf(choose, name, "label"))
	want := []string{name, name, "0.00 to 0.05"}
	require.Equal(t, want, ask[[]string](t, p, first), "ROC, precision and recall, scores")
	require.Equal(t, name, ask[string](t, p, "document.getElementById('curve').value"), "the slider follows")
	ask[bool](t, p, fmt.Sprintf(choose, "no label", "curve"))
	require.Equal(t, want, ask[[]string](t, p, first), "no label has that name")
	ask[bool](t, p, fmt.Sprintf(choose, "", "label"))
	require.Empty(t, ask[[]string](t, p, first), "all together")
	p.quiet(t)
}

// TestBrowserTables sorts, unfolds and prints a long table, and shows it on a phone.
func TestBrowserTables(t *testing.T) {
	p := open(t, browser.Start(t), filepath.Join(hostilePage(t), report.ReportHTML), "light")
	const visible = "[...document.querySelectorAll('#slices tbody tr')].filter(r => r.getClientRects().length > 0)"
	values := func() []string { return ask[[]string](t, p, visible+".map(r => r.cells[2].textContent.slice(0, 5))") }
	head := func(script string) string {
		return ask[string](t, p, "(h => "+script+")(document.querySelectorAll('#slices thead th')[2])")
	}
	require.Len(t, values(), 15)
	first := values()[0]
	require.Equal(t, "none", head("h.getAttribute('aria-sort') ?? 'none'"))
	for _, want := range [][2]string{{"ascending", "0.000"}, {"descending", "0.990"}, {"none", first}} {
		require.Equal(t, want[0], head("{ h.querySelector('button').click(); return h.getAttribute('aria-sort') ?? 'none'; }"))
		require.Equal(t, want[1], values()[0])
	}
	ask[int](t, p, "document.querySelector('#slices details summary').click() || 0")
	require.Len(t, values(), 100)
	ask[int](t, p, "document.querySelector('#slices details summary').click() || 0")
	require.Len(t, values(), 15)
	order(t, p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	require.Len(t, values(), 100, "in print, all rows are shown")
	order(t, p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
	order(t, p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 360, Height: 740, DeviceScaleFactor: 1, Mobile: true})
	p.check(t, "elements wider than a phone", tooWide)
	p.quiet(t)
}

// TestBrowserMonitor sorts and unfolds the grid of a monitor, and points at a night of a chart.
func TestBrowserMonitor(t *testing.T) {
	p := open(t, browser.Start(t), filepath.Join(hostileMonitor(t), monitor.HTML), "light")
	values := func() []string {
		return ask[[]string](t, p, "[...document.querySelectorAll('#slices tbody tr')].filter(r => r.getClientRects().length > 0).map(r => r.cells[1].textContent.slice(0, 6))")
	}
	require.Len(t, values(), 15)
	require.Contains(t, ask[string](t, p, "document.querySelector('#slices tbody td').textContent"), "▼", "the worst comes first")
	for _, want := range []string{"0.6000", "0.7980"} {
		ask[int](t, p, "document.querySelectorAll('#slices thead th')[1].querySelector('button').click() || 0")
		require.Equal(t, want, values()[0])
	}
	ask[int](t, p, "document.querySelector('#slices details summary').click() || 0")
	require.Len(t, values(), 100)
	require.Equal(t, "2026-01-01: value 0.8000 ±\u00a00.0100, p 0.500, evidence 1", ask[string](t, p, "(e => { e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"+
		"return document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2).querySelector('title').textContent; })(document.querySelector('#trends .p circle'))"))
	p.quiet(t)
}

// hostileMonitor has more of everything than the page of a monitor shows, with names that are hard
// to show.
func hostileMonitor(t *testing.T) string {
	t.Helper()
	name := strings.Repeat("<b>\u202e&very_long_name ", 12)
	nan := math.NaN()
	m := &monitor.Monitor{Task: "binary", Level: 0.95, Metrics: []string{"roc_auc", "f1"}, NightsToFalseAlarm: 365, BurnIn: 14, Season: 7}
	for i := range 120 {
		at := time.Date(2026, 1, 1+i+i/60*5, 0, 0, 0, 0, time.UTC)
		m.Nights = append(m.Nights, monitor.Night{Date: at.Format(time.DateOnly), At: at, Report: name, Model: name, Examples: 1e12, Segment: i / 40, Changed: []string{name}[:1-min(1, i%40)]})
		m.Skipped = append(m.Skipped, monitor.Skipped{Report: name, Reason: name})
		m.Warnings = append(m.Warnings, name)
		m.Drift = append(m.Drift, monitor.Drift{Score: "score", Slice: slice.Key{{Column: name, Value: slice.Int(int64(i))}}, Label: &name, PSI: report.Estimate{Value: 0.25, Low: 0.125, High: 0.375},
			JensenShannon: report.UnknownEstimate(), Wasserstein: report.UnknownEstimate(), KSBound: report.UnknownEstimate()})
		m.Bounds = append(m.Bounds, monitor.Bound{Metric: "f1", Label: &name, Min: new(0.9), Mean: 0.5, Low: 0.25, High: 0.75, Alarm: true, Since: m.Nights[0].Date})
	}
	for i := range 101 {
		for j, metric := range m.Metrics {
			s := monitor.Series{Metric: metric, Evidence: 1, Threshold: 365, Change: nan}
			if i > 0 {
				s.Slice = slice.Key{{Column: name, Value: slice.Int(int64(i))}}
			}
			for night := range m.Nights {
				value := 0.8 - float64(i)/500
				s.Values = append(s.Values, monitor.Value{Night: night, Value: value, Low: value - 0.01, High: value + 0.01, P: 0.5, Evidence: 1 + float64(night%7)})
			}
			if s.Alarm = j == 0 && i%7 == 0; s.Alarm {
				s.Values[100].Evidence, s.Since, s.Change = 1000, m.Nights[90].Date, -0.125
			}
			m.Series = append(m.Series, s)
		}
	}
	dir := t.TempDir()
	require.NoError(t, monitor.Write(m, func(name string) (io.Writer, error) {
		f, err := os.Create(filepath.Join(dir, name))
		t.Cleanup(func() { f.Close() })
		return f, err
	}))
	return dir
}

// TestBrowserCharts points at a curve and at a cell, and chooses a label by keys.
func TestBrowserCharts(t *testing.T) {
	started := browser.Start(t)
	pointed := func(p *page, of string) string {
		return ask[string](t, p, "(e => { e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"+
			"return document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2).querySelector('title').textContent; })(document.querySelector('"+of+"'))")
	}
	p := open(t, started, filepath.Join(evaluated(t, "digits"), report.ReportHTML), "light")
	require.Contains(t, pointed(p, "[aria-label=\"Confusion matrix\"] svg path:has(title)"), "0")
	p.quiet(t)

	p = open(t, started, filepath.Join(evaluated(t, "digits_attributes"), report.ReportHTML), "light")
	require.Regexp(t, `^[\w ]+: false positive rate \d\.\d+, true positive rate \d\.\d+, threshold `, pointed(p, "[aria-label=ROC] svg .p circle"))
	const state = "[...document.querySelectorAll('.charts .choice tbody')].map(b => b.rows[1].cells[0].textContent).concat(document.getElementById('curve').selectedOptions[0].textContent)"
	require.Equal(t, []string{"even"}, ask[[]string](t, p, state), "all together; the slider is of the first label")
	ask[int](t, p, "document.getElementById('label').focus() || 0")
	for _, label := range []string{"even", "square"} {
		for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
			order(t, p, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: "ArrowDown", Code: "ArrowDown", WindowsVirtualKeyCode: 40})
		}
		require.Equal(t, slices.Repeat([]string{label}, 5), ask[[]string](t, p, state+".filter((_, i) => i !== 3)"), "ROC, precision and recall, reliability, decision curve; the slider")
		require.Contains(t, pointed(p, "[aria-label=ROC] svg .chosen .p circle:nth-child(9)"), label+": false positive rate 0.")
		require.Regexp(t, "^"+label+`: threshold 0\.\d+, net benefit -?0\.\d+, if all are positive -?0\.\d+$`, pointed(p, "[aria-label=\"Decision curve\"] svg .chosen .p circle:nth-child(5)"))
	}
	ask[bool](t, p, "(s => { s.value = -1; return s.dispatchEvent(new Event('change')); })(document.getElementById('label'))")
	require.Equal(t, []string{"square"}, ask[[]string](t, p, state))
	p.quiet(t)
}

// TestBrowserNotebook executes docs/notebook.ipynb, whose report and comparison show their pages in
// frames that can do nothing but run their own script.
func TestBrowserNotebook(t *testing.T) {
	const root = "../../.."
	program, shown := filepath.Join(t.TempDir(), "beameval"), filepath.Join(t.TempDir(), "notebook.html")
	run(t, nil, "go", "build", "-o", program, "./jobs/beameval")
	python, err := filepath.Abs(root + "/python/.venv/bin/python")
	require.NoError(t, err)
	run(t, []string{"BEAMEVAL=" + program, "PYTHONPATH=python"}, python, "python/tests/docs/notebook.py", "docs/notebook.ipynb", shown)

	p := open(t, browser.Start(t), shown, "light")
	require.Equal(t, slices.Repeat([]string{"allow-scripts allow-popups"}, 2), ask[[]string](t, p, "[...document.querySelectorAll('iframe')].map(f => f.sandbox.value)"))
	require.Equal(t, []bool{true, true}, ask[[]bool](t, p, "[...document.querySelectorAll('iframe')].map(f => f.contentDocument === null)"), "the page reaches the notebook")
	require.Greater(t, p.colours(t), 50, "the frames are empty")
	p.quiet(t)

	// A link opens the page in a tab, which reaches the notebook as little.
	opened := make(chan bool, 100)
	require.NoError(t, chromedp.Listen(p.ctx, func(event any) {
		if event, is := event.(*target.EventTargetInfoChanged); is && strings.HasPrefix(event.TargetInfo.URL, "blob:null/") {
			opened <- true // the origin is that of a sandbox
		}
	}))
	order(t, p, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true})
	place := ask[[]float64](t, p, "(b => [b.x + 20, b.y + 10])(document.querySelector('iframe').getBoundingClientRect())")
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		order(t, p, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: place[0], Y: place[1], Button: input.MouseButtonLeft, ClickCount: 1})
	}
	select {
	case <-opened:
	case <-time.After(time.Minute):
		require.Fail(t, "no tab opened")
	}
}

// colours returns how many colours are on the screen: few if nothing but text is.
func (p *page) colours(t *testing.T) int {
	shot, err := chromedp.Call(p.ctx, browserpage.CaptureScreenshot, browserpage.CaptureScreenshotParams{})
	require.NoError(t, err)
	picture, err := png.Decode(bytes.NewReader(shot.Data))
	require.NoError(t, err)
	seen := map[color.Color]bool{}
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			seen[picture.At(x, y)] = true
		}
	}
	return len(seen)
}

// evaluated returns the directory of the report of a bundled data set.
func evaluated(t *testing.T, set string, more ...string) string {
	dir := filepath.Join(t.TempDir(), set)
	beameval(t, append([]string{"evaluate", "--quiet", "--config", "testdata/" + set + "/config.yaml", "--output", dir}, more...)...)
	return dir
}

// comparedSet returns the directory of a comparison of two models of a bundled data set.
func comparedSet(t *testing.T, set string) string {
	sure := []string{"--set", "confidence={groups: 50}"}
	a, b := evaluated(t, set, sure...), evaluated(t, set, append(sure, "--input", "testdata/"+set+"/other.parquet")...)
	dir := filepath.Join(t.TempDir(), "compared")
	beameval(t, "compare", a, b, "--output", dir)
	return dir
}

func beameval(t *testing.T, args ...string) {
	run(t, nil, "go", append([]string{"run", "./jobs/beameval"}, args...)...)
}

// run runs a program in the root of the repository, with further variables of the environment.
func run(t *testing.T, environment []string, program string, args ...string) {
	c := exec.Command(program, args...)
	c.Dir = "../../.."
	c.Env = append(os.Environ(), environment...)
	output, err := c.CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// hostilePage has the maximum of everything that a page shows, with names that are long or contain
// markup.
func hostilePage(t *testing.T) string {
	r := &report.Report{Task: "multilabel", Config: json.RawMessage(`{"report":{"title":"` + strings.Repeat("Title", 40) + `"}}`)}
	sure := &report.Confidence{Low: 0.2, High: 0.9, StdError: 0.1, DOF: 9, Folds: 10, Method: "jackknife"}
	r.Metrics = append(r.Metrics, report.Row{Name: "subset_accuracy", Value: 0.5, Support: 1000})
	for i := range 100 {
		name := fmt.Sprintf("<script>alert(%d)</script> %s", i, strings.Repeat("W", i))
		r.Labels = append(r.Labels, name)
		x := float64(i) / 100
		r.Metrics = append(r.Metrics, report.Row{Name: "f1", Label: &name, Value: x, Support: 100, Confidence: sure},
			report.Row{Name: "subset_accuracy", Slice: slice.Key{{Column: "c", Value: slice.String(name)}}, Value: x, Support: 100, Confidence: sure})
		for truth := range 2 {
			r.Confusion = append(r.Confusion, report.ConfusionCell{
				Label: &name, True: strconv.Itoa(truth), Predicted: "1", TrueIndex: truth, PredictedIndex: 1, Count: 5, Weight: 5,
			})
		}
		for _, curve := range []string{report.CurveROC, report.CurvePR} {
			c := report.Curve{Label: &name, Name: curve}
			for j := range 20 {
				at := float64(j) / 19
				c.Points = append(c.Points, report.CurvePoint{X: at, Y: at * x, Threshold: 1 - at})
			}
			r.Curves = append(r.Curves, c)
		}
	}
	r.Checks = checks.Of(checks.Warning, strings.Repeat("warning", 100))
	return write(t, r)
}

// hostileComparison has the maximum of everything that the page of a comparison shows, with names
// that are long or contain markup.
func hostileComparison(t *testing.T) string {
	var sides [2]*report.Report
	c := &comparison.Comparison{Task: "multilabel", Level: 0.95, Adjust: comparison.Holm, Pairing: comparison.Paired, Warnings: []string{strings.Repeat("warning", 100)}}
	c.A.Name, c.B.Name = strings.Repeat("a/", 500), "<script>alert(1)</script>"
	for side := range sides {
		r := &report.Report{Task: c.Task, Queries: &report.Queries{Names: []string{"lrap"}}}
		for i := range 30 {
			name := fmt.Sprintf("<script>alert(%d)</script> %s", i, strings.Repeat("W", 3*i))
			a, b := float64(i)/60, float64(i)/30
			if side == 0 {
				for _, d := range []comparison.Change{{Name: "average_precision", Label: &name}, {Name: "f1", Label: &name}, {Name: "lrap", Slice: slice.Key{{Column: "c", Value: slice.String(name)}}}} {
					d.A, d.B, d.Difference, d.Low, d.High, d.Verdict = a, b, b-a, b-a-0.1, b-a+0.1, []comparison.Verdict{comparison.Worse, comparison.Better, comparison.NoSignificantChange}[i%3]
					c.Changes = append(c.Changes, d)
				}
				c.Options = append(c.Options, comparison.OptionChange{Key: "decision.threshold." + name, A: []byte("0.5"), B: []byte("0.25")})
			}
			for _, curve := range []string{report.CurveROC, report.CurvePR, report.CurveCalibration} {
				c, slope := report.Curve{Label: &name, Name: curve}, []float64{a, b}[side]
				if i == 0 {
					c.Label, slope = nil, 1/float64(side+1)
				}
				for j := range 20 {
					at := float64(j) / 19
					c.Points = append(c.Points, report.CurvePoint{X: at, Y: at * slope, Threshold: 1 - at, Weight: 1})
				}
				r.Curves = append(r.Curves, c)
			}
			r.Queries.List = append(r.Queries.List, report.Query{ID: slice.String(name), Values: []float64{float64(side*(i-10)) / 100}})
		}
		sides[side] = r
	}
	c.Changes = append(c.Changes, comparison.Change{Name: "lrap", A: 0.5, B: 0.25, Difference: -0.25, Low: -0.5, High: -0.125, Verdict: comparison.Worse})
	c.Sort()
	c.Show(sides[0], sides[1])
	return writeComparison(t, c)
}

// page is a tab of the browser.
type page struct {
	ctx      context.Context
	mu       sync.Mutex
	requests []string
	errors   []string
}

func tab(t *testing.T, started context.Context) *page {
	ctx, cancel := chromedp.NewContext(started)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 15*time.Minute) // a browser that hangs
	t.Cleanup(cancel)
	p := &page{ctx: ctx}
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch event := event.(type) {
		case *network.EventRequestWillBeSent:
			p.requests = append(p.requests, event.Request.URL)
		case *runtime.EventExceptionThrown:
			p.errors = append(p.errors, event.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			p.errors = append(p.errors, fmt.Sprint("console: ", event.Type))
		case *log.EventEntryAdded:
			p.errors = append(p.errors, event.Entry.Text)
		}
	}))
	order(t, p, network.Enable, network.EnableParams{})
	return p
}

func open(t *testing.T, started context.Context, path, scheme string) *page {
	p := tab(t, started)
	p.visit(t, path, scheme)
	return p
}

func (p *page) visit(t *testing.T, path, scheme string) {
	address := (&url.URL{Scheme: "file", Path: path}).String()
	p.prefer(t, scheme)
	require.NoError(t, chromedp.Do(p.ctx, chromedp.Navigate(address)))
	p.mu.Lock()
	defer p.mu.Unlock()
	require.Equal(t, []string{address}, p.requests)
}

// prefer says which scheme of colours the reader prefers.
func (p *page) prefer(t *testing.T, scheme string) {
	order(t, p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// order sends a command of the browser's protocol.
func order[P, R any](t *testing.T, p *page, command cdp.Command[P, R], params P) {
	t.Helper()
	_, err := chromedp.Call(p.ctx, command, params)
	require.NoError(t, err)
}

// ask returns the result of a script.
func ask[T any](t *testing.T, p *page, script string) T {
	t.Helper()
	answer, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	require.NoError(t, err)
	return answer
}

// check fails if a script returns anything.
func (p *page) check(t *testing.T, what, script string) {
	t.Helper()
	require.Empty(t, ask[[]string](t, p, script), what)
}

// quiet fails if the page requested anything but itself, or wrote to the console.
func (p *page) quiet(t *testing.T) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	require.Len(t, p.requests, 1, "the page sent requests")
	require.Empty(t, p.errors)
}

// overlaps finds texts of a picture whose boxes overlap by more than rounding.
const overlaps = `[...document.querySelectorAll('svg')].flatMap(svg => {
	const boxes = [...svg.querySelectorAll('text')].map(e => [e.textContent, e.getBoundingClientRect()]);
	return boxes.flatMap(([s, a], i) => boxes.slice(i + 1)
		.filter(([, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
		.map(([t]) => svg.querySelector('title').textContent + ': ' + s + ' | ' + t));
})`

// tooWide finds elements that are wider than a phone, unless they are in a box that scrolls.
const tooWide = `(document.documentElement.scrollWidth > 360 ? ['the page: ' + document.documentElement.scrollWidth] : []).concat(
	[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > 360.5 && !e.parentElement.closest('.scroll, pre'))
		.map(e => e.outerHTML.slice(0, 200)))`

// sizesOfText finds text of charts that is smaller than a size, or larger than drawn.
const sizesOfText = `[...document.querySelectorAll('figure svg')].filter(svg => svg.getClientRects().length).flatMap(svg => {
	const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
	return [...svg.querySelectorAll('text')].map(e => parseFloat(getComputedStyle(e).fontSize) * scale).filter(size => size < %g || size > 12.01)
		.map(size => svg.querySelector('title').textContent + ': ' + size);
}).slice(0, 5)`

// alike finds names of rows of a chart that are shown more than once: texts that end at the same place, left of the axis.
const alike = `[...document.querySelectorAll('figure svg')].flatMap(svg => {
	const names = {};
	for (const e of svg.querySelectorAll('text:not([transform])')) (names[Math.round(e.getBoundingClientRect().right) + ' ' + e.textContent] ??= []).push(e);
	return Object.values(names).filter(list => list.length > 1 && list[0].textContent.includes('…')).map(list => svg.querySelector('title').textContent + ': ' + list[0].textContent);
})`

// cutTables finds tables, but those of the data of charts, that readers have to scroll.
const cutTables = `[...document.querySelectorAll('main .scroll:has(> table)')].filter(e => !e.closest('figure') && e.scrollWidth > e.clientWidth + 1)
	.map(e => e.getAttribute('aria-label') + ': ' + e.scrollWidth + ' of ' + e.clientWidth)`

// folds checks that a phone, and nothing else, shows the first three of many charts until it is asked for all.
func (p *page) folds(t *testing.T, phone bool) {
	t.Helper()
	const of = "[...document.querySelectorAll('.few')].map(e => [e, [...e.querySelectorAll('figure')]])"
	const shown = of + ".map(([e, all]) => all.filter(f => f.getClientRects().length > 0).length)"
	all := ask[[]int](t, p, of+".map(([e, all]) => all.length)")
	unfold := func(is bool) {
		ask[int](t, p, fmt.Sprintf("document.querySelectorAll('.few > details').forEach(d => d.open = %v) || 0", is))
	}
	unfold(false)
	want := slices.Clone(all)
	if phone {
		want = slices.Repeat([]int{3}, len(all))
	}
	require.Equal(t, want, ask[[]int](t, p, shown))
	unfold(true)
	require.Equal(t, all, ask[[]int](t, p, shown))
}

// slides compares the initial numbers of the slider, at the threshold of the report, with
// metrics.json, and then moves it.
func (p *page) slides(t *testing.T, dir string) {
	data, err := os.ReadFile(filepath.Join(dir, report.MetricsJSON))
	require.NoError(t, err)
	r, err := report.Read(data)
	require.NoError(t, err)
	curves := []string{""}
	if r.Task == "multilabel" {
		curves = r.Labels
	}
	for i, label := range curves {
		ask[bool](t, p, fmt.Sprintf("document.getElementById('curve').value = %d; document.getElementById('curve').dispatchEvent(new Event('change'))", i))
		shown := p.shown(t)
		require.Equal(t, "0.5000", shown["at"])
		compared := 0
		for _, row := range r.Metrics {
			same := row.Label == nil && label == "" || row.Label != nil && *row.Label == label
			if text, ok := shown[row.Name]; ok && same && len(row.Slice) == 0 {
				value, err := strconv.ParseFloat(text, 64)
				require.NoError(t, err)
				require.InDelta(t, row.Value, value, 5.1e-5, "%s of %q", row.Name, label)
				compared++
			}
		}
		require.GreaterOrEqual(t, compared, 3)
		ask[bool](t, p, "(s => { s.value = s.max; return s.dispatchEvent(new Event('input')); })(document.getElementById('threshold'))")
		require.Equal(t, "1.0000", p.shown(t)["recall"], "at the lowest threshold everything is found")
	}
}

func (p *page) shown(t *testing.T) map[string]string {
	return ask[map[string]string](t, p, "Object.fromEntries(['at', 'precision', 'recall', 'f1', 'tp', 'fp', 'fn', 'tn'].map(id => [id, document.getElementById(id).textContent]))")
}
