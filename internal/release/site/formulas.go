package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/beameval/beameval/internal/formula"
	"github.com/beameval/beameval/metrics"
)

// formulasFile has what conf.py draws formulas as: MathML by formula. Sources have formulas as people type them.
const formulasFile = "formulas.json"

// formulasOf draws all formulas of metrics.
func formulasOf(all []documentedMetric) (string, error) {
	drawn := map[string]string{}
	for _, m := range all {
		for _, e := range m.entries {
			for _, at := range e.about.Formulas {
				source := e.about.Definition[at[0]:at[1]]
				mathML, err := formula.MathML(source)
				if err != nil {
					return "", fmt.Errorf("metric %s: %w", m.name, err)
				}
				drawn[source] = mathML
			}
		}
	}
	data, err := json.MarshalIndent(drawn, "", "\t")
	return string(data) + "\n", err
}

// definition returns the definition of a metric with its formulas as MyST's role for them.
func definition(m metrics.About) string {
	var out strings.Builder
	from := 0
	for _, at := range m.Formulas {
		fmt.Fprintf(&out, "%s{math}`%s`", m.Definition[from:at[0]], m.Definition[at[0]:at[1]])
		from = at[1]
	}
	return out.String() + m.Definition[from:]
}
