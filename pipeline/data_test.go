package pipeline

import (
	"fmt"
	"math/rand/v2"
)

// example is a row of every task's data.
type example struct {
	Label     int32     `parquet:"label"`
	Score     float64   `parquet:"score"`
	Scores    []float64 `parquet:"scores,list"`
	Logits    []float64 `parquet:"logits,list"`
	Labels    []string  `parquet:"labels,list"`
	Class     string    `parquet:"class"`
	Guess     string    `parquet:"guess"`
	Target    float64   `parquet:"target"`
	Predicted float64   `parquet:"predicted_value"`
	Low       float64   `parquet:"low"`
	High      float64   `parquet:"high"`
	Few       *float64  `parquet:"few,optional"` // Target of some
	Weight    float64   `parquet:"weight"`
	Country   *string   `parquet:"country,optional"`
	Device    int64     `parquet:"device"`
	Ranked    []ranked  `parquet:"ranked,list"`
}

// ranked is the score of a label.
type ranked struct {
	Label string  `parquet:"label"`
	Score float32 `parquet:"score"`
}

func examples(n int) []example {
	r := rand.New(rand.NewPCG(5, 6))
	names := []string{"a", "b", "c", "d"}
	rows := make([]example, n)
	for i := range rows {
		e := &rows[i]
		e.Label, e.Score = int32(r.IntN(2)), r.Float64()
		total := 0.0
		for range names {
			x := r.ExpFloat64()
			total += x
			e.Scores = append(e.Scores, x)
			e.Logits = append(e.Logits, 4*r.NormFloat64())
		}
		for k, name := range names {
			e.Scores[k] /= total
			if r.IntN(3) == 0 {
				e.Labels = append(e.Labels, name)
			}
		}
		e.Class, e.Guess = names[r.IntN(4)], names[r.IntN(3)]
		e.Target = 100 * r.NormFloat64()
		e.Predicted = e.Target + r.NormFloat64()
		if i%9 == 0 {
			e.Few = &e.Target
		}
		e.Low, e.High = e.Predicted-1, e.Predicted+e.Score
		e.Weight = r.Float64() * 3
		if c := r.IntN(5); c > 0 {
			country := fmt.Sprintf("country %d", c)
			e.Country = &country
		}
		e.Device = int64(r.IntN(3))
		for _, k := range r.Perm(4)[:r.IntN(4)] {
			e.Ranked = append(e.Ranked, ranked{names[k], float32(r.IntN(5)) / 4})
		}
	}
	return rows
}

// pair is a row for a label of an example, or for an item of a query.
type pair struct {
	Example  string  `parquet:"example_id"`
	Session  int64   `parquet:"session"`
	Class    string  `parquet:"class"`
	Number   int32   `parquet:"number"`
	Item     int64   `parquet:"item_id"`
	Doc      string  `parquet:"doc"`
	True     bool    `parquet:"label"`
	Grade    float64 `parquet:"grade"`
	Score    float64 `parquet:"score"`
	Guess    int32   `parquet:"guess"`
	Weight   float64 `parquet:"weight"`
	Country  *string `parquet:"country,optional"`
	Device   int32   `parquet:"device"`
	Retrieve bool    `parquet:"-"`
}

// pairClasses are the labels; each example has a row for each.
var pairClasses = []string{"a", "b", "c", "d", "e"}

// pairsOf returns adjacent rows of n examples: each example has a row for each label and, as a
// query, ranks as many items.
func pairsOf(n int) []pair {
	r := rand.New(rand.NewPCG(3, 4))
	var rows []pair
	for i := range n {
		weight, device := 3*r.Float64(), int32(r.IntN(3))
		var country *string
		if c := r.IntN(4); c > 0 {
			name := fmt.Sprintf("country %d", c)
			country = &name
		}
		for k, class := range pairClasses {
			item := int64(r.IntN(30)*len(pairClasses) + k)
			rows = append(rows, pair{
				Example: fmt.Sprint("example ", i), Session: int64(i) - 20, Class: class, Number: int32(k), Item: item, Doc: fmt.Sprint("doc ", item),
				True: r.IntN(3) == 0, Grade: float64(max(0, r.IntN(6)-2)), Score: float64(r.IntN(8)) / 8, Guess: int32(r.IntN(2)),
				Weight: weight, Country: country, Device: device, Retrieve: k == 0 || r.IntN(4) > 0,
			})
		}
	}
	return rows
}

// list is an example in one row.
type list struct {
	Example  string    `parquet:"example_id"`
	Session  int64     `parquet:"session"`
	Labels   []string  `parquet:"labels,list"`
	Scores   []float64 `parquet:"scores,list"`
	First    float64   `parquet:"first"`
	Positive int32     `parquet:"positive"`
	Weight   float64   `parquet:"weight"`
	Country  *string   `parquet:"country,optional"`
	Device   int32     `parquet:"device"`
}

// listed assembles the rows of examples, which may be in any order.
func listed(rows []pair) []list {
	at := make(map[string]int)
	var lists []list
	for _, p := range rows {
		if _, known := at[p.Example]; !known {
			at[p.Example] = len(lists)
			lists = append(lists, list{
				Example: p.Example, Session: p.Session, Scores: make([]float64, len(pairClasses)),
				Weight: p.Weight, Country: p.Country, Device: p.Device,
			})
		}
		l := &lists[at[p.Example]]
		l.Scores[p.Number] = p.Score
		if p.True {
			l.Labels = append(l.Labels, p.Class)
		}
		if p.Number == 0 {
			l.First, l.Positive = p.Score, p.Guess
		}
	}
	return lists
}
