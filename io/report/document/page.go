package document

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/quote"
)

var (
	//go:embed page/*.html
	pageFiles embed.FS
	//go:embed page/style.css
	pageStyle string
	//go:embed page/slider.js
	pageScript string

	pageTemplates = template.Must(template.ParseFS(pageFiles, "page/*.html"))
)

// policy returns a content security policy that allows the page its own style, perhaps a script,
// and no requests.
func policy(scripted bool) string {
	allowed := "default-src 'none'; style-src '" + digestOf(pageStyle)
	if scripted {
		allowed += "'; script-src '" + digestOf(pageScript)
	}
	return allowed + "'; base-uri 'none'; form-action 'none'"
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// page writes the document as a single, self-contained HTML file. The templates escape all text.
func (d *Document) page(w io.Writer) error {
	page := struct {
		*Document
		Policy string
		Style  template.CSS
		Script template.JS // for the slider, if there is one
	}{Document: d, Policy: policy(d.Scripted), Style: template.CSS(pageStyle)}
	if slices.ContainsFunc(d.Sections, func(s Section) bool { return s.Slider != nil }) {
		page.Script = template.JS(pageScript)
	}
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

// Card shows a single number.
type Card struct {
	Name                    []string // lines may break between the parts
	Value, Range, Undefined string
	Change                  string // the change from another report
}

// NewCard returns a card for a value with its interval, if it has one.
func NewCard(name, value string) Card {
	c := Card{Name: strings.SplitAfter(quote.Visible(name), "_"), Value: value}
	for _, sign := range []string{" ± ", " ["} {
		if before, after, found := strings.Cut(c.Value, sign); found {
			c.Value, c.Range = before, strings.TrimSpace(sign)+" "+after
		}
	}
	c.Range = strings.Replace(c.Range, "[ ", "[", 1)
	return c
}
