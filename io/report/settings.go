package report

import (
	"encoding/json"
)

// Settings is what the page tells of the configuration.
type Settings struct {
	Report        struct{ Title, Model, Data, Notes string }
	PositiveLabel string `json:"positive_label"`
	Decision      struct{ Threshold json.RawMessage }
}

// Settings returns what the configuration says.
func (r *Report) Settings() (config Settings) {
	_ = json.Unmarshal(r.Config, &config) // what another version wrote there is shown, not understood
	return config
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

// defaultThreshold is the key of the threshold of labels that are not listed.
const defaultThreshold = "default"
