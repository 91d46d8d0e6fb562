package report

import (
	"encoding/json"
	"slices"
)

// Settings is the part of the configuration that the page shows.
type Settings struct {
	Metrics []string // those that it names
	Report  struct {
		Title, Model, Data, Notes, Date string
		Headline                        []string
		SortBy                          string `json:"sort_by"`
	}
	PositiveLabel string `json:"positive_label"`
	Decision      struct{ Threshold json.RawMessage }
	Groups        struct{ By, Reference string }
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
	return slices.Concat(c.Metrics, ofGroups)
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

// defaultThreshold is the key of the threshold for unlisted labels.
const defaultThreshold = "default"
