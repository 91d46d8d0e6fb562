package metrics

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNamesOfTFMA: the names that TensorFlow Model Analysis has for metrics of flips are known.
func TestNamesOfTFMA(t *testing.T) {
	p := Params{Task: Binary, Decisions: true, Has: HasBaseline}
	for _, alias := range []string{"symmetric_flip_rate", "neg_to_neg_flip_rate", "neg_to_pos_flip_rate", "pos_to_neg_flip_rate", "pos_to_pos_flip_rate"} {
		_, err := p.Select([]string{alias}, nil)
		require.NoError(t, err)
	}
}

func TestChangesNeedABaseline(t *testing.T) {
	for name, want := range map[string]string{
		"flip_rate":         `metric "flip_rate" needs predictions of a baseline: set Params.Has if batches have Baseline`,
		"mean_score_change": `metric "mean_score_change" needs scores of a baseline: set Params.Has if batches have BaselineScore`,
	} {
		p := Params{Task: Binary, Decisions: true, Scores: true}
		_, err := p.Select([]string{name}, nil)
		require.EqualError(t, err, want)
	}
}
