package ingest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// randomCase is a specification from which random batches can be drawn.
type randomCase struct {
	spec  input.Spec
	vocab *input.Vocabulary
	// names says that label columns are strings.
	names bool
	// bad is the share of values that are bad.
	bad float64

	labels, predictions *columns.Strings
}

func (c *randomCase) String() string {
	p := &c.spec.Params
	return fmt.Sprintf("%s scores=%v type=%d %s top%d names=%v", p.Task, p.Scores, p.ScoreType, c.spec.Encoding, c.spec.Decision.TopK, c.names)
}

// randomCases returns every combination that matters.
func randomCases(bad float64) []*randomCase {
	var list []*randomCase
	add := func(spec input.Spec, names bool) {
		spec.Columns = columnNames
		decision := *cmp.Or(spec.Decision, new(input.Decision))
		decision.Threshold = .5
		spec.Decision = &decision
		c := &randomCase{spec: spec, names: names, bad: bad, vocab: named("a", "b", "c", "d", "e")}
		if spec.Params.Task == metrics.Binary {
			c.vocab = numbered(2)
		}
		c.spec.Params.Labels = c.vocab.Len()
		c.labels, c.predictions = new(columns.Strings), new(columns.Strings)
		list = append(list, c)
	}
	params := func(task metrics.Task, scores bool, kind metrics.ScoreType) metrics.Params {
		return metrics.Params{Task: task, Scores: scores, ScoreType: kind, Decisions: true}
	}
	add(input.Spec{Params: metrics.Params{Task: metrics.Regression}}, false)
	for _, names := range []bool{false, true} {
		for _, task := range []metrics.Task{metrics.Binary, metrics.Multiclass} {
			add(input.Spec{Params: params(task, false, 0)}, names)
			for _, kind := range []metrics.ScoreType{metrics.Probability, metrics.Logit, metrics.RawScore} {
				add(input.Spec{Params: params(task, true, kind)}, names)
			}
		}
	}
	add(input.Spec{Params: params(metrics.Multiclass, true, metrics.Probability), Encoding: input.Distribution}, false)
	add(input.Spec{Params: params(metrics.Multiclass, false, 0), Encoding: input.Distribution}, true)
	for encoding, names := range map[input.Encoding]bool{input.Indices: false, input.Names: true, input.Indicator: false} {
		add(input.Spec{Params: params(metrics.Multilabel, false, 0), Encoding: encoding}, names)
		for _, k := range []int{0, 2} {
			add(input.Spec{Params: params(metrics.Multilabel, true, metrics.Logit), Encoding: encoding, Decision: &input.Decision{TopK: k}}, names)
		}
	}
	return list
}

// draw returns a random batch.
func (c *randomCase) draw(r *rand.Rand, rows int) Input {
	in := Input{Rows: rows}
	p := &c.spec.Params
	switch {
	case p.Task == metrics.Regression:
		in.Of[roles.Label], in.Of[roles.Prediction] = c.numbers(r, rows, -5, 5), c.numbers(r, rows, -5, 5)
	default:
		if c.spec.Encoding == input.Distribution {
			in.Of[roles.Label] = c.distributions(r, rows)
		} else {
			in.Of[roles.Label] = c.column(r, rows, c.labels)
		}
		if !p.Scores {
			in.Of[roles.Prediction] = c.column(r, rows, c.predictions)
		}
	}
	if p.Scores {
		width := p.Labels
		if p.Task == metrics.Binary {
			width = 1
		}
		low, high := -3., 3.
		if p.ScoreType == metrics.Probability {
			low, high = 0, 1
		}
		in.Of[roles.Score] = c.numbers(r, rows*width, low, high)
		if p.Task != metrics.Binary {
			lengths := make([]int, rows)
			left := rows * width
			for i := range lengths {
				lengths[i] = min(width, left)
				if r.Float64() < c.bad {
					lengths[i] = min(r.IntN(width+1)-1, left)
				}
				left -= max(lengths[i], 0)
			}
			listsOf(in.Of[roles.Score], lengths...)
		}
	}
	if r.IntN(2) == 0 {
		in.Of[roles.Weight] = c.numbers(r, rows, 0, 2)
	}
	return in
}

func (c *randomCase) numbers(r *rand.Rand, n int, low, high float64) *columns.Column {
	col := floats(make([]float64, n)...)
	var nulls []int
	for i := range col.Floats {
		col.Floats[i] = low + (high-low)*r.Float64()
		if r.Float64() < c.bad {
			col.Floats[i] = []float64{nan, inf, -inf, -7, 7}[r.IntN(5)]
			if r.IntN(3) == 0 {
				nulls = append(nulls, i)
			}
		}
	}
	if nulls != nil {
		null(col, nulls...)
	}
	return col
}

// distributions draws distributions over the classes.
func (c *randomCase) distributions(r *rand.Rand, rows int) *columns.Column {
	n := len(c.vocab.Names)
	col, lengths := c.numbers(r, rows*n, 0, 1), make([]int, rows)
	for i := range lengths {
		lengths[i] = n
		sum := 0.
		for _, x := range col.Floats[i*n:][:n] {
			sum += x
		}
		if sum > 0 && sum < inf && r.Float64() >= c.bad {
			for k := range n {
				col.Floats[i*n+k] /= sum
			}
		}
	}
	if rows > 0 && r.Float64() < c.bad {
		lengths[r.IntN(rows)] = -1
	}
	return listsOf(col, lengths...)
}

// column draws labels: of classes, or lists of them.
func (c *randomCase) column(r *rand.Rand, rows int, dict *columns.Strings) *columns.Column {
	n := c.vocab.Len()
	total, lengths := rows, make([]int, rows)
	if c.spec.Params.Task == metrics.Multilabel {
		total = 0
		for i := range lengths {
			lengths[i] = r.IntN(n + 1)
			if c.spec.Encoding == input.Indicator && r.Float64() >= c.bad {
				lengths[i] = n
			}
			if r.Float64() < c.bad {
				lengths[i] = -1
			}
			total += max(lengths[i], 0)
		}
	}
	values := make([]int64, 0, total)
	for _, length := range lengths {
		switch {
		case c.spec.Params.Task != metrics.Multilabel:
			values = append(values, int64(r.IntN(n)))
		case c.spec.Encoding == input.Indicator:
			for range length {
				values = append(values, int64(r.IntN(2)))
			}
		case length > 0:
			for _, label := range r.Perm(n)[:length] {
				values = append(values, int64(label))
			}
		}
	}
	for i := range values {
		if r.Float64() < c.bad {
			values[i] = int64(r.IntN(40)) - 20
		}
	}
	col := ints(values...)
	if c.names {
		texts := make([]string, total)
		for i, x := range values {
			texts[i] = fmt.Sprint("other ", x)
			if x >= 0 && x < int64(n) {
				texts[i] = c.vocab.Name(int(x))
			}
		}
		col = wordsOf(dict, texts...)
	}
	if total > 0 && r.Float64() < c.bad {
		null(col, r.IntN(total))
	}
	if c.spec.Params.Task == metrics.Multilabel {
		listsOf(col, lengths...)
	}
	return col
}

// TestReusedConverter converts random batches, with bad rows among them, with
// one converter and with one made for each batch: nothing may be left over
// from the batch before.
func TestReusedConverter(t *testing.T) {
	for _, c := range randomCases(.02) {
		t.Run(c.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			reused := NewConverter(&c.spec, c.vocab, new(Findings))
			goodRows, badRows := 0, 0
			for range 60 {
				in := c.draw(r, r.IntN(40))
				_, rows, bad := convertAgain(t, reused, NewConverter(&c.spec, c.vocab, new(Findings)), &in)
				goodRows, badRows = goodRows+len(rows), badRows+len(bad)
			}
			require.NotZero(t, goodRows)
			require.NotZero(t, badRows)
		})
	}
}

// convertAgain returns what a converter makes of a batch, which must be what a fresh one
// makes of it.
func convertAgain(t *testing.T, reused, fresh *Converter, in *Input) (*metrics.Batch, []int32, []Bad) {
	require.NoError(t, reused.Check(in))
	batch, rows, bad := reused.Convert(in)
	wantBatch, wantRows, wantBad := fresh.Convert(in)
	// As text, where NaN equals NaN.
	require.Equal(t, fmt.Sprintf("%+v", wantBatch), fmt.Sprintf("%+v", batch))
	require.Equal(t, fmt.Sprint(wantRows, wantBad), fmt.Sprint(rows, bad))
	return batch, rows, bad
}

// TestNoAllocations: once its buffers have grown, a converter allocates
// nothing for good rows.
func TestNoAllocations(t *testing.T) {
	for _, c := range randomCases(0) {
		t.Run(c.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			in := c.draw(r, 200)
			converter := NewConverter(&c.spec, c.vocab, new(Findings))
			_, _, bad := converter.Convert(&in)
			allocations := testing.AllocsPerRun(20, func() {
				require.NoError(t, converter.Check(&in))
				_, _, bad = converter.Convert(&in)
			})
			require.Empty(t, bad)
			require.Zero(t, allocations)
		})
	}
}
