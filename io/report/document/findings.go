package document

import (
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/report/checks"
	"github.com/beameval/beameval/io/report/findings"
)

// AddFindings adds what stands out, if it has been looked for. Where nothing does, it still points at the checks that hold.
func (d *Document) AddFindings(list []findings.Finding, hold []checks.Check) {
	if list == nil {
		return
	}
	shown := OneLine
	if d.Output == Page {
		shown = Brief
	}
	s := Section{In: OnScreen | Markdown | Page, ID: "findings", Title: "What stands out", Lead: "What stands out:"}
	s.List = collections.Map(list, func(f findings.Finding) string { return shown(f.Message) })
	s.See = collections.Map(list, func(f findings.Finding) string { return f.See })
	if len(list) == 0 {
		s.List, s.See = []string{"Nothing stands out: no finding is beyond what chance explains."}, nil
		if odd := ChecksInWords(hold); odd != "" {
			s.List, s.See = []string{"Nothing stands out beyond what chance explains, besides " + odd + " about the data."}, []string{"checks"}
		}
	}
	d.Add(s)
}

// Referred returns the section to which an item of the list of another refers, or nil. Where the document does not have
// that section, it is the charts or all metrics.
func (d *Document) Referred(from Section, item int) *Section {
	if item >= len(from.See) {
		return nil
	}
	for _, id := range []string{from.See[item], "charts", "metrics"} {
		if at := slices.IndexFunc(d.Sections, func(s Section) bool { return s.ID == id }); at >= 0 {
			return &d.Sections[at]
		}
	}
	return nil
}

// link returns a link of Markdown to the section to which an item of a list refers, or "".
func (d *Document) link(from Section, item int) string {
	to := d.Referred(from, item)
	if to == nil {
		return ""
	}
	return " ([" + to.Title + "](#" + strings.ReplaceAll(strings.ToLower(to.Title), " ", "-") + "))"
}
