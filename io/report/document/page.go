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
