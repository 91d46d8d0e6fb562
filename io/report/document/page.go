package document

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"strings"
)

var (
	//go:embed page/*.html
	pageFiles embed.FS
	//go:embed page/style.css
	pageStyle string
	//go:embed page/sort.js
	sortScript string
	//go:embed page/charts.js
	chartScript string

	pageTemplates = template.Must(template.ParseFS(pageFiles, "page/*.html"))
)

// policy returns a content security policy that allows the page its own style and scripts, and no
// requests.
func policy(scripts []template.JS) string {
	allowed := "default-src 'none'; style-src " + digestOf(pageStyle) + "; script-src"
	for _, script := range scripts {
		allowed += " " + digestOf(string(script))
	}
	return allowed + "; base-uri 'none'; form-action 'none'"
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// page writes the document as a single, self-contained HTML file. The templates escape all text.
func (d *Document) page(w io.Writer) error {
	page := struct {
		*Document
		Policy  string
		Style   template.CSS
		Scripts []template.JS
	}{Document: d, Style: template.CSS(pageStyle), Scripts: []template.JS{template.JS(sortScript)}}
	if len(d.Known) > 0 {
		page.Scripts = append(page.Scripts, template.JS(chartScript))
	}
	page.Policy = policy(page.Scripts)
	return pageTemplates.ExecuteTemplate(w, "page.html", page)
}

// Note returns the text before the content of a section.
func (s Section) Note() string {
	notes := s.Notes
	if s.Table != nil && s.Table.Marked {
		notes = append(slices.Clip(notes), "–: undefined. *: undefined in whole or in part. The reasons are below.")
	}
	return strings.Join(notes, " ")
}

// Slider is the text of the threshold slider.
type Slider struct {
	Kind               string // the kind of thing that is predicted
	Choice, Search     bool   // there may be several curves, and so many that readers type a name
	Positive, Negative string
}

// LabelCurve is what the script of the page knows of a label, or of all examples of a binary task.
// It is written to the page as JSON.
type LabelCurve struct {
	Name      string  `json:"name"`
	Positives float64 `json:"positives"`
	Negatives float64 `json:"negatives"`
	Start     int     `json:"start"` // index of the point that the slider shows first
	// Decision has the true and false positives of the decisions.
	Decision [2]float64 `json:"decision"`
	// Points of the ROC curve: a threshold, and the true and false positives there.
	Points [][3]float64 `json:"points"`
	// Bins of the calibration curve: mean probability and share of positives, in ten-thousandths,
	// and weight.
	Bins [][3]float64 `json:"bins,omitempty"`
	// Scores are the shares of the positives and of the negatives in the bins of the picture of
	// scores, in ten-thousandths.
	Scores [2][]float64 `json:"scores"`
}
