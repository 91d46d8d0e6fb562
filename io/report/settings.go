package report

import (
	"encoding/json"
	"slices"
)

// Settings is the part of the configuration that pages and comparisons look at.
type Settings struct {
	Metrics []string // that the configuration names
	Report  struct {
		Title, Model, Data, Notes, Date string
		Headline                        []string
		SortBy                          string `json:"sort_by"`
	}
	PositiveLabel string `json:"positive_label"`
	Input         struct {
		ScoreType string `json:"score_type"`
		Columns   struct{ Weight any }
	}
	Decision     struct{ Threshold json.RawMessage }
	ZeroDivision *float64 `json:"zero_division"` // nil if nothing, or "nan"
	Costs        json.RawMessage
	Groups       struct {
		By         texts
		Reference  json.RawMessage
		MinSupport int64 `json:"min_support"`
	}
}

// Settings returns the settings in the configuration.
func (r *Report) Settings() (config Settings) {
	_ = json.Unmarshal(r.Config, &config) // what another version wrote is shown, but need not be understood
	return config
}

// Asked returns the metrics that the configuration asks to show first, in their order. It is empty if
// the configuration leaves that open.
func (c *Settings) Asked() []string {
	if len(c.Report.Headline) > 0 {
		return c.Report.Headline
	}
	if len(c.Metrics) == 0 {
		return nil
	}
	return slices.Concat(c.Metrics, knownOfGroups)
}

// texts is a list that a single text may stand for.
type texts []string

// UnmarshalJSON accepts a text or a list of texts.
func (t *texts) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = texts{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// References returns the groups that the configuration compares others with, by column.
func (c *Settings) References() (groups map[string]string) {
	var one string
	if json.Unmarshal(c.Groups.Reference, &one) == nil && len(c.Groups.By) > 0 {
		return map[string]string{c.Groups.By[0]: one}
	}
	_ = json.Unmarshal(c.Groups.Reference, &groups)
	return groups
}

// Threshold returns the threshold that the configuration sets for a label.
func (c *Settings) Threshold(label string) (float64, bool) {
	var one float64
	if json.Unmarshal(c.Decision.Threshold, &one) == nil {
		return one, true
	}
	var each map[string]float64
	if json.Unmarshal(c.Decision.Threshold, &each) != nil {
		return 0, false
	}
	t, ok := each[label]
	if !ok || label == "" {
		t, ok = each[defaultThreshold]
		ok = ok && (label != "" || len(each) == 1)
	}
	return t, ok
}

// CostsOfOutcomes returns what the outcomes of a binary task cost, indexed by TP and the like. It is nil
// if the configuration does not say.
func (c *Settings) CostsOfOutcomes() *[4]float64 {
	var of struct{ TP, FP, FN, TN *float64 }
	if json.Unmarshal(c.Costs, &of) != nil || of.TP == nil || of.FP == nil || of.FN == nil || of.TN == nil {
		return nil
	}
	return &[4]float64{TP: *of.TP, FP: *of.FP, FN: *of.FN, TN: *of.TN}
}

// defaultThreshold is the key of the threshold for unlisted labels.
const defaultThreshold = "default"
