package queries

import (
	"math"
	"slices"
)

// query is what a Ranking reads.
type query struct {
	scores, relevances []float64
	judged             []bool
	missed             []float64
}

// judgement is a retrieved item of a ranked list.
type judgement struct {
	relevance float64
	judged    bool
}

// naive has the measures of a ranked list without ties, as they are defined.
type naive struct {
	list   []judgement
	missed []float64
	o      Options
}

func (v *naive) relevantAt(i int) bool { return v.list[i].relevance >= v.o.Threshold }

func (v *naive) all() []float64 {
	list := slices.Clone(v.missed)
	for _, j := range v.list {
		list = append(list, j.relevance)
	}
	slices.Sort(list)
	slices.Reverse(list)
	return list
}

func (v *naive) relevant() (n float64) {
	for _, rel := range v.all() {
		if rel >= v.o.Threshold {
			n++
		}
	}
	return n
}

func (v *naive) hits(k int) (n float64) {
	for i := range min(k, len(v.list)) {
		if v.relevantAt(i) {
			n++
		}
	}
	return n
}

func (v *naive) dcg(k int) (sum float64) {
	for i := range min(k, len(v.list)) {
		sum += v.o.Gain(v.list[i].relevance) / math.Log2(float64(i+2))
	}
	return sum
}

func (v *naive) ndcg(k int) float64 {
	ideal, all := 0.0, v.all()
	for i := range min(k, len(all)) {
		ideal += v.o.Gain(all[i]) / math.Log2(float64(i+2))
	}
	return v.dcg(k) / ideal
}

func (v *naive) averagePrecision(k int) (sum float64) {
	for i := range min(k, len(v.list)) {
		if v.relevantAt(i) {
			sum += v.hits(i+1) / float64(i+1)
		}
	}
	return sum / v.relevant()
}

// firstPlace is 0 if no relevant item was retrieved.
func (v *naive) firstPlace() float64 {
	for i := range v.list {
		if v.relevantAt(i) {
			return float64(i + 1)
		}
	}
	return 0
}

func (v *naive) reciprocalRank(k int) float64 {
	if place := v.firstPlace(); place > 0 && place <= float64(k) {
		return 1 / place
	}
	return 0
}

func (v *naive) err(k int) (sum float64) {
	left := 1.0
	for i := range min(k, len(v.list)) {
		stop := (math.Exp2(v.list[i].relevance) - 1) / math.Exp2(v.o.MaxRelevance)
		sum += left * stop / float64(i+1)
		left *= 1 - stop
	}
	return sum
}

func (v *naive) rbp(p float64) (sum float64) {
	for i := range v.list {
		if v.relevantAt(i) {
			sum += (1 - p) * math.Pow(p, float64(i))
		}
	}
	return sum
}

func (v *naive) judged(k int) (share float64) {
	k = min(k, len(v.list))
	for _, j := range v.list[:k] {
		if j.judged {
			share += 1 / float64(k)
		}
	}
	return share
}

// bpref follows trec_eval's m_bpref.c.
func (v *naive) bpref() (sum float64) {
	nonrelevant, relevant := 0.0, v.relevant()
	for _, j := range v.list {
		if j.judged && j.relevance < v.o.Threshold {
			nonrelevant++
		}
	}
	for _, rel := range v.missed {
		if rel < v.o.Threshold {
			nonrelevant++
		}
	}
	soFar := 0.0
	for i, j := range v.list {
		switch {
		case !j.judged:
		case !v.relevantAt(i):
			soFar++
		case soFar > 0:
			sum += 1 - min(soFar, relevant)/min(nonrelevant, relevant)
		default:
			sum++
		}
	}
	return sum / relevant
}

// orders yields all rankings of a query's items by score.
func (q *query) orders(o Options, yield func(*naive)) {
	n := len(q.scores)
	order := make([]int, 0, n)
	used := make([]bool, n)
	var extend func()
	extend = func() {
		if len(order) == n {
			v := &naive{missed: q.missed, o: o}
			for _, i := range order {
				v.list = append(v.list, judgement{q.relevances[i], q.judged == nil || q.judged[i]})
			}
			yield(v)
			return
		}
		best := math.Inf(-1)
		for i, s := range q.scores {
			if !used[i] {
				best = max(best, s)
			}
		}
		for i, s := range q.scores {
			if used[i] || s != best {
				continue
			}
			used[i], order = true, append(order, i)
			extend()
			used[i], order = false, order[:len(order)-1]
			if o.InOrder {
				return
			}
		}
	}
	extend()
}

// expected is the mean of a measure over all rankings.
func (q *query) expected(o Options, of func(*naive) float64) float64 {
	sum, n := 0.0, 0.0
	q.orders(o, func(v *naive) {
		sum += of(v)
		n++
	})
	return sum / n
}

// auc counts pairs one by one.
func (q *query) auc(o Options) float64 {
	right, all := 0.0, 0.0
	for i := range q.scores {
		for j := range q.scores {
			if q.relevances[i] >= o.Threshold && q.relevances[j] < o.Threshold {
				all++
				switch {
				case q.scores[i] > q.scores[j]:
					right++
				case q.scores[i] == q.scores[j]:
					right += 0.5
				}
			}
		}
	}
	return right / all
}

// tau counts pairs one by one.
func (q *query) tau() float64 {
	surplus, scores, relevances := 0.0, 0.0, 0.0
	for i := range q.scores {
		for j := range i {
			s, r := compare(q.scores[i], q.scores[j]), compare(q.relevances[i], q.relevances[j])
			surplus += s * r
			scores += s * s
			relevances += r * r
		}
	}
	return surplus / math.Sqrt(scores) / math.Sqrt(relevances)
}

func compare(x, y float64) float64 {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
