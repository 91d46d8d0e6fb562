package sampling

import (
	"fmt"
	"io"
	"strconv"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/document"
)

// mostShown is the largest number of strata on a screen.
const mostShown = 40

// Print prints the strata for a screen. place is where the sample is.
func (s *Sample) Print(w io.Writer, on document.Screen, place string) error {
	d := &document.Document{Output: document.OnScreen}
	shown := s.Strata[:min(len(s.Strata), mostShown)]
	d.Add(document.Section{In: document.OnScreen,
		Plain: fmt.Sprintf("%s: %s of %s rows, to estimate %s", document.OneLine(place), document.Grouped(s.Taken), document.Grouped(s.Rows), aim[s.For]),
		Table: document.TableOf(shown,
			document.Text("stratum", func(st Stratum) string { return quote.Visible(st.Name) }),
			document.Numbers("rows", func(st Stratum) string { return document.Grouped(st.Rows) }),
			document.Numbers("mean grade", func(st Stratum) string { return document.Number(st.Mean) }),
			document.Numbers("expected std", func(st Stratum) string { return document.Number(st.Deviation) }),
			document.Numbers("drawn", func(st Stratum) string { return document.Grouped(st.Taken) }),
			document.Numbers("probability", func(st Stratum) string { return strconv.FormatFloat(st.Probability(), 'g', 4, 64) })),
		Notes: []string{document.FirstOf(len(shown), len(s.Strata), "; the file has all")}})
	return d.Print(w, on)
}

// aim says what is estimated.
var aim = map[Statistic]string{Accuracy: "an accuracy", Mean: "a mean"}
