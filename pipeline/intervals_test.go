package pipeline

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// TestSlicesOfIntervals: with confidence.slices, slices that nobody names have all rows but no intervals, and the
// others have the intervals that they would have had.
func TestSlicesOfIntervals(t *testing.T) {
	t.Parallel()
	lines := func(header string, n int, row func(i int) string) string {
		list := []string{header}
		for i := range n {
			list = append(list, row(i))
		}
		return strings.Join(list, "\n") + "\n"
	}
	country := func(i int) string { return []string{"de", "fr", "ch", ""}[i*i%11%4] }
	score := func(i int) float64 { return float64(i*37%101) / 101 }
	binary := lines("id,label,score,other,country,shop,age", 400, func(i int) string {
		return fmt.Sprintf("%d,%d,%.4f,%.4f,%s,s%d,%d", i, i*i%7%2, score(i), score(i+3), country(i), i%9, i%5)
	})
	some := lines("id,label,score,country,shop", 400, func(i int) string {
		label := ""
		if i%3 > 0 {
			label = fmt.Sprint(i % 2)
		}
		return fmt.Sprintf("%d,%s,%.4f,%s,s%d", i, label, score(i), country(i), i%9)
	})
	classes := lines("id,label,a,b,c,country,shop", 300, func(i int) string {
		x, y := score(i)/2, score(i+5)/2
		return fmt.Sprintf("%d,%c,%v,%v,%v,%s,s%d", i, 'a'+i*i%7%3, x, y, 1-x-y, country(i), i%9)
	})
	ranking := lines("query_id,item_id,relevance,score,country,shop", 600, func(i int) string {
		return fmt.Sprintf("q%d,i%d,%d,%.4f,%s,s%d", i/6, i*7%40, i*i%5%3, score(i), country(i/6), i/6%9)
	})
	regression := lines("id,label,prediction,country,shop", 300, func(i int) string {
		return fmt.Sprintf("%d,%.3f,%.3f,%s,s%d", i, score(i), score(i+2), country(i), i%9)
	})
	const gates = "slices: [country, shop, [country, shop]]\ngates:\n  - {metric: %s, min: -9, slice: {country: fr, shop: s1}}\n  - {metric: %s, min: -9, slice: {shop: s4}}\n"
	for name, c := range map[string]struct{ yaml, metric, data string }{
		"exact curves":           {"task: binary\ncurves: {mode: exact}\n", "roc_auc", binary},
		"bounded curves":         {"task: binary\ncurves: {mode: bounded}\n", "roc_auc", binary},
		"a baseline":             {"task: binary\ninput: {columns: {baseline_score: other}}\n", "roc_auc", binary},
		"groups":                 {"task: binary\ngroups: {by: country, reference: de}\n", "accuracy", binary},
		"every point of a curve": {"task: binary\nmetrics: [ks, max_f1, accuracy]\n", "accuracy", binary},
		"estimated metrics":      {"task: binary\nunlabelled: estimate\n", "accuracy", some},
		"classes":                {"task: multiclass\nper_label: all\ninput: {columns: {score: {a: a, b: b, c: c}}}\n", "accuracy", classes},
		"a ranking":              {"task: ranking\n", "ndcg", ranking},
		"a regression":           {"task: regression\n", "mae", regression},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			yaml := c.yaml + fmt.Sprintf(gates, c.metric, c.metric)
			files := namedTexts(t, [2]string{"data.csv", c.data})
			each := readReport(t, evaluate(t, parse(t, yaml+"confidence: {groups: 20, slices: each}\n", files...)))
			overall := readReport(t, evaluate(t, parse(t, yaml+"confidence: {groups: 20, slices: overall}\n", files...)))
			require.NotEmpty(t, each.Metrics)
			with, without := 0, 0
			for i := range each.Metrics {
				row := &each.Metrics[i]
				if strings.Contains(c.yaml, "groups:") && len(row.Slice) == 1 && row.Slice[0].Column == "country" || isNamed(row.Slice) {
					if row.Confidence.HasInterval() {
						with++
					}
					continue
				}
				row.Confidence, row.Replicates, row.Folds = nil, nil, nil
				without++
			}
			require.Len(t, overall.Metrics, len(each.Metrics))
			for i := range each.Metrics {
				require.Equal(t, rowText(&each.Metrics[i]), rowText(&overall.Metrics[i]))
			}
			require.Greater(t, with, 2)
			require.Greater(t, without, 20)
			require.Equal(t, each.Confidence, overall.Confidence)
			for _, g := range overall.Gates {
				require.Equal(t, report.Pass, g.Verdict, g)
			}
		})
	}
}

// rowText shows a row, in which NaN equals NaN.
func rowText(r *report.Row) string {
	flat := *r
	flat.Label, flat.Bounds, flat.Confidence = nil, nil, nil
	text := fmt.Sprintf("%+v", flat)
	for _, part := range []any{r.Label, r.Bounds, r.Confidence} {
		if v := reflect.ValueOf(part); !v.IsNil() {
			text += fmt.Sprintf(" %+v", v.Elem())
		}
	}
	return text
}

// isNamed reports whether a slice is the overall slice or a slice of the test's gates, with or
// without a label.
func isNamed(key slice.Key) bool {
	if n := len(key); n > 0 && key[n-1].Column == "estimated" {
		key = key[:n-1]
	}
	return len(key) == 0 || key.String() == "shop=s4" || key.String() == "country=fr, shop=s1"
}
