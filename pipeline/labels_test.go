package pipeline

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/pipeline/config"
)

// Rows of a task whose labels nothing names, as dictionaries and plain.
type (
	codedText struct {
		Label      string `parquet:"label,dict"`
		Prediction string `parquet:"prediction,dict"`
	}
	plainText struct {
		Label      string `parquet:"label,plain"`
		Prediction string `parquet:"prediction,plain"`
	}
	codedInt struct {
		Label      int64  `parquet:"label,dict"`
		Prediction *int32 `parquet:"prediction,optional,dict"`
	}
	plainInt struct {
		Label      int64  `parquet:"label,plain"`
		Prediction *int32 `parquet:"prediction,optional,plain"`
	}
)

// foundBy returns the labels that planning finds in the data.
func foundBy(t *testing.T, cfg *config.Config) []string {
	t.Helper()
	planned := *cfg
	planned.Output.Dir = filepath.Join(t.TempDir(), "report")
	plan, err := Make(t.Context(), &planned)
	require.NoError(t, err)
	return plan.spec.Labels.Names
}

// TestLabelsInDictionaries: planning finds the labels that dictionaries and rows prove, and the
// report is the one of a run that looks for them.
func TestLabelsInDictionaries(t *testing.T) {
	t.Parallel()
	const yaml = "task: multiclass\nbad_rows: skip\n"
	var texts []codedText
	var plainTexts []plainText
	var ints []codedInt
	var plainInts []plainInt
	for i := range 300 {
		label, prediction := int64(i%7*i%5-1), int32(i%4+8)
		guess := &prediction
		if i%50 == 0 {
			guess = nil
		}
		texts = append(texts, codedText{fmt.Sprint("class ", label), fmt.Sprint(prediction)})
		plainTexts = append(plainTexts, plainText(texts[i]))
		ints = append(ints, codedInt{label, guess})
		plainInts = append(plainInts, plainInt(ints[i]))
	}
	for name, test := range map[string]struct {
		coded, plain string
		want         []string
	}{
		"texts": {write(t, texts, 2, 60), write(t, plainTexts, 1, 300), []string{"10", "11", "8", "9", "class -1", "class 0", "class 1", "class 2", "class 3"}},
		"ints":  {write(t, ints, 2, 60), write(t, plainInts, 1, 300), []string{"-1", "0", "1", "2", "3", "8", "9", "10", "11"}},
	} {
		t.Run(name, func(t *testing.T) {
			coded, plain := parse(t, yaml, test.coded), parse(t, yaml, test.plain)
			require.Equal(t, test.want, foundBy(t, coded))
			require.Nil(t, foundBy(t, plain))
			want := readReport(t, evaluate(t, plain))
			got := readReport(t, evaluate(t, coded))
			require.Equal(t, want.Metrics, got.Metrics)
			require.Equal(t, want.Labels, got.Labels)
		})
	}
}

// TestLabelsThatAreNotProved: a dictionary may have values that no row has, and planning neither
// reads all rows for a rare label nor all dictionaries of a large input.
func TestLabelsThatAreNotProved(t *testing.T) {
	t.Parallel()
	rare := make([]codedInt, mostFoundRows+5000)
	rare[len(rare)-1].Label = 1
	for i := range rare {
		rare[i].Prediction = new(int32)
	}
	many := make([]codedText, mostFound+1)
	for i := range many {
		many[i].Label = fmt.Sprint(i)
	}
	require.Len(t, foundBy(t, parse(t, "task: multiclass", write(t, many[2:], 1, len(many)))), mostFound)
	for name, dir := range map[string]string{
		"a rare label":    write(t, rare, 1, len(rare)),
		"many labels":     write(t, many, 1, len(many)),
		"many row groups": write(t, many[:mostDictionaries+1], 1, 1),
	} {
		require.Nil(t, foundBy(t, parse(t, "task: multiclass", dir)), name)
	}
	require.Equal(t, []string{"", "0", "1"}, foundBy(t, parse(t, "task: multiclass", write(t, many[:2], 1, 1))))
}
