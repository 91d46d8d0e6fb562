package config

import "github.com/beameval/beameval/metrics"

// presets maps the name of a tool to the settings of ranking that reproduce its results.
//
// trec_eval counts a query without relevant items as 0, with and without -c: that option is about
// queries without results, see Ranking.MissingQueries.
var presets = map[string]Ranking{
	"trec_eval": {
		Gain: metrics.LinearGain, Ties: metrics.ItemTies,
		EmptyQueries: metrics.EmptyIsZero, NegativeRelevance: NegativeZero,
	},
}

// applyPreset sets the keys of the preset that are not set.
func (c *Config) applyPreset() {
	p, known := presets[c.Ranking.Preset]
	if !known {
		return
	}
	r, defaults := &c.Ranking, Default().Ranking
	preset(c, "gain", &r.Gain, defaults.Gain, p.Gain)
	preset(c, "ties", &r.Ties, defaults.Ties, p.Ties)
	preset(c, "empty_queries", &r.EmptyQueries, defaults.EmptyQueries, p.EmptyQueries)
	preset(c, "negative_relevance", &r.NegativeRelevance, defaults.NegativeRelevance, p.NegativeRelevance)
}

func preset[T comparable](c *Config, key string, to *T, unset, value T) {
	if *to == unset && !c.src.has("ranking."+key) {
		*to = value
	}
}
