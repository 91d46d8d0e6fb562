package synthetic

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		spec         Spec
		option, want string
	}{
		{Spec{Task: "bianry"}, "task", `unknown value "bianry"; did you mean binary? There are binary, multiclass, multilabel, ranking, regression, preference, grade, agreement`},
		{Spec{Task: "segmentation"}, "task", `unknown value "segmentation". There are binary, multiclass, multilabel, ranking, regression, preference, grade, agreement`},
		{Spec{Layout: "labels"}, "layout", `unknown value "labels"; did you mean label? There are example, label`},
		{Spec{Layout: LayoutLabel}, "layout", "label is for tasks multilabel and ranking, the task is binary"},
		{Spec{Task: Multilabel, Layout: LayoutLabel, LabelEncoding: Indicator}, "label_encoding", "indicator is for layout example, the layout is label"},
		{Spec{Task: Multilabel, Items: 3}, "items", "is for task ranking, the task is multilabel"},
		{Spec{Task: Ranking, Items: -3}, "items", "must be within 1 and 100000, is -3; the nearest is 1"},
		{Spec{Task: Ranking, Labels: 3}, "labels", "is for tasks multiclass, multilabel, preference and agreement, the task is ranking"},
		{Spec{Task: Preference, Predictions: true}, "predictions", "task preference has outcomes only"},
		{Spec{Task: Preference, ScoreType: Logit}, "score_type", "task preference has no scores"},
		{Spec{Task: Grade, Truth: true}, "truth", "task grade has grades only"},
		{Spec{Task: Grade, Predictions: true}, "predictions", "task grade has grades only"},
		{Spec{Task: Grade, ScoreType: Logit}, "score_type", "task grade has no scores"},
		{Spec{Task: Grade, Layout: LayoutLabel}, "layout", "label is for tasks multilabel and ranking, the task is grade"},
		{Spec{Task: Grade, Attempts: -1}, "attempts", "must be within 1 and 100000, is -1; the nearest is 1"},
		{Spec{Task: Agreement, Truth: true}, "truth", "task agreement has ratings only"},
		{Spec{Task: Agreement, Labels: 101}, "labels", "must be within 2 and 100, is 101; the nearest is 100"},
		{Spec{Task: Agreement, Slices: []Slice{{"rater_0", 1}}}, "slices", "rater_0 is the name of a column with another meaning; choose one such as rater_0_slice"},
		{Spec{Attempts: 2}, "attempts", "is for task grade, the task is binary"},
		{Spec{Slices: []Slice{{"passed", 1}}}, "slices", "passed is the name of a column with another meaning; choose one such as passed_slice"},
		{Spec{Task: Preference, Labels: 1}, "labels", "must be within 2 and 500, is 1; the nearest is 2"},
		{Spec{Unlabelled: 2}, "unlabelled", "must be within 0 and 1, is 2"},
		{Spec{Task: Ranking, Unlabelled: 0.5}, "unlabelled", "is for tasks binary and multiclass, the task is ranking"},
		{Spec{Task: Preference, Labels: 501}, "labels", "must be within 2 and 500, is 501; the nearest is 500"},
		{Spec{Task: Ranking, LabelEncoding: Names}, "label_encoding", "is for task multilabel, the task is ranking"},
		{Spec{Task: Ranking, ScoreType: Logit}, "score_type", "task ranking has scores that are any numbers; leave this out"},
		{Spec{Task: Ranking, Predictions: true}, "predictions", "task ranking has scores only"},
		{Spec{Task: Ranking, Rows: 1e6, RowGroupSize: 30}, "row_group_size", "30 is too small: a file has 1000000 rows and at most 32767 row groups; the nearest is 31"},
		{Spec{Slices: []Slice{{"label_name", 1}}}, "slices", "label_name is the name of a column with another meaning; choose one such as label_name_slice"},
		{Spec{Task: Multilabel, LabelEncoding: "name"}, "label_encoding", `unknown value "name"; did you mean names? There are indices, names, indicator`},
		{Spec{LabelEncoding: Names}, "label_encoding", "is for task multilabel, the task is binary"},
		{Spec{Labels: 3}, "labels", "is for tasks multiclass, multilabel, preference and agreement, the task is binary"},
		{Spec{Task: Multiclass, Labels: 1}, "labels", "must be within 2 and 100000, is 1; the nearest is 2"},
		{Spec{Task: Multilabel, Labels: 1e6}, "labels", "must be within 1 and 100000, is 1000000; the nearest is 100000"},
		{Spec{ScoreType: "logits"}, "score_type", `unknown value "logits"; did you mean logit? There are probability, logit`},
		{Spec{Task: Regression, ScoreType: Logit}, "score_type", "task regression has no scores"},
		{Spec{Task: Regression, Predictions: true}, "predictions", "task regression has a prediction column anyway; leave this out"},
		{Spec{Float: 16}, "float", "16 is neither 32 nor 64; did you mean 32?"},
		{Spec{Codec: "zst"}, "codec", `unknown value "zst"; did you mean zstd? There are gzip, none, snappy, zstd`},
		{Spec{Rows: -1}, "rows", "must be within 0 and 1000000000000, is -1; the nearest is 0"},
		{Spec{Files: 5000}, "files", "must be within 1 and 1000, is 5000; the nearest is 1000"},
		{Spec{RowGroupSize: -1}, "row_group_size", "-1 is too small: a file has 0 rows and at most 32767 row groups; the nearest is 1"},
		{Spec{Rows: 1e6, RowGroupSize: 5}, "row_group_size", "5 is too small: a file has 1000000 rows and at most 32767 row groups; the nearest is 31"},
		{Spec{Slices: []Slice{{"a", 0}}}, "slices", "a: must be within 1 and 1000000, is 0; the nearest is 1"},
		{Spec{Slices: []Slice{{"a b", 1}}}, "slices", `"a b" is not a name of letters, digits and underscores`},
		{Spec{Slices: []Slice{{"", 1}}}, "slices", `"" is not a name of letters, digits and underscores`},
		{Spec{Slices: []Slice{{"a", 1}, {"A", 1}}}, "slices", "A is there twice"},
		{Spec{Slices: []Slice{{"Score", 1}}}, "slices", "Score is the name of a column with another meaning; choose one such as score_slice"},
		{Spec{Task: Multilabel, Broken: Broken{"a", "a_0", 0.1}}, "broken", "is for task binary, the task is multilabel"},
		{Spec{Broken: Broken{"a", "a_0", 1.1}, Slices: []Slice{{"a", 3}}}, "broken", "the share must be within 0 and 1, is 1.1"},
		{Spec{Broken: Broken{"b", "b_0", 0.1}, Slices: []Slice{{"a", 3}}}, "broken", `there is no slice column "b"; add it, such as --slices b:3`},
		{Spec{Broken: Broken{"a", "a_3", 0.1}, Slices: []Slice{{"a", 3}}}, "broken", `column a has no value "a_3", only a_0 to a_2`},
	} {
		_, err := c.spec.Complete()
		require.EqualError(t, err, c.option+": "+c.want)
	}
	for name, s := range variants() {
		_, err := s.Complete()
		require.NoError(t, err, name)
	}
}

func TestParseCount(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "7": 7, "10000000": 1e7, "10_000_000": 1e7, "10M": 1e7, "10m": 1e7, "1e6": 1e6, "1E6": 1e6,
		"50k": 50_000, "50K": 50_000, "1.5k": 1500, "1.1M": 1_100_000, "2G": 2e9, "9007199254740992": 1 << 53,
	} {
		got, err := ParseCount(text)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "k", "-5", "+5", "1e-3", "0x10", "inf", "nan", "1e3k", "10MM", "10 M", "ten", ".", "1e9999"} {
		_, err := ParseCount(text)
		require.ErrorContains(t, err, "is not a count; write it like 10000000, 10M, 1e6 or 50k", text)
	}
	_, err := ParseCount("1.6")
	require.EqualError(t, err, "1.6 is not a whole number; the nearest is 2")
	_, err = ParseCount("1e17")
	require.EqualError(t, err, "1e17 is too large; the nearest is 9007199254740992")
}

func TestParseSlices(t *testing.T) {
	got, err := ParseSlices("country:5, device:10k")
	require.NoError(t, err)
	require.Equal(t, []Slice{{"country", 5}, {"device", 10_000}}, got)
	_, err = ParseSlices("country:5,device")
	require.EqualError(t, err, `"device" lacks the number of values; write it as device:5`)
	_, err = ParseSlices("")
	require.EqualError(t, err, `"" lacks the number of values; write it as country:5`)
	_, err = ParseSlices("country:five")
	require.ErrorContains(t, err, `country: "five" is not a count`)
}

func TestParseBroken(t *testing.T) {
	got, err := ParseBroken("country=country_2:0.3")
	require.NoError(t, err)
	require.Equal(t, Broken{"country", "country_2", 0.3}, got)
	for _, text := range []string{"", "country", "country:0.3", "country=country_2"} {
		_, err = ParseBroken(text)
		require.ErrorContains(t, err, "is not a slice and a share; write it as country=country_2:0.3", text)
	}
	_, err = ParseBroken("country=country_2:many")
	require.EqualError(t, err, `"many" is not a share; write it as 0.3`)
}
