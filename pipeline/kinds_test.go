package pipeline

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
)

// classRow has a class and a prediction of some type.
type classRow[T any] struct {
	Label      T `parquet:"label"`
	Prediction T `parquet:"prediction"`
}

// writeClasses writes pairs of classes as a Parquet file of a type.
func writeClasses[T any](t *testing.T, pairs [][2]int, of func(int) T) string {
	rows := make([]classRow[T], len(pairs))
	for i, p := range pairs {
		rows[i] = classRow[T]{of(p[0]), of(p[1])}
	}
	return write(t, rows, 1, 1000)
}

// storedClasses returns pairs of numbers in files of every type and format that holds them.
func storedClasses(t *testing.T, pairs [][2]int) map[string]string {
	csv, decimals, jsonl := "label,prediction\n", "label,prediction\n", ""
	for _, p := range pairs {
		csv += fmt.Sprintf("%d,%d\n", p[0], p[1])
		decimals += fmt.Sprintf("%d.0,%d.00\n", p[0], p[1])
		jsonl += fmt.Sprintf("{\"label\": %d, \"prediction\": %d.0}\n", p[0], p[1])
	}
	return map[string]string{
		"int8":     writeClasses(t, pairs, func(x int) int8 { return int8(x) }),
		"int32":    writeClasses(t, pairs, func(x int) int32 { return int32(x) }),
		"int64":    writeClasses(t, pairs, func(x int) int64 { return int64(x) }),
		"float":    writeClasses(t, pairs, func(x int) float32 { return float32(x) }),
		"double":   writeClasses(t, pairs, func(x int) float64 { return float64(x) }),
		"CSV":      namedTexts(t, [2]string{"p.csv", csv})[0],
		"decimals": namedTexts(t, [2]string{"p.csv", decimals})[0],
		"JSON":     namedTexts(t, [2]string{"p.jsonl", jsonl})[0],
	}
}

// spellings are the ways to write the number of a class.
func spellings(x int) []string {
	return []string{fmt.Sprint(x), fmt.Sprintf("%d.0", x), fmt.Sprintf("%d.00", x), fmt.Sprintf("%de0", x), fmt.Sprintf("%q", fmt.Sprint(x)), fmt.Sprintf("%q", fmt.Sprintf("%d.0", x))}
}

// TestClassesThatAreNumbers: numbers that are classes match by value, however they are stored and spelled, in every order of
// the labels, and wherever these are named. Recalls are counted by hand.
func TestClassesThatAreNumbers(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		classes := random.Perm(9)[:3]
		for i := range classes {
			classes[i]-- // -1, too
		}
		var pairs [][2]int
		of, hits := map[int]float64{}, map[int]float64{}
		for i := range 20 {
			pair := [2]int{classes[i%3], classes[random.IntN(3)]}
			pairs = append(pairs, pair)
			if of[pair[0]]++; pair[0] == pair[1] {
				hits[pair[0]]++
			}
		}
		for kind, files := range storedClasses(t, pairs) {
			random.Shuffle(3, func(i, j int) { classes[i], classes[j] = classes[j], classes[i] })
			var written, bare []string
			for _, class := range classes {
				ways := spellings(class)
				way := ways[random.IntN(len(ways))]
				written, bare = append(written, way), append(bare, strings.Trim(way, `"`))
			}
			names := filepath.Join(t.TempDir(), "names.txt")
			require.NoError(t, os.WriteFile(names, []byte(strings.Join(bare, "\n")+"\n"), 0o600))
			for _, yaml := range []string{"labels: [" + strings.Join(written, ", ") + "]\n", "labels_file: " + names + "\n"} {
				values := valuesOf(readReport(t, evaluateOn(t, parse(t, "task: multiclass\nmetrics: [recall]\n"+yaml, files), "direct", 0)))
				for i, class := range classes {
					require.Equal(t, hits[class]/of[class], values[keyOf(nil, "recall", &bare[i])].Value, "%s %s %d", kind, yaml, class)
				}
			}
		}
	}
}

// TestClassesThatAreBooleans: true and false match by value in every spelling and order, in columns of every format.
func TestClassesThatAreBooleans(t *testing.T) {
	t.Parallel()
	csv, jsonl := "label,prediction\n", ""
	for _, row := range []string{"true,true", "true,false", "false,false", "true,true"} {
		csv += row + "\n"
		jsonl += `{"label":` + strings.Replace(row, ",", `,"prediction":`, 1) + "}\n"
	}
	for _, files := range []string{
		namedTexts(t, [2]string{"p.csv", csv})[0],
		namedTexts(t, [2]string{"p.tsv", strings.NewReplacer(",", "\t", "true", "TRUE", "false", "False").Replace(csv)})[0],
		namedTexts(t, [2]string{"p.jsonl", jsonl})[0],
		writeClasses(t, [][2]int{{1, 1}, {1, 0}, {0, 0}, {1, 1}}, func(x int) bool { return x == 1 }),
	} {
		for _, yes := range []string{"true", "True", "'TRUE'"} {
			for _, no := range []string{"false", "False", "'FALSE'"} {
				for _, labels := range [][]string{{yes, no}, {no, yes}} {
					values := valuesOf(readReport(t, evaluateOn(t, parse(t, "task: multiclass\nmetrics: [recall]\nlabels: ["+strings.Join(labels, ", ")+"]\n", files), "direct", 0)))
					bare := []string{strings.Trim(yes, "'"), strings.Trim(no, "'")}
					require.Equal(t, 2.0/3, values[keyOf(nil, "recall", &bare[0])].Value, "%s %s", files, labels)
					require.Equal(t, 1.0, values[keyOf(nil, "recall", &bare[1])].Value, "%s %s", files, labels)
				}
			}
		}
	}
}

// TestNamedBesideFound: a column that the configuration names decides, whatever usual name another
// column has, in any spelling, and columns that need not be looked for are not read. Scores and
// predictions of two models are not mixed.
func TestNamedBesideFound(t *testing.T) {
	t.Parallel()
	const rows = "1,0.9,1,1,%s\n0,0.2,0,3,%s\n1,0.4,0,1,%s\n0,0.6,1,2,%s\n"
	stray := map[roles.Role][]any{roles.Label: {"0", "1", "1", "0"}, roles.Score: {"0.1", "0.9", "0.2", "0.8"}, roles.Prediction: {"0", "1", "0", "1"}, roles.Weight: {"9", "1", "5", "7"}}
	of := func(yaml, name string, values []any) map[string]float64 {
		file := namedTexts(t, [2]string{"p.csv", "t,p,h,w," + name + "\n" + fmt.Sprintf(rows, values...)})[0]
		return overallValues(readReport(t, evaluateOn(t, parse(t, "task: binary\nmetrics: [accuracy, prevalence]\n"+yaml, file), "direct", 0)))
	}
	for r, values := range stray {
		for _, named := range []string{"score: p, weight: w", "prediction: h, weight: w", "score: p, prediction: h, weight: w", "score: p, weight: null", "prediction: h, score: null, weight: null"} {
			yaml := "input: {columns: {label: t, " + named + "}}\n"
			want := of(yaml, "nothing", values)
			for _, name := range r.UsualNames(roles.OfInput) {
				for _, spelled := range slices.Compact([]string{name, strings.ReplaceAll(name, "_", "-"), strings.ToUpper(name)}) {
					require.Equal(t, want, of(yaml, spelled, values), "%s beside %s", spelled, named)
				}
			}
		}
	}
}

// TestNullsOfEveryType: a column that has no values in one of two files gives the report of the same rows in one file, whatever
// its type, its role and its format.
func TestNullsOfEveryType(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`"text"`, "true", "7", "0.5", `["a", "b"]`, "[1, 2]", "[]", "[0.5]", "[true]"} {
		list := value[0] == '['
		row := func(id int, x string) string {
			return fmt.Sprintf(`{"id": %d, "label": 1, "score": 0.75, "weight": 2, "x": %s}`+"\n", id, x)
		}
		roles := []string{"slices: [x]\n", "confidence: {by: x}\nbad_rows: skip\n", "input: {columns: {weight: x}}\nbad_rows: skip\n", "input: {columns: {score: x}}\nbad_rows: skip\n",
			"input: {columns: {prediction: x, score: null}}\ntask: binary\nbad_rows: skip\n", "input: {columns: {label: x}}\ntask: binary\nbad_rows: skip\n",
			"input: {label_encoding: indices, columns: {label: x, prediction: x, score: null}}\ntask: multilabel\nnum_labels: 3\nbad_rows: skip\n"}
		for _, yaml := range roles {
			for _, null := range []string{"null", "[]"} {
				if null == "[]" && !list {
					continue
				}
				first, second := row(1, value)+row(2, value), row(3, null)+row(4, null)
				whole := namedTexts(t, [2]string{"a.jsonl", first + second})
				want := outcomeOf(t, yaml, whole)
				for _, parts := range [][][2]string{{{"a.jsonl", first}, {"b.jsonl", second}}, {{"a.jsonl", second}, {"b.jsonl", first}}} {
					require.Equal(t, want, outcomeOf(t, yaml, namedTexts(t, parts...)), "%s %s %s", value, null, yaml)
				}
			}
		}
	}
}

// outcomeOf returns the values of a report of files, and its counts of bad rows, or that there is none.
func outcomeOf(t *testing.T, yaml string, files []string) string {
	cfg := parse(t, yaml)
	cfg.Input.Files = files
	cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
	plan, err := Make(t.Context(), cfg)
	if err == nil {
		err = execute(t.Context(), plan, "direct")
	}
	if err != nil {
		return "refused" // because of its first row, which depends on the order of files
	}
	r := readReport(t, cfg.Output.Dir)
	var lines []string
	for _, row := range r.Metrics {
		lines = append(lines, fmt.Sprint(row.Name, row.Slice, row.Value, row.Support))
	}
	return fmt.Sprint(slices.Sorted(slices.Values(lines)), r.Rows.Skipped)
}

// TestListedColumnsAreCalledAsClasses: if the columns of scores have the names of the labels, each
// belongs to its label, in any order, for texts and numbers. Columns with other names are in the
// order of the labels.
func TestListedColumnsAreCalledAsClasses(t *testing.T) {
	t.Parallel()
	for _, classes := range [][]string{{"cat", "dog", "eel"}, {"0", "1", "2"}, {"1", "2", "3"}, {"0", "1"}, {"no", "yes"}, {"true", "false"}} {
		header, rows := "y", ""
		for _, class := range classes {
			header += "," + class
		}
		for i := range 12 {
			rows += classes[i%len(classes)]
			for j := range classes {
				rows += map[bool]string{true: ",0.5", false: ",0.25"}[j == (i+i/9)%len(classes)] // three rows of 12 are wrong
			}
			rows += "\n"
		}
		file := namedTexts(t, [2]string{"p.csv", header + "\n" + rows})[0]
		for range 3 {
			listed := `["` + strings.Join(classes, `", "`) + `"]`
			for _, task := range []string{"", "task: multiclass\n"} {
				values := overallValues(readReport(t, evaluateOn(t, parse(t, task+"metrics: [accuracy]\ninput: {columns: {label: y, score: "+listed+"}}\n", file), "direct", 0)))
				require.Equal(t, 0.75, values["accuracy"], "%s %s", listed, task)
			}
			classes = append(classes[1:len(classes):len(classes)], classes[0])
		}
	}
}
