package lanes

// A range has fewestScores, which can be sorted in a cache. It has more if otherwise each of many
// curves would have fewer than curveScores of them: a range also gets the totals of every curve that has
// scores in it. It also has more if there would be too many ranges: the scores of each wait in
// memory to be packed. On a cluster, there should be several for each subtask.
const (
	fewestScores  = 1 << 18
	curveScores   = 64
	mostRanges    = 512
	mostOnCluster = 1024
)

// RangeScores returns how many scores a range should have, about, given the numbers of all scores and of
// their curves, over all labels and slices. limit is the most that a range may have.
func (d *Division) RangeScores(scores, curves, limit int) int {
	most := mostRanges
	if d.Lanes > 0 {
		most = mostOnCluster
	}
	return min(max(fewestScores, curveScores*curves, scores/most), limit)
}
