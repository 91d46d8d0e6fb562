package comparison

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
)

// Named names the systems of reports in directories; see [comparison.Names].
func Named(dirs []string, reports []*report.Report) []System {
	names := comparison.Names(collections.Map(reports, func(r *report.Report) string { return r.Settings().Report.Model }), dirs)
	systems := make([]System, len(dirs))
	for i, dir := range dirs {
		systems[i] = System{Name: names[i], Path: dir, Report: reports[i]}
	}
	return systems
}

// NamedByDataSet names the systems and data sets of reports in directories, such as data/system: by
// report.model and report.data of their configurations, otherwise by the last element of the
// directory and the one before it.
func NamedByDataSet(dirs []string, reports []*report.Report) []System {
	systems := make([]System, len(dirs))
	for i, dir := range dirs {
		says := reports[i].Settings().Report
		clean := path.Clean(dir)
		systems[i] = System{Name: cmp.Or(says.Model, path.Base(clean)), Data: cmp.Or(says.Data, path.Base(path.Dir(clean))), Path: dir, Report: reports[i]}
	}
	return systems
}

// referenceOf returns the name of the system that is called name or whose report is in that
// directory; of the first if name is empty.
func referenceOf(systems []System, name string) (string, error) {
	if name == "" {
		return systems[0].Name, nil
	}
	var known []string
	for _, s := range systems {
		if s.Name == name || strings.TrimRight(s.Path, "/") == strings.TrimRight(name, "/") {
			return s.Name, nil
		}
		known = append(known, s.Name)
	}
	return "", fmt.Errorf("--reference: there is no system %s; did you mean %s? The systems are %s", quote.Value(name), quote.Value(quote.Nearest(name, known)), quote.List(known, 10, "%d more"))
}
