package recalibration

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func written(t testing.TB, m *Map) []byte {
	var out bytes.Buffer
	require.NoError(t, m.Write(&out))
	return out.Bytes()
}

func TestFile(t *testing.T) {
	m := New("logit")
	m.Add(math.Inf(-1), 0)
	m.Add(-2, 0.25)
	m.Add(0.1, 0.25)
	m.Add(math.MaxFloat64, 0.5)
	m.Add(math.Inf(1), 1)
	data := written(t, m)
	require.Equal(t, `{"schema":"beameval.recalibration/v1","score_type":"logit","scores":[-1.7976931348623157e+308,-2,0.1,1.7976931348623157e+308],"probabilities":[0,0.25,0.25,1]}`+"\n", string(data))
	back, err := Read(data)
	require.NoError(t, err)
	require.Equal(t, m, back)
}

func TestApply(t *testing.T) {
	m := New("probability")
	m.Add(0.2, 0.1)
	m.Add(0.5, 0.6)
	scores := []float64{0, 0.2, 0.49, 0.5, 1, math.Inf(1), math.Inf(-1), math.NaN()}
	m.Apply(scores)
	require.Equal(t, []float64{0.1, 0.1, 0.1, 0.6, 0.6, 0.6, 0.1}, scores[:7])
	require.True(t, math.IsNaN(scores[7]))
}

func TestErrors(t *testing.T) {
	for data, want := range map[string]string{
		``:                 "expected a recalibration.json: EOF",
		`[]`:               "expected a recalibration.json: json: cannot unmarshal array",
		`{"default": 0.5}`: `expected a recalibration.json: json: unknown field "default"`,
		`{}`:               `schema is "": expected "beameval.recalibration/v1"`,
		`{"schema":"beameval.recalibration/v1","score_type":"margin"}`:                                                          `score_type is "margin": expected one of ["probability" "logit" "score"]`,
		`{"schema":"beameval.recalibration/v1","score_type":"logit"}`:                                                           "scores is empty: expected at least one",
		`{"schema":"beameval.recalibration/v1","score_type":"logit","scores":[1],"probabilities":[0,1]}`:                        "1 scores and 2 probabilities: expected one for each",
		`{"schema":"beameval.recalibration/v1","score_type":"logit","scores":[1,1],"probabilities":[0,1]}`:                      "scores[1] is 1 after 1: expected increasing scores",
		`{"schema":"beameval.recalibration/v1","score_type":"logit","scores":[1,2],"probabilities":[0.5,0.4]}`:                  "probabilities[1] is 0.4 after 0.5: expected probabilities that do not decrease",
		`{"schema":"beameval.recalibration/v1","score_type":"logit","scores":[1],"probabilities":[-0.5]}`:                       "probabilities[0] is -0.5: expected a number within [0, 1]",
		`{"schema":"beameval.recalibration/v1","score_type":"logit","scores":[1e999],"probabilities":[0.5]}`:                    "cannot unmarshal number 1e999",
		`{"schema":"beameval.recalibration/v1","score_type":"logit","scores":[1],"probabilities":[0.5]} {}`:                     "there is something after the JSON object",
		`{"schema":"beameval.recalibration/v2","score_type":"logit","scores":[1],"probabilities":[0.5]}`:                        `schema is "beameval.recalibration/v2": expected`,
		`{"schema":"beameval.recalibration/v1","score_type":"logit","scores":[0, 1],"probabilities":[0.5, 1.0000000000000002]}`: "probabilities[1] is 1.0000000000000002",
		`{"schema":"beameval.recalibration/v1","score_type":"logit","scores":[null,1],"probabilities":[0.5,0.6]}`:               "scores[0] is null: expected a number",
		`{"schema":"beameval.recalibration/v1","score_type":"logit","scores":[1,2],"probabilities":[0,null]}`:                   "probabilities[1] is null: expected a number",
		`{"schema":"beameval.recalibration/v1","score_type":"logit","scores":[1],"probabilities":[0.5],"probabilities":[0.6]}`:  `a key occurs twice: jsontext: duplicate object member name "probabilities"`,
		`{"schema":"beameval.recalibration/v1","score_type":"logit","scores":[1],"probabilities":[0.5],"Scores":[2]}`:           `a key occurs twice: jsontext: duplicate object member name "scores"`,
	} {
		_, err := Read([]byte(data))
		require.ErrorContains(t, err, want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"schema":"beameval.recalibration/v1","score_type":"logit","scores":[1,2],"probabilities":[0.5,0.5]}`))
	f.Add([]byte(`{"schema":"beameval.recalibration/v1","score_type":"score","scores":[-0.0,1e-320],"probabilities":[0,1]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Read(data)
		if err != nil {
			return
		}
		back, err := Read(written(t, m))
		require.NoError(t, err)
		require.Equal(t, m, back)
		scores := []float64{math.Inf(-1), 0, 1, math.Inf(1)}
		m.Apply(scores)
		require.IsNonDecreasing(t, scores)
		require.True(t, scores[0] >= 0 && scores[3] <= 1)
	})
}
