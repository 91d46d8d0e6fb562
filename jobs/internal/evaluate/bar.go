package evaluate

import (
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"

	"github.com/beameval/beameval/jobs/internal/terminal"
	"github.com/beameval/beameval/pipeline"
)

// bar shows on a terminal how many rows were read, how fast, and how long the rest will take.
type bar struct {
	plan  *pipeline.Plan
	rows  *progress.Tracker
	out   progress.Writer
	drawn chan struct{} // closed when drawing has ended
	tried int64         // slices, by a search, when it was last shown
}

// Widths of the parts of a bar, including the spaces before them. What does not fit is omitted,
// because the terminal would cut the line.
const (
	barText  = 23 // the rows, or another activity: 142.5 M of 999.9 M rows
	barStats = 28 // percentage and times: 100% [59m59s; left: 59m59s]
	barSpeed = 11 // ; 142.5 k/s
	barLeast = 9
	barMost  = 40
)

func newBar(plan *pipeline.Plan, stderr io.Writer) *bar {
	rows := &progress.Tracker{Message: "starting the job", AutoStopDisabled: true, Units: progress.Units{Formatter: amount}}
	w := progress.NewWriter()
	b := &bar{plan: plan, rows: rows, out: w, drawn: make(chan struct{})}
	w.SetOutputWriter(stderr)
	w.SetUpdateFrequency(time.Second / 10)
	w.SetAutoStop(true) // when the tracker is done
	width := terminal.Width(stderr)
	w.SetTerminalWidth(width)
	w.SetTrackerPosition(progress.PositionRight) // relative to the text
	w.SetMessageLength(min(barText, width))
	most := width - barText - barStats - barSpeed
	w.SetTrackerLength(max(barLeast, min(barMost, most)))
	style := progress.StyleBlocks
	style.Colors = progress.StyleColors{}
	style.Visibility = progress.StyleVisibility{ETA: true, Percentage: true, Speed: most >= 0, Time: true, Tracker: most >= barLeast}
	style.Options.Separator = " "
	style.Options.SnipIndicator = "…"
	style.Options.DoneString, style.Options.ErrorString = "done", "stopped"
	style.Options.ETAString = "left"
	style.Options.PercentFormat, style.Options.PercentIndeterminate = "%3.0f%%", "    "
	style.Options.TimeInProgressPrecision, style.Options.TimeDonePrecision = time.Second, time.Second/10
	w.SetStyle(style)
	w.AppendTracker(b.rows)
	go func() {
		defer close(b.drawn)
		w.Render()
	}()
	return b
}

// show updates the bar.
func (b *bar) show(at far, after time.Duration) {
	if at.Waiting != "" || !at.counted {
		b.rows.UpdateMessage(howFar(at, b.plan, after))
		return
	}
	if at.searching() {
		text := "search: " + amount(at.searched) + " rows"
		if at.tried > b.tried {
			text = "search: " + amount(at.tried) + " slices"
		}
		b.tried = at.tried
		b.rows.UpdateMessage(text)
		return
	}
	b.rows.UpdateTotal(b.plan.Rows)
	b.rows.SetValue(min(at.rows, b.plan.Rows))
	if at.rows < b.plan.Rows {
		b.rows.UpdateMessage(rowsOf(at, b.plan))
	} else {
		b.rows.UpdateMessage("computing metrics")
	}
}

// say prints a line above the bar.
func (b *bar) say(text string) { b.out.Log("%s", text) }

// finish leaves a line that shows the outcome.
func (b *bar) finish(succeeded bool) {
	if succeeded {
		b.rows.UpdateMessage(amount(b.plan.Rows) + " rows")
		b.rows.UpdateTotal(b.plan.Rows)
		b.rows.SetValue(b.plan.Rows)
		b.rows.MarkAsDone()
	} else {
		b.rows.MarkAsErrored()
	}
	<-b.drawn
}
