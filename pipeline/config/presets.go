package config

import (
	"reflect"

	"github.com/beameval/beameval/metrics"
)

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
	defaults := Default().Ranking
	values, unset := keysOf(reflect.ValueOf(&p)), keysOf(reflect.ValueOf(&defaults))
	for i, k := range keysOf(reflect.ValueOf(&c.Ranking)) {
		if value := values[i].value; !value.IsZero() && k.value.Equal(unset[i].value) && !c.src.has(join("ranking", k.name)) {
			k.value.Set(value)
		}
	}
}
