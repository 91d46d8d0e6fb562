package pipeline

import (
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
)

// softLabels says whether the labels of a multiclass task are distributions over
// the classes: because the configuration says so or, where it says nothing,
// because they are lists of fractional numbers, which are good for nothing else.
func (p *planner) softLabels() (bool, error) {
	if p.task != metrics.Multiclass {
		return false, nil
	}
	field, err := p.label()
	if err != nil {
		return false, err
	}
	encoding := &p.cfg.Input.LabelEncoding
	if *encoding == "" && field.List && field.Type == columns.Float {
		*encoding = config.EncodingDistribution
		p.note("label_encoding: %s (column %q is %s)", *encoding, field.Path, field.Physical)
	}
	if *encoding != config.EncodingDistribution {
		return false, nil
	}
	p.plan.spec.Encoding = transforms.Distribution
	return true, nil
}
