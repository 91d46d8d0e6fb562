package parts

import (
	"encoding/json"
	"slices"

	"github.com/beameval/beameval/internal/hash"
	"github.com/beameval/beameval/transforms/input"
)

// joinFolds finds how the examples of all parts are divided for intervals: as they would have been at once.
func (all *Joined) joinFolds(heads []*Head) {
	c := all.Job.Confidence
	switch {
	case c == nil:
		return
	case c.Position:
		all.leaveIntervals("confidence intervals: rows are divided by their positions in files, and all data have other positions; set input.columns.example or confidence.by")
		return
	case all.Folding.Most == 0: // the number of folds is given
		return
	}
	var values []uint64
	rows, lost, many := int64(0), false, false
	for _, h := range heads {
		rows += h.Folding.Rows
		lost = lost || h.Folding.Lost
		many = many || h.Folding.Many
		values = append(values, h.Job.Confidence.Each...)
	}
	all.Folding.Rows, all.Folding.Lost = rows, false
	if lost && !many {
		all.leaveIntervals("confidence intervals: the few values of confidence.by of a part were divided into groups with exact curves; set confidence.groups, or curves.mode to bounded")
		return
	}
	slices.Sort(values)
	values = slices.Compact(values)
	all.Folding.Many = many || len(values) > all.Folding.Most
	joined := *c
	joined.Each, joined.Folds, joined.Refold = nil, input.DefaultFolds, false
	switch {
	case all.Folding.Many || len(values) == 0: // random folds
	case all.Folding.Each(len(values)):
		joined.Each, joined.Folds = values, len(values)
	case all.Job.Params.Curving(): // as above
		all.Folding.Lost = true
	default:
		joined.Each, joined.Refold = values, true
	}
	all.Job.Confidence = &joined
	all.Refold = make(map[int][]int32)
	for i, h := range heads {
		if places := foldsIn(&joined, h.Job.Confidence); places != nil {
			all.Refold[i] = places
		}
	}
	all.echoGroups(joined.Each == nil || joined.Refold, joined.Folds)
}

// foldsIn returns the fold among all of each fold of a part, or nil if they are the same.
func foldsIn(all, part *input.Confidence) []int32 {
	if part.Each == nil || slices.Equal(all.Each, part.Each) {
		return nil
	}
	by := hash.NewDivider(all.FineFolds(), all.Seed)
	places := make([]int32, len(part.Each))
	for i, h := range part.Each {
		if at, found := slices.BinarySearch(all.Each, h); found {
			places[i] = int32(at)
		} else {
			places[i] = int32(by.Part(h))
		}
	}
	return places
}

// leaveIntervals leaves intervals out, for a reason.
func (all *Joined) leaveIntervals(why string) {
	all.LeftOut = append(all.LeftOut, why)
	all.Job.Confidence, all.Folding = nil, input.Folding{}
	all.Job.Params.Digest, all.Job.Params.Replicated = false, nil
	if config, ok := parse(all.Output.Config); ok {
		all.Output.Config = slices.DeleteFunc(config, func(m member) bool { return m.key == "confidence" }).write()
	}
}

// echoGroups puts the number of groups into the configuration, where it is written if it is not one for each value.
func (all *Joined) echoGroups(written bool, groups int) {
	config, ok := parse(all.Output.Config)
	at := slices.IndexFunc(config, func(m member) bool { return m.key == "confidence" })
	if !ok || at < 0 {
		return
	}
	own, ok := parse(config[at].value)
	if !ok {
		return
	}
	own = slices.DeleteFunc(own, func(m member) bool { return m.key == "groups" })
	if number, err := json.Marshal(groups); err == nil && written {
		after := slices.IndexFunc(own, func(m member) bool { return m.key == "level" })
		own = slices.Insert(own, after+1, member{"groups", number})
	}
	config[at].value = own.write()
	all.Output.Config = config.write()
}
