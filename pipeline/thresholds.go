package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/metrics/curves"
)

// readThresholds reads the file that decision.threshold names.
func (p *planner) readThresholds(ctx context.Context) error {
	const key = "decision.threshold"
	name := p.cfg.Decision.Threshold.File
	if name == "" {
		return nil
	}
	data, err := files.ReadFile(ctx, name)
	if err != nil {
		return p.cfg.Errorf(key, "%w; expected a number, a mapping of labels to numbers or a file with one, such as a thresholds.json", err)
	}
	byLabel, err := parseThresholds(data)
	if err != nil {
		return p.cfg.Errorf(key, "%s: %w", name, err)
	}
	t := &p.cfg.Decision.Threshold
	t.File = ""
	if threshold, set := byLabel["default"]; set {
		t.Default = &threshold
		delete(byLabel, "default")
	}
	if len(byLabel) > 0 {
		t.ByLabel = byLabel
		p.note("decision.threshold: from %s, for %d labels; for others %v", name, len(byLabel), p.cfg.Threshold())
	} else {
		p.note("decision.threshold: from %s", name)
	}
	return p.cfg.Validate()
}

// parseThresholds reads a JSON object of labels and numbers.
func parseThresholds(data []byte) (map[string]float64, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil || len(values) == 0 {
		return nil, errors.New(`expected a JSON object of labels and numbers, such as {"default": 0.5}`)
	}
	byLabel := make(map[string]float64, len(values))
	for _, label := range slices.Sorted(maps.Keys(values)) {
		value := string(values[label])
		x, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("threshold of %q: expected a finite number, found %.40s", label, value)
		}
		byLabel[label] = x
	}
	return byLabel, nil
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
		return curves.Criterion{Objective: curves.Youden}, true
	}
	if p, found := strings.CutPrefix(name, "recall_at_precision@"); found {
		x, err := strconv.ParseFloat(p, 64)
		return curves.Criterion{Objective: curves.RecallAtPrecision, At: x}, err == nil && x >= 0 && x <= 1
	}
	beta, err := strconv.ParseFloat(strings.TrimPrefix(name, "f"), 64)
	return curves.Criterion{Objective: curves.FBeta, At: beta}, err == nil && name[0] == 'f' && beta > 0 && beta <= 1e6
}
