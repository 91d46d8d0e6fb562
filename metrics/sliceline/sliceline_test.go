package sliceline

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/beameval/beameval/internal/wire"
)

// table is a small data set: by row, the values of the columns, the error and the weight.
type table struct {
	values          [][]string
	errors, weights []float64
}

// counts counts some rows.
func (d *table) counts(most int, rows []int32) *Counts {
	c := NewCounts(len(d.values[0]), most)
	e := &Examples{Rows: rows, Numbers: make([][]int32, len(d.values[0])), Errors: d.errors, Weights: d.weights}
	for k := range e.Numbers {
		e.Numbers[k] = make([]int32, len(d.values))
		for _, r := range rows {
			e.Numbers[k][r], _ = c.Number(k, d.values[r][k])
		}
	}
	c.Add(e)
	return c
}

// sums counts what a plan tracks in some rows.
func (d *table) sums(p *Plan, groups []int32, rows []int32) *Sums {
	t, s := NewTracker(p), new(Sums)
	e := &Examples{Numbers: make([][]int32, len(p.Values)), Errors: d.errors, Weights: d.weights}
	for _, k := range t.Columns() {
		e.Numbers[k] = make([]int32, len(d.values))
		for _, r := range rows {
			e.Numbers[k][r] = t.Code(k, d.values[r][k])
		}
	}
	for _, r := range rows {
		e.Rows = []int32{r}
		t.Add(s, groups[r], e, nil)
	}
	return s
}

func (d *table) all() []int32 {
	rows := make([]int32, len(d.values))
	for r := range rows {
		rows[r] = int32(r)
	}
	return rows
}

// search searches some rows.
func (d *table) search(o Options, rows []int32) *Plan {
	p := d.counts(50, rows).Plan(o, nil)
	if p.Sought {
		p.Add(d.sums(p, make([]int32, len(d.values)), rows), o)
	}
	return p
}

// named returns a slice with its values.
func named(p *Plan, s Slice) string {
	text := ""
	for _, t := range s {
		text += fmt.Sprintf("%d=%s ", t.Column, p.Values[t.Column][t.Value])
	}
	return text
}

func salaries(t *testing.T) (columns []string, d *table) {
	f, err := os.Open("testdata/salaries.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	d = new(table)
	for _, line := range lines[1:] {
		e, err := strconv.ParseFloat(line[6], 64)
		if err != nil {
			t.Fatal(err)
		}
		d.values, d.errors = append(d.values, line[1:6]), append(d.errors, e)
	}
	return lines[0][1:6], d
}

// TestSalaries compares the slices with the Python package sliceline's.
func TestSalaries(t *testing.T) {
	columns, d := salaries(t)
	data, err := os.ReadFile("testdata/salaries.json")
	if err != nil {
		t.Fatal(err)
	}
	var want []struct {
		Slice    map[string]string
		Score    float64
		ErrorSum float64 `json:"error_sum"`
		ErrorMax float64 `json:"error_max"`
		Size     int64
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	p := d.search(Options{Alpha: 0.95, MinSupport: 4, Level: 5, Top: 10}, d.all())
	if len(p.Best) != len(want) {
		t.Fatalf("%d slices: want %d", len(p.Best), len(want))
	}
	for i, got := range p.Best {
		w, of := want[i], make(map[string]string)
		for _, term := range got.Slice {
			of[columns[term.Column]] = p.Values[term.Column][term.Value]
		}
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }
		if !reflect.DeepEqual(of, w.Slice) || !near(got.Score, w.Score) || got.Rows != w.Size || !near(got.Errors, w.ErrorSum) || !near(got.HighestLoss, w.ErrorMax) {
			t.Errorf("slice %d: got %v %+v: want %+v", i, of, got, w)
		}
	}
	for i, published := range []struct {
		score float64
		size  int64
	}{{1.042, 18}, {0.478, 39}, {0.316, 10}, {0.262, 29}, {0.224, 125}} {
		if got := p.Best[i]; math.Abs(got.Score-published.score) > 1e-3 || got.Rows != published.size {
			t.Errorf("slice %d: got %.4f and %d: SystemDS has %v", i, got.Score, got.Rows, published)
		}
	}
}

// unpruned finds the best slices by counting every combination of values.
func (d *table) unpruned(o Options, p *Plan) []Ranked {
	s := newScorer(&p.All, o)
	g := &grid{scorer: s}
	var ranked []Ranked
	var extend func(of Slice, rows []int32)
	extend = func(of Slice, rows []int32) {
		if len(of) > 0 {
			var c Cell
			for _, r := range rows {
				(&Examples{Errors: d.errors, Weights: d.weights}).addTo(&c, r)
			}
			ranked = g.rank(ranked, slices.Clone(of), sizeOf(&c))
		}
		first := int32(0)
		if len(of) > 0 {
			first = of[len(of)-1].Column + 1
		}
		for c := first; c < int32(len(p.Values)) && len(of) < o.Level; c++ {
			for v, value := range p.Values[c] {
				var some []int32
				for _, r := range rows {
					if d.values[r][c] == value {
						some = append(some, r)
					}
				}
				if len(some) > 0 {
					extend(append(slices.Clone(of), Term{c, int32(v)}), some)
				}
			}
		}
	}
	extend(nil, d.all())
	q := new(Plan)
	q.rank(ranked, o.Top)
	return q.Best
}

func randomTable(rng *rand.Rand) *table {
	d := &table{}
	columns, most := 1+rng.IntN(5), 1+rng.IntN(4)
	weighted, coarse := rng.IntN(2) == 0, rng.IntN(2) == 0
	for range 20 + rng.IntN(300) {
		var row []string
		for range columns {
			row = append(row, strconv.Itoa(rng.IntN(most)))
		}
		e := math.Exp(rng.NormFloat64())
		if coarse {
			e = float64(rng.IntN(3))
		}
		if rng.IntN(3) > 0 && row[0] == "0" {
			e *= 3
		}
		d.values, d.errors = append(d.values, row), append(d.errors, e)
		if weighted {
			d.weights = append(d.weights, float64(rng.IntN(4))/2)
		}
	}
	return d
}

// TestPruning compares the search with one that counts everything, with and without pairs counted.
func TestPruning(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pruned := 0
	for i := range 300 {
		d := randomTable(rng)
		o := Options{Alpha: 0.5 + rng.Float64()/2, MinSupport: 1 + rng.IntN(10), Level: 1 + rng.IntN(5), Top: 1 + rng.IntN(12)}
		p := d.search(o, d.all())
		if p.Unsearched > 0 {
			t.Fatalf("%d: level %d has too many candidates", i, p.Unsearched)
		}
		want := d.unpruned(o, p)
		if !reflect.DeepEqual(p.Best, want) {
			t.Fatalf("%d: with %+v:\ngot  %v\nwant %v", i, o, p.Best, want)
		}
		c := d.counts(50, d.all())
		c.single = true
		q := c.Plan(o, nil)
		if q.Sought {
			pruned += len(q.Tracked)
			q.Add(d.sums(q, make([]int32, len(d.values)), d.all()), o)
		}
		if !reflect.DeepEqual(q.Best, want) {
			t.Fatalf("%d: without pairs, with %+v:\ngot  %v\nwant %v", i, o, q.Best, want)
		}
	}
	if pruned == 0 {
		t.Error("no candidates")
	}
}

// TestMostCandidates: a search is bounded by a count of candidates, and leaves out whole levels.
func TestMostCandidates(t *testing.T) {
	_, d := salaries(t)
	o := Options{Alpha: 0.95, MinSupport: 4, Level: 5, Top: 10}
	all := d.counts(50, d.all()).Plan(o, nil)
	n := len(all.Tracked)
	if n < 10 || all.Unsearched != 0 {
		t.Fatalf("%d candidates, level %d is not searched", n, all.Unsearched)
	}
	for _, most := range []int{n, n - 1, n / 2, 1} {
		o.MostCandidates = most
		tried := 0
		p := d.counts(50, d.all()).Plan(o, func(more int) { tried += more })
		if most == n {
			if !reflect.DeepEqual(p, all) {
				t.Error("a limit that is not exceeded changes the plan")
			}
			continue
		}
		var want []Slice
		for _, s := range all.Tracked {
			if len(s) < p.Unsearched {
				want = append(want, s)
			}
		}
		if p.Unsearched < 3 || len(want) > most || len(want) > 0 && !reflect.DeepEqual(p.Tracked, want) {
			t.Errorf("with up to %d candidates, level %d is the first that is not searched, and there are %d candidates of %d", most, p.Unsearched, len(p.Tracked), len(want))
		}
		if tried == 0 || float64(tried) > float64(o.Level*most)*triedByDefault/DefaultCandidates {
			t.Errorf("with up to %d candidates, %d slices are tried", most, tried)
		}
	}
}

// TestSlices: the largest number of slices is the number of all combinations of values.
func TestSlices(t *testing.T) {
	for _, c := range []struct {
		level, columns, values int
		want                   float64
	}{{1, 3, 10, 30}, {2, 3, 10, 330}, {3, 3, 10, 1330}, {6, 3, 10, 1330}, {2, 10, 50, 113_000}, {6, 1000, 1000, 1.3683e33}} {
		if got := Slices(c.level, c.columns, c.values); math.Abs(got-c.want) > 1e-3*c.want {
			t.Errorf("up to %d of %d columns with %d values: %v slices, want %v", c.level, c.columns, c.values, got, c.want)
		}
	}
}

// wideTable returns a table with more pairs of values than are counted.
func wideTable(rng *rand.Rand) *table {
	d := new(table)
	for range 1000 {
		var row []string
		for range 12 {
			row = append(row, strconv.Itoa(rng.IntN(100)))
		}
		d.values, d.errors = append(d.values, row), append(d.errors, rng.ExpFloat64())
	}
	return d
}

func encoded(t *testing.T, c *Counts) []byte {
	t.Helper()
	data, err := wire.Encode(c, CountsFields)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestCountsLaws tests that counts are a commutative monoid with an encoding, to the last bit.
func TestCountsLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 100 {
		d := randomTable(rng)
		most := 1 + rng.IntN(5) // so that some columns are left out
		if i == 0 {
			d, most = wideTable(rng), 100
		}
		rows := d.all()
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		cut, end := rng.IntN(len(rows)), rng.IntN(len(rows))
		cut, end = min(cut, end), max(cut, end)
		want := encoded(t, d.counts(most, d.all()))
		part := func(i int) *Counts {
			return d.counts(most, [][]int32{rows[:cut], rows[cut:end], rows[end:]}[i])
		}
		for _, order := range [][]int{{0, 1, 2}, {2, 0, 1}, {1, 2, 0}} {
			sum := NewCounts(len(d.values[0]), most)
			for _, i := range order {
				from := part(i)
				before := encoded(t, from)
				decoded := new(Counts)
				if err := wire.Decode(before, decoded, CountsFields); err != nil {
					t.Fatal(err)
				}
				if sum.Merge(decoded); !reflect.DeepEqual(encoded(t, decoded), before) {
					t.Fatal("merging changes what is merged")
				}
			}
			if !reflect.DeepEqual(encoded(t, sum), want) {
				t.Fatalf("merging in the order %v gives other counts", order)
			}
		}
	}
}

// TestSumsLaws does the same for sums and plans.
func TestSumsLaws(t *testing.T) {
	_, d := salaries(t)
	p := d.counts(50, d.all()).Plan(Options{Alpha: 0.95, MinSupport: 4, Level: 5, Top: 10}, nil)
	if !p.Sought || len(p.Tracked) == 0 {
		t.Fatal("no candidates")
	}
	data, err := wire.Encode(p, PlanFields)
	if err != nil {
		t.Fatal(err)
	}
	var same Plan
	if err := wire.Decode(data, &same, PlanFields); err != nil {
		t.Fatal(err)
	}
	groups := make([]int32, len(d.values))
	for r := range groups {
		groups[r] = int32(r % 7)
	}
	fields := func(c *wire.Coder, s *Sums) { SumsFields(c, s, &same) }
	encode := func(s *Sums) []byte {
		data, err := wire.Encode(s, fields)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	want := encode(d.sums(&same, groups, d.all()))
	a, b := encode(d.sums(p, groups, d.all()[:150])), encode(d.sums(p, groups, d.all()[150:]))
	for _, order := range [][][]byte{{a, b}, {b, a}} {
		sum := new(Sums)
		for _, data := range order {
			var from Sums
			if err := wire.Decode(data, &from, fields); err != nil {
				t.Fatal(err)
			}
			sum.Merge(&from)
		}
		if !reflect.DeepEqual(encode(sum), want) {
			t.Fatal("merging gives other sums")
		}
	}
}

func TestLeftOutColumn(t *testing.T) {
	d := &table{}
	for r := range 60 {
		d.values, d.errors = append(d.values, []string{strconv.Itoa(r), strconv.Itoa(r % 2)}), append(d.errors, float64(r%2))
	}
	p := d.search(Options{Alpha: 0.95, MinSupport: 1, Level: 2, Top: 5}, d.all())
	if !slices.Equal(p.LeftOut, []bool{true, false}) {
		t.Errorf("left out: %v", p.LeftOut)
	}
	if len(p.Best) != 1 || named(p, p.Best[0].Slice) != "1=1 " {
		t.Errorf("found %+v", p.Best)
	}
}

// TestSameExamples: slices with the same examples as one of fewer terms are left out, and counted, whether
// pairs are counted at once or not.
func TestSameExamples(t *testing.T) {
	d := &table{}
	for r := range 80 {
		x := strconv.Itoa(r % 4)
		d.values, d.errors = append(d.values, []string{x, "y" + x, "all"}), append(d.errors, float64(r%4/3))
	}
	p := d.search(Options{Alpha: 0.95, MinSupport: 1, Level: 3, Top: 10}, d.all())
	if len(p.Best) != 2 || p.Same != 4 {
		t.Errorf("%d found, %d left out: %+v", len(p.Best), p.Same, p.Best)
	}
}

func TestNothingToFind(t *testing.T) {
	for _, e := range []float64{0, 1, math.MaxFloat64} {
		d := &table{values: [][]string{{"a"}, {"a"}, {"b"}}, errors: []float64{e, e, e}}
		if p := d.search(Options{Alpha: 0.95, MinSupport: 1, Level: 3, Top: 5}, d.all()); len(p.Best) > 0 {
			t.Errorf("errors %v: found %+v", e, p.Best)
		}
	}
	if p := NewCounts(2, 5).Plan(Options{Alpha: 0.95, MinSupport: 1, Level: 3, Top: 5}, nil); len(p.Best) > 0 {
		t.Errorf("found %+v without examples", p.Best)
	}
}

func FuzzDecode(f *testing.F) {
	d := &table{values: [][]string{{"a", "x"}, {"b", "y"}, {"a", "y"}}, errors: []float64{1, 2, 3}}
	c := d.counts(3, d.all())
	data, _ := wire.Encode(c, CountsFields)
	f.Add(data)
	p := c.Plan(Options{Alpha: 0.95, MinSupport: 1, Level: 2, Top: 3}, nil)
	plan, _ := wire.Encode(p, PlanFields)
	f.Add(plan)
	sums, _ := wire.Encode(d.sums(p, []int32{0, 1, 1}, d.all()), func(c *wire.Coder, s *Sums) { SumsFields(c, s, p) })
	f.Add(sums)
	f.Fuzz(func(t *testing.T, data []byte) {
		var counts Counts
		if wire.Decode(data, &counts, CountsFields) == nil {
			counts.Merge(&counts)
			counts.Plan(Options{Alpha: 0.95, MinSupport: 1, Level: 3, Top: 3}, nil)
		}
		var s Sums
		if wire.Decode(data, &s, func(c *wire.Coder, s *Sums) { SumsFields(c, s, p) }) == nil {
			p.Confirm(&s, 0.95)
		}
		var q Plan
		if wire.Decode(data, &q, PlanFields) == nil {
			NewTracker(&q)
			q.Confirm(new(Sums), 0.95)
		}
	})
}
