package metrics

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const pythonFile = "../python/beameval/_metrics.py"

// TestPython: the Python package looks metrics up by the same names as Select.
func TestPython(t *testing.T) {
	var out strings.Builder
	out.WriteString(`"""Other names of metrics, made from the catalogue of the program."""

# By task, what metrics are also called, with parameters in <>. All may have an average, such as _macro.
OTHER: dict[str, dict[str, str]] = {
`)
	var implying strings.Builder
	for _, n := range taskNames {
		fmt.Fprintf(&out, "    %q: {\n", n.name)
		for _, m := range catalogue {
			names := slices.Clone(m.aliases)
			if m.tasks&n.task == 0 {
				continue
			}
			if strings.Contains(m.name, "<") {
				names = append(names, m.name)
			}
			for _, name := range names {
				fmt.Fprintf(&out, "        %q: %q,\n", name, m.name)
				if options := impliedOptions(name); n.task == Ranking && options != nil {
					list := strings.Join(options, ", ")
					if len(options) == 1 {
						list += ","
					}
					fmt.Fprintf(&implying, "    %q: (%s),\n", name, list)
				}
			}
		}
		out.WriteString("    },\n")
	}
	out.WriteString("}\n\n# Names of other tools, with the keys of ranking that have their default, or linear gains, where a report has the metrics under them.\nIMPLYING: dict[str, tuple[str, ...]] = {\n" + implying.String() + "}\n")
	if *update {
		require.NoError(t, os.WriteFile(pythonFile, []byte(out.String()), 0o644))
	}
	have, err := os.ReadFile(pythonFile)
	require.NoError(t, err)
	require.Equal(t, out.String(), string(have), "go test ./metrics -run TestPython -update writes %s anew", pythonFile)
}

// impliedOptions returns the keys of options with which the name of a metric of rankings may be refused.
func impliedOptions(name string) (keys []string) {
	for key, o := range map[string]RankingOptions{"gain": {Gain: ExponentialGain}, "relevance_threshold": {RelevanceThreshold: 2}, "map_divisor": {AttainableMAP: true}, "max_relevance": {MaxRelevance: 3}} {
		if o.Gain == 0 && key != "gain" {
			o.Gain = LinearGain
		}
		p := Params{Task: Ranking, Ranking: o}
		if p.agrees(choice{}, name) != nil {
			keys = append(keys, fmt.Sprintf("%q", key))
		}
	}
	slices.Sort(keys)
	return keys
}
