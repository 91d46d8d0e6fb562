package config

import (
	"fmt"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
)

// Costs says what predictions cost: by outcome or, of a multiclass task, by true and predicted class.
// The zero Costs are not set.
type Costs struct {
	FP, FN, TP, TN float64
	// Classes holds, for each true class, the cost of each predicted class.
	Classes [][]float64
}

var outcomes = []string{"fp", "fn", "tp", "tn"}

// outcome returns the cost of an outcome, or nil if there is no such outcome.
func (c *Costs) outcome(name string) *float64 {
	return map[string]*float64{"fp": &c.FP, "fn": &c.FN, "tp": &c.TP, "tn": &c.TN}[name]
}

// byOutcome reports whether an outcome has a cost.
func (c *Costs) byOutcome() bool { return c.FP != 0 || c.FN != 0 || c.TP != 0 || c.TN != 0 }

// Matrix returns, for each true class, the cost of each predicted class, where the classes of outcomes
// are absent and present. It is nil if costs are not set.
func (c *Costs) Matrix() [][]float64 {
	if c.byOutcome() {
		return [][]float64{{c.TN, c.FP}, {c.FN, c.TP}}
	}
	return c.Classes
}

// decode accepts a mapping of outcomes to costs, or a list of the costs of each true class.
func (c *Costs) decode(d *decoder, n *node, path string) {
	switch n.Tag {
	case kindMap:
		d.pairs(n, path, func(key, value *node, path string) {
			if to := c.outcome(key.Value); to != nil {
				*to = d.number(value, path, "a number")
				return
			}
			d.fail(path, "unknown outcome %q %s", shorten(key.Value), hint(key.Value, "outcomes", outcomes))
		})
	case kindList:
		d.items(n, path, "", func(n *node, path string) {
			costs := []float64{}
			d.items(n, path, "a list of numbers", func(n *node, path string) { costs = append(costs, d.number(n, path, "a number")) })
			c.Classes = append(c.Classes, costs)
		})
	default:
		d.wrongType(path, "a mapping of fp, fn, tp and tn to costs, or a list of the costs of each true class", n)
	}
}

// MarshalJSON writes costs in the form of the file.
func (c Costs) MarshalJSON() ([]byte, error) {
	if c.Classes != nil {
		return marshal(c.Classes)
	}
	var o object
	for _, name := range outcomes {
		o.add(name, *c.outcome(name))
	}
	return o.MarshalJSON()
}

func (v *validator) costs() {
	const path, columns = "costs", "input.columns."
	c, fp, fn := &v.Costs, v.Input.Columns[roles.CostFP].Column, v.Input.Columns[roles.CostFN].Column
	if r, err := (roles.Given{Has: v.Input.Columns.has(roles.CostFP, roles.CostFN)}).CheckRules(keyOf); err != nil {
		v.fail(keyOf(r), "%v", err)
	}
	v.failIf((v.src.has(path) || c.Matrix() != nil) && fp+fn != "", path, "only without %scost_fp and cost_fn: both say what errors cost", columns)
	if !v.src.has(path) && c.Matrix() == nil {
		return
	}
	for failed := range v.failed {
		if strings.HasPrefix(failed, path) { // what could not be read is not missing
			return
		}
	}
	for _, name := range outcomes {
		v.cost(join(path, name), *c.outcome(name))
	}
	for class, costs := range c.Classes {
		at := fmt.Sprintf("%s[%d]", path, class)
		v.failIf(len(costs) != len(c.Classes), at, "has %d costs, but there are %d classes: list a cost for each predicted class", len(costs), len(c.Classes))
		for predicted, cost := range costs {
			v.cost(fmt.Sprintf("%s[%d]", at, predicted), cost)
		}
	}
	v.failIf(c.Matrix() == nil, path, "at least one outcome must have a cost")
	switch {
	case c.byOutcome() && v.Task == metrics.Multiclass:
		v.fail(path, "needs, for task %s, a list of the costs of each true class", v.Task)
	case c.Classes != nil && (v.Task == metrics.Binary || v.Task == metrics.Multilabel):
		v.fail(path, "needs, for task %s, the costs of outcomes, such as {fp: 1, fn: 10}", v.Task)
	case c.Classes != nil && len(v.Labels) > 0 && len(v.Labels) != len(c.Classes):
		v.fail(path, "has the costs of %d true classes, but there are %d labels", len(c.Classes), len(v.Labels))
	}
}

func (v *validator) cost(path string, x float64) {
	if v.finite(path, x) {
		v.failIf(x < 0 || x > metrics.HighestCost, path, "must be within 0 and %v, is %v", metrics.HighestCost, x)
	}
}
