package config

import "slices"

// Groups defines the groups of examples that are compared. If By is empty, there are none.
type Groups struct {
	// The column that says of which group an example is; its values are slices, too.
	By string `key:"by"`
	// The group that others are compared with. Without it, there is none.
	Reference string `key:"reference" form:"label"`
	// Metrics that are compared besides accuracy, fnr, fpr, recall and predicted_positive_rate of
	// binary tasks. Other tasks need it.
	Metrics []string `key:"metrics"`
}

// AllSlices returns the slices that are evaluated: those of Slices, and those of the groups.
func (c *Config) AllSlices() []Slice {
	of := Slice{{Column: c.Groups.By}}
	if c.Groups.By == "" || slices.ContainsFunc(c.Slices, func(s Slice) bool { return s.identity() == of.identity() }) {
		return c.Slices
	}
	return append(slices.Clip(c.Slices), of)
}

func (v *validator) groups() {
	v.failIf(v.Groups.By == "" && v.src.has("groups") && !v.failed["groups"], "groups", "needs by: the column that says of which group an example is")
}
