package sampling

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/parquet"
	"github.com/beameval/beameval/io/report/tabular"
)

// row is a row of the data of these tests.
type row struct {
	id, country string
	judge       float64
	right       bool // whether people will say that the row is right
}

// population returns rows whose grades are the probabilities that they are right. One is of country at.
func population(n int) (list []row) {
	random := rand.New(rand.NewPCG(5, 6))
	for i := range n {
		p := math.Round(1000*math.Pow(random.Float64(), 0.3)) / 1000
		country := []string{"de", "de", "de", "fr", "it"}[random.IntN(5)]
		if i == n/2 {
			country = "at"
		}
		list = append(list, row{fmt.Sprintf("r%d", i), country, p, random.Float64() < p})
	}
	return list
}

// write writes rows to a file.
func write(t *testing.T, name string, list []row) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	var text strings.Builder
	if filepath.Ext(name) == ".csv" {
		fmt.Fprintln(&text, "id,country,judge,right")
	}
	for _, r := range list {
		if filepath.Ext(name) == ".csv" {
			fmt.Fprintf(&text, "%s,%s,%v,%v\n", r.id, r.country, r.judge, r.right)
		} else {
			fmt.Fprintf(&text, `{"id": %q, "country": %q, "judge": %v, "right": %v}`+"\n", r.id, r.country, r.judge, r.right)
		}
	}
	require.NoError(t, os.WriteFile(name, []byte(text.String()), 0o644))
	return name
}

// draw draws a sample, and returns it and its rows as CSV.
func draw(t *testing.T, o Options) (*Sample, [][]string) {
	t.Helper()
	s, err := Draw(t.Context(), o)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, s.Write(&text, CSV))
	table, err := csv.NewReader(&text).ReadAll()
	require.NoError(t, err)
	return s, table
}

func options(name ...string) Options {
	return Options{Files: name, Rows: 200, For: Accuracy, Judge: "judge", By: []string{"country"}, Bins: 4, Seed: 1}
}

// TestSameRowsEverywhere: neither the order of rows nor files or their formats change a sample, and a seed does.
func TestSameRowsEverywhere(t *testing.T) {
	dir, list := t.TempDir(), population(5000)
	s, want := draw(t, options(write(t, dir+"/a.csv", list)))
	require.Equal(t, []string{"id", "country", "judge", "right", StratumColumn, ProbabilityColumn}, want[0])
	require.Len(t, want, 201)
	require.Len(t, s.Strata, 12, "4 bins of 3 countries; at is merged")
	require.Equal(t, []string{`id: "id" (found by name)`}, s.Notes)

	shuffled := append([]row{}, list...)
	rand.New(rand.NewPCG(7, 8)).Shuffle(len(list), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for i, from := range []int{0, 10, 3000} {
		write(t, fmt.Sprintf("%s/parts/%d.jsonl", dir, i), shuffled[from:[]int{10, 3000, 5000}[i]])
	}
	_, parts := draw(t, options(dir+"/parts"))
	require.Equal(t, want, parts)

	_, table := draw(t, options(inParquet(t, dir+"/a.csv", dir+"/a.parquet")))
	require.Equal(t, want, table)

	other := options(dir + "/a.csv")
	other.Seed = 2
	_, table = draw(t, other)
	require.NotEqual(t, want, table)
}

// inParquet writes the rows of a file as Parquet, in another order.
func inParquet(t *testing.T, from, to string) string {
	all, err := Draw(t.Context(), Options{Files: []string{from}, Rows: math.MaxInt64, For: Mean, Judge: "judge", Bins: 1})
	require.NoError(t, err)
	order, table := make([]int, all.Rows), []tabular.Column[int]{}
	for i := range order {
		order[i] = i
	}
	for j, f := range all.rows.fields {
		table = append(table, tabular.Copied(f, &all.rows.columns[j]))
	}
	var file bytes.Buffer
	require.NoError(t, tabular.ListOf(order).WriteParquet(&file, "rows", table))
	require.NoError(t, os.WriteFile(to, file.Bytes(), 0o644))
	return to
}

// TestProbabilities: the inverse probabilities of the rows of a stratum add up to all its rows (Horvitz & Thompson), and
// each stratum has the rows that its name says.
func TestProbabilities(t *testing.T) {
	list := population(5000)
	s, table := draw(t, options(write(t, t.TempDir()+"/a.csv", list)))
	sums, all := map[string]float64{}, int64(0)
	for _, r := range table[1:] {
		probability, err := strconv.ParseFloat(r[5], 64)
		require.NoError(t, err)
		require.LessOrEqual(t, probability, 1.0)
		sums[r[4]] += 1 / probability
		require.Contains(t, r[4], "country="+r[1])
	}
	for i, st := range s.Strata {
		require.InDelta(t, st.Rows, sums[st.Name], 1e-6)
		require.GreaterOrEqual(t, st.Taken, int64(2))
		require.GreaterOrEqual(t, float64(st.Taken), math.Floor(0.2*200*float64(st.Rows)/5000))
		if i > 0 && s.Strata[i-1].Name[:10] == st.Name[:10] {
			require.Greater(t, st.Mean, s.Strata[i-1].Mean, "in the order of the judge's grades")
		}
		all += st.Rows
	}
	require.Equal(t, int64(5000), all)
	require.Equal(t, int64(200), s.Taken)
}

// TestEstimates: over many seeds, the estimates of stratified samples have the accuracy of all rows as their mean, and a
// lower variance than estimates of samples without strata.
func TestEstimates(t *testing.T) {
	list := population(3000)
	name := write(t, t.TempDir()+"/a.csv", list)
	right := map[string]float64{}
	truth := 0.0
	for _, r := range list {
		if r.right {
			right[r.id] = 1
			truth += 1 / float64(len(list))
		}
	}
	variance := map[int]float64{}
	for _, bins := range []int{1, 5} {
		const seeds = 150
		sum, squares := 0.0, 0.0
		for seed := range uint64(seeds) {
			s, err := Draw(t.Context(), Options{Files: []string{name}, Rows: 150, For: Accuracy, Judge: "judge", Bins: bins, Seed: seed})
			require.NoError(t, err)
			estimate := 0.0
			for _, r := range s.drawn {
				estimate += right[r.id] / s.Strata[r.stratum].Probability() / float64(len(list))
			}
			sum, squares = sum+estimate/seeds, squares+(estimate-truth)*(estimate-truth)/seeds
		}
		variance[bins] = squares
		require.InDelta(t, truth, sum, 4*math.Sqrt(squares/seeds))
	}
	require.Less(t, variance[5], 0.8*variance[1])
}

// TestConfidentlyWrongJudge: a judge that is sure of rows that are wrong is found, because a fifth of the sample goes to
// strata whatever it says of them.
func TestConfidentlyWrongJudge(t *testing.T) {
	list := population(3000)
	wrong := map[string]bool{}
	for i := range list {
		if i%3 == 0 { // the judge is sure of a third of the rows
			list[i].judge = 1
			wrong[list[i].id] = i%2 == 0
		}
	}
	name := write(t, t.TempDir()+"/a.csv", list)
	for seed := range uint64(50) {
		s, err := Draw(t.Context(), Options{Files: []string{name}, Rows: 150, For: Accuracy, Judge: "judge", Bins: 5, Seed: seed})
		require.NoError(t, err)
		sure := s.Strata[len(s.Strata)-1]
		require.Zero(t, sure.Deviation)
		require.GreaterOrEqual(t, sure.Taken, int64(10))
		found := 0
		for _, r := range s.drawn {
			if wrong[r.id] {
				found++
			}
		}
		require.Positive(t, found)
	}
}

func TestExtremes(t *testing.T) {
	dir, list := t.TempDir(), population(100)
	s, table := draw(t, options(write(t, dir+"/a.csv", list)))
	require.Len(t, table, 101, "all rows")
	for _, st := range s.Strata {
		require.Equal(t, 1.0, st.Probability())
	}
	one, err := Draw(t.Context(), options(write(t, dir+"/one.csv", list[:1])))
	require.NoError(t, err)
	require.Equal(t, int64(1), one.Taken)

	for i := range list {
		list[i].judge = 1
	}
	o := options(write(t, dir+"/equal.csv", list))
	o.Rows, o.By = 10, nil
	for _, o.For = range Statistics {
		s, _ = draw(t, o)
		require.Equal(t, []Stratum{{Name: "judge=1", Rows: 100, Taken: 10, Mean: 1}}, s.Strata)
	}
}

// TestPosition: rows without ids are told apart by their places.
func TestPosition(t *testing.T) {
	name := t.TempDir() + "/a.csv"
	require.NoError(t, os.WriteFile(name, []byte("judge\n"+strings.Repeat("0.25\n0.5\n", 50)), 0o644))
	o := options(name)
	o.By, o.Rows = nil, 9
	s, table := draw(t, o)
	require.Len(t, table, 10)
	require.Contains(t, s.Notes[0], "no column of ids: ")
	_, again := draw(t, o)
	require.Equal(t, table, again)
}

// TestFolders: keys of folders divide rows, and are columns of the sample. A file may lack columns of others.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(dir+"/night=1", 0o755))
	require.NoError(t, os.MkdirAll(dir+"/night=2", 0o755))
	require.NoError(t, os.WriteFile(dir+"/night=1/a.jsonl", []byte(`{"id": 1, "judge": 3, "tags": ["a", null], "text": "=1+1"}
{"id": 2, "judge": 4.5, "tags": [], "text": "two\nlines"}
`), 0o644))
	require.NoError(t, os.WriteFile(dir+"/night=2/b.jsonl", []byte(`{"id": 3, "judge": 1, "tags": null}
{"id": 4, "judge": 2, "tags": ["b"], "more": true}
`), 0o644))
	o := Options{Files: []string{dir}, Rows: 4, For: Mean, Judge: "judge", By: []string{"night"}, Bins: 1}
	s, table := draw(t, o)
	require.Equal(t, []string{"id", "judge", "tags", "text", "more", "night", StratumColumn, ProbabilityColumn}, table[0])
	require.ElementsMatch(t, [][]string{
		{"1", "3", `["a",null]`, "'=1+1", "", "1", "night=\"1\", judge=any", "1"},
		{"2", "4.5", `[]`, "two\nlines", "", "1", "night=\"1\", judge=any", "1"},
		{"3", "1", "", "", "", "2", "night=\"2\", judge=any", "1"},
		{"4", "2", `["b"]`, "", "true", "2", "night=\"2\", judge=any", "1"},
	}, table[1:])

	var file bytes.Buffer
	require.NoError(t, s.Write(&file, Parquet))
	read, err := parquet.Open(named{bytes.NewReader(file.Bytes())}, columns.Options{})
	require.NoError(t, err)
	require.Equal(t, []int64{4}, read.RowGroups())
	for batch, err := range read.Read(0, []string{"id", "judge", "tags", "text", "more"}, nil, 10) {
		require.NoError(t, err)
		for i, id := range batch.Columns[0].Ints {
			tags, text := &batch.Columns[2], &batch.Columns[3]
			var list []string
			for k := tags.Offsets[i]; k < tags.Offsets[i+1]; k++ {
				if list = append(list, "null"); !isNull(tags.Null, int(k)) {
					list[len(list)-1] = tags.Dict.At(tags.Codes[k])
				}
			}
			require.Equal(t, [][]string{{"a", "null"}, nil, nil, {"b"}}[id-1], list)
			require.Equal(t, id == 3, isNull(tags.RowNull, i))
			require.Equal(t, []float64{3, 4.5, 1, 2}[id-1], batch.Columns[1].Floats[i])
			require.Equal(t, id > 2, isNull(text.Null, i))
			require.Equal(t, id != 4, isNull(batch.Columns[4].Null, i))
			if id == 1 {
				require.Equal(t, "=1+1", text.Dict.At(text.Codes[i]))
			}
		}
	}
}

func isNull(null []bool, i int) bool { return null != nil && null[i] }

// named is a source in memory.
type named struct{ *bytes.Reader }

func (named) Name() string { return "sample.parquet" }

func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	good := write(t, dir+"/good.csv", population(100))
	many := make([]row, 0, 10_100)
	for i := range cap(many) {
		many = append(many, row{id: fmt.Sprint(i), country: fmt.Sprint("c", i)})
	}
	for i, c := range []struct {
		text string // of a file in place of good
		edit func(*Options)
		want string
	}{
		{"id,judge\n1,0.5\n2,\n", nil, `.csv: line 3: column "judge": the grade is missing, and every row must have one`},
		{"id,judge\n1,0.5\n2,nan\n", nil, `.csv: line 3: column "judge": the grade is missing`},
		{"id,judge\n1,0.5\n2,inf\n", nil, `.csv: line 3: column "judge": the grade is +Inf: expected a finite number`},
		{"id,judge\n1,0.5\n2,1.5\n", nil, `.csv: line 3: column "judge": the grade is 1.5: --for accuracy takes it for the probability`},
		{"id,judge\n1,-3\n", nil, `the grade is -3: --for accuracy`},
		{"id,judge\n1,good\n", nil, `--judge: column "judge" is string: expected numbers or booleans`},
		{"id,judge\n", nil, "no rows to sample: the input has none"},
		{"id,judge\n1,0.5\n1,0.5\n2,0.5\n1,0.5\n", func(o *Options) { o.Rows = 3 }, `.csv: several rows have "id" "1": rows are drawn by their ids, which must differ`},
		{"id,judge\n1,0.5\n,0.5\n2,0.5\n", func(o *Options) { o.Rows = 2 }, `.csv: line 3: column "id": the id is missing`},
		{"id,judge,sampling_stratum\n1,0.5,a\n", nil, `the input has a column "sampling_stratum", which a sample adds: rename it`},
		{"", func(o *Options) { o.Judge = "jugde" }, `no column "jugde"; did you mean "judge"?`},
		{"", func(o *Options) { o.By = []string{"land"} }, `--strata: `},
		{"", func(o *Options) { o.By = []string{"country", "country"} }, `--strata: column "country" divides the rows already`},
		{"", func(o *Options) { o.By = []string{"judge"} }, `--strata: column "judge" divides the rows already`},
		{"", func(o *Options) { o.ID = []string{"idd"} }, `--id: `},
		{"", func(o *Options) { o.Rows, o.By = 7, nil }, "--n: 7 is below 8, two rows for each of 4 strata"},
		{"", func(o *Options) { o.Files = []string{write(t, dir+"/many.csv", many)}; o.By = []string{"country"} }, "have more than 10000 combinations: leave out columns with many values"},
	} {
		o := options(good)
		if c.text != "" {
			o.Files, o.By = []string{fmt.Sprintf("%s/%d.csv", dir, i)}, nil
			require.NoError(t, os.WriteFile(o.Files[0], []byte(c.text), 0o644))
		}
		if c.edit != nil {
			c.edit(&o)
		}
		_, err := Draw(t.Context(), o)
		require.ErrorContains(t, err, c.want)
	}
}
