package pipeline

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/metrics/curves"
)

// readThresholds reads the file that decision.threshold names.
func (p *planner) readThresholds(ctx context.Context) error {
	const key = "decision.threshold"
	name := p.cfg.Decision.ThresholdFile
	if name == "" {
		return nil
	}
	data, err := files.ReadFile(ctx, name)
	if err != nil {
		return p.cfg.Errorf(key, "%w; expected a number, a mapping of labels to numbers or a file with one, such as a thresholds.json", err)
	}
	var byLabel map[string]float64
	if err := json.Unmarshal(data, &byLabel); err != nil {
		return p.cfg.Errorf(key, "%s: expected a JSON object of labels and numbers: %w", name, err)
	}
	d := &p.cfg.Decision
	d.ThresholdFile = ""
	if threshold, set := byLabel["default"]; set {
		d.Threshold = &threshold
		delete(byLabel, "default")
	}
	if len(byLabel) > 0 {
		d.PerLabel = byLabel
	}
	p.note("decision.threshold: from %s (labels: %d)", name, len(byLabel))
	return p.cfg.Validate()
}

// tuning settles what thresholds are tuned for.
func (p *planner) tuning(context.Context) error {
	name := p.cfg.TuneThresholds
	if name == "" {
		return nil
	}
	if p.plan.spec.Params.Curves == "" {
		return p.cfg.Errorf("tune_thresholds", "needs a score for every label of every example")
	}
	criterion, ok := criterionOf(name)
	if !ok {
		return p.cfg.Errorf("tune_thresholds", "%q is none of f<beta>, youden and recall_at_precision@<p>, such as f1 or recall_at_precision@0.9", name)
	}
	p.plan.spec.Params.Tuning, p.plan.spec.TuningName = &criterion, name
	return nil
}

// criterionOf returns the criterion of that name.
func criterionOf(name string) (curves.Criterion, bool) {
	if name == "youden" {
		return curves.Criterion{Kind: curves.Youden}, true
	}
	if p, found := strings.CutPrefix(name, "recall_at_precision@"); found {
		x, err := strconv.ParseFloat(p, 64)
		return curves.Criterion{Kind: curves.RecallAtPrecision, At: x}, err == nil && x >= 0 && x <= 1
	}
	beta, err := strconv.ParseFloat(strings.TrimPrefix(name, "f"), 64)
	return curves.Criterion{Kind: curves.FBeta, At: beta}, err == nil && name[0] == 'f' && beta > 0 && beta <= 1e6
}
