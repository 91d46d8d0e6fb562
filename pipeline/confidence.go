package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/sliceline"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/pipeline/internal/computed"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
)

// findConfidence finds how confidence intervals are computed, if there are any.
func (p *planner) findConfidence(ctx context.Context) error {
	if p.cfg.Confidence == nil {
		return nil
	}
	set := *p.cfg.Confidence
	p.effective.Confidence = &set // about to be modified
	id := p.predictions.column(p.layout.id())
	if p.predictions.found[p.layout.id()] && !p.byID() && p.predictions.checkID(p.layout.id()) != nil {
		id = "" // it was not meant
	}
	set.By = cmp.Or(set.By, id)
	ofTruth, position := false, set.By == ""
	var err error
	if position {
		p.note("confidence: rows have no id, so their position in their files divides them, as if they were independent; rewritten files have slightly other intervals. " +
			"If rows depend on each other, set confidence.by to the cluster that they belong to, such as a user")
	} else {
		if ofTruth, err = p.sliceColumn(set.By); err != nil {
			return p.cfg.Errorf("confidence.by", "%w", err)
		}
		p.takeFromTruth(set.By, ofTruth)
	}
	if err := p.findReplicated(&set); err != nil {
		return err
	}
	strata, err := p.findStrata(ctx, &set, id)
	if err != nil {
		return err
	}
	var each []uint64
	var refold bool
	if strata == nil {
		each, refold = p.findEach(ctx, &set, id, ofTruth)
	}
	if each == nil || refold {
		set.Groups = cmp.Or(set.Groups, transforms.DefaultFolds)
	}
	p.spec.Confidence = &transforms.Confidence{
		Level: set.Level, Folds: set.Groups, Each: each, Refold: refold, By: set.By, Position: position, Clustered: set.By != id, Seed: uint64(set.Seed), Metrics: set.Metrics,
	}
	if c := p.spec.Confidence; strata != nil {
		if p.spec.Params.Drawn {
			c.Folds, c.Rest = 2*set.Groups, set.Groups
		}
		c.Stratum, c.Strata, c.Clustered = p.of(roles.SamplingStratum).column(roles.SamplingStratum), strata, false
	}
	return nil
}

// findReplicated finds the main names of the metrics that get intervals.
func (p *planner) findReplicated(set *config.Confidence) (err error) {
	set.Metrics = slices.Clone(set.Metrics)
	known := computed.In(&p.spec.Params, nil)
	for i, name := range set.Metrics {
		if set.Metrics[i], err = known.Metric(name); err != nil {
			return p.cfg.Errorf(fmt.Sprintf("confidence.metrics[%d]", i), "%w", err)
		}
	}
	return nil
}

// findStrata finds the strata that rows were drawn from, if there are several, and sets the number of groups, which are of one
// stratum each. Rows of strata are divided by their ids: in the truth, if that says how they were drawn.
func (p *planner) findStrata(ctx context.Context, set *config.Confidence, id string) ([]input.Stratum, error) {
	s := p.spec.Sampling
	if s == nil {
		return nil, nil
	}
	of := p.of(roles.SamplingProbability)
	stratum := of.column(roles.SamplingStratum)
	if s.Finite = p.cfg.Finite(); stratum == "" && !s.Finite {
		return nil, nil
	}
	key := "sampling.finite"
	if stratum != "" {
		key = of.key(roles.SamplingStratum)
	}
	switch {
	case p.cfg.Search != nil:
		return nil, p.cfg.Errorf("search", "slices are not searched among rows that were drawn from strata, or that stand for themselves: leave search, or %s, out", key)
	case set.By == "":
		return nil, p.cfg.Errorf(key, "intervals need the ids of rows that were drawn: set %s%s, or leave confidence out", p.predictions.key(p.layout.id()), p.predictions.perhaps(p.layout.id()))
	case set.By != id && set.By != of.column(p.layout.id()):
		return nil, p.cfg.Errorf("confidence.by", "rows were drawn one by one, and intervals of %q would be of clusters that were drawn: leave confidence.by out, or set %s to null if strata do not matter", set.By, key)
	}
	by := of.column(p.layout.id())
	label := ""
	if p.spec.Params.Drawn {
		label = p.labelled().column(roles.Label)
	}
	found, err := of.strata(ctx, stratum, of.column(roles.SamplingProbability), by, label)
	switch {
	case err != nil:
		return nil, p.cfg.Errorf(key, "%w", err)
	case s.Finite && found.Uneven():
		return nil, p.cfg.Errorf("sampling.finite", "rows of one stratum were drawn with different probabilities, so that the share of it that was drawn is not known: leave sampling.finite out, or divide the stratum by probability")
	case found.Len() < 2:
		return nil, nil
	}
	groups := cmp.Or(set.Groups, input.MostFoldsOfStrata) / found.Len()
	if groups < 2 {
		return nil, p.cfg.Errorf(key, "there are %d strata, and intervals need two groups or more of each: set confidence.groups to %d or more, or join strata", found.Len(), 2*found.Len())
	}
	if most := transforms.MostEach / 2; p.spec.Params.Drawn && groups*found.Len() > most {
		return nil, p.cfg.Errorf("confidence.groups", "rows without a label are in as many groups as rows with one, so that there may be %d of these, and not %d", most, set.Groups)
	}
	set.By, set.Groups = by, groups*found.Len()
	p.takeFromTruth(by, of == p.truth)
	return found.Divided(groups), nil
}

// mostClusters is the largest number of clusters that are a group each: of users, shops or documents. It leaves medians
// and values at operating points right, which the jackknife without single examples is not.
const mostClusters = 200

// mostEach returns how many values of the column that divides the examples may be a group each, if the number of groups is
// not set. A query is a cluster of its items, and a graded example of its attempts or ratings; other examples get random groups.
func (p *planner) mostEach(set *config.Confidence, id string) int {
	switch {
	case set.By != id:
		return mostClusters
	case p.task&(metrics.Ranking|metrics.Results) != 0:
		return transforms.MostEach
	}
	return 0
}

// findEach returns the hashes of the values of the column that divides the examples, if each is a group of the
// jackknife. With refold, they are joined into folds, and kept apart for statistics alone: too few or too many here,
// they may be a group each together with the values of other reports.
func (p *planner) findEach(ctx context.Context, set *config.Confidence, id string, ofTruth bool) (each []uint64, refold bool) {
	most := p.mostEach(set, id)
	if set.Groups != 0 || most == 0 {
		return nil, false
	}
	of, g := p.predictions, &p.folding
	if ofTruth {
		of = p.truth
	}
	*g = input.Folding{Least: confidence.MinFolds, Most: most, Clusters: most == mostClusters} // with fewer than two rows each, examples are no clusters
	if s := p.cfg.Search; s != nil && s.Confirm {
		g.Least = sliceline.LeastFolds
	}
	g.Rows, _ = of.rows()
	hashes, err := of.distinct(ctx, set.By, most)
	switch {
	case err != nil: // too many, or damage, which is left to the run to report
		g.Many = true
		return nil, false
	case len(hashes) == 0: // no rows
		return nil, false
	case g.Each(len(hashes)):
		return hashes, false
	case p.cfg.Output.Statistics.Written() && p.cfg.Search == nil && !p.spec.Params.Curving():
		return hashes, true
	}
	g.Lost = true
	return nil, false
}
