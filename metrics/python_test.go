package metrics

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
)

const pythonFile = "../python/beameval/_tables.py"

// TestPython: the Python package looks metrics up by the same names as Select, and knows the names by which columns are found.
func TestPython(t *testing.T) {
	var out strings.Builder
	out.WriteString(`"""Names of columns and of metrics, made from the tables of the program."""

# By role, the names by which the program finds columns.
NAMES: dict[str, tuple[str, ...]] = {
`)
	var wide []string
	for r := range roles.All() {
		names := r.UsualNames(roles.OfInput)
		if names != nil {
			fmt.Fprintf(&out, "    %q: (%s),\n", r, listed(names))
		}
		if about := r.Of(); about.Input.Wide && about.Names != nil {
			wide = append(wide, r.String())
		}
	}
	fmt.Fprintf(&out, "}\n\n# The roles that several columns may have, one for each label, such as proba_cat.\nWIDE = (%s)\n", listed(wide))
	out.WriteString(`
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
					fmt.Fprintf(&implying, "    %q: (%s),\n", name, listed(options))
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

// listed returns the elements of a tuple of texts.
func listed(list []string) string {
	text := `"` + strings.Join(list, `", "`) + `"`
	if len(list) == 1 {
		text += ","
	}
	return text
}

// impliedOptions returns the keys of options with which the name of a metric of rankings may be refused.
func impliedOptions(name string) (keys []string) {
	for key, o := range map[string]RankingOptions{"gain": {Gain: ExponentialGain}, "relevance_threshold": {RelevanceThreshold: 2}, "map_divisor": {AttainableMAP: true}, "max_relevance": {MaxRelevance: 3}} {
		if o.Gain == 0 && key != "gain" {
			o.Gain = LinearGain
		}
		p := Params{Task: Ranking, Ranking: o}
		if p.agrees(choice{}, name) != nil {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
