package pipeline

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestForecasts(t *testing.T) {
	t.Parallel()
	data := write(t, examples(50), 1, 50)
	for yaml, want := range map[string][]float64{
		"input: {columns: {label: target, prediction: predicted_value, lower: low, upper: high}, interval_level: 0.9}": {0.05, 0.95},
		"input: {columns: {label: target, quantiles: {0.95: high, 0.5: predicted_value, 0.25: low}}}":                  {0.25, 0.5, 0.95},
	} {
		cfg := parse(t, yaml, data)
		cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
		plan, err := Make(t.Context(), cfg)
		require.NoError(t, err)
		p := &plan.spec
		require.Equal(t, want, p.Params.QuantileLevels)
		require.Equal(t, "predicted_value", p.Columns.Prediction)
		require.Len(t, p.Columns.Wide[p.Columns.Quantiles], len(want))
	}
	for yaml, want := range map[string]string{
		"input: {columns: {label: target, prediction: predicted_value, quantiles: scores}}":                              `input.columns.quantiles: column "scores": expected a column for each level, such as {0.1: q10, 0.5: q50, 0.9: q90}`,
		"input: {columns: {label: target, quantiles: {p50: high}}}":                                                      `column "high": "p50" is not the level of a quantile: expected a number between 0 and 1, as in {0.1: q10, 0.9: q90}`,
		"input: {columns: {label: target, quantiles: {50: high}}}":                                                       `"50" is not the level of a quantile`,
		"input: {columns: {label: target, quantiles: {0.1: low, 0.10: high}}}":                                           `columns "low" and "high" are of the same level`,
		"input: {columns: {label: target, scale: few}}":                                                                  `regression needs a prediction column`,
		"input: {columns: {label: target, quantiles: {0.1: low, 0.9: high}, scale: few}}":                                `errors of predictions are divided by input.columns.scale, and there are none: set input.columns.prediction`,
		"input: {columns: {label: target, quantiles: {0.1: low, 0.9: high}, baseline_prediction: few}}":                  `predictions of a baseline are compared with predictions, and there are none: set input.columns.prediction`,
		"metrics: [mae]\ninput: {columns: {label: target, quantiles: {0.1: low, 0.9: high}}}":                            `metric "mae" needs predictions, and there are only quantiles, intervals or ensembles: set input.columns.prediction`,
		"input: {columns: {label: target, prediction: predicted_value, quantiles: {0.1: country}}}":                      `country`,
		"input: {columns: {label: target, prediction: predicted_value, scale: country}}":                                 `the scale of task regression must be of type int or float`,
		"input: {columns: {label: target, prediction: predicted_value, ensemble: low}}":                                  `the ensemble of task regression must be a list`,
		"input: {columns: {label: target, prediction: predicted_value, ensemble: nosuch}}":                               `no column "nosuch"`,
		"metrics: [wis]\ninput: {columns: {label: target, quantiles: {0.1: low, 0.5: predicted_value}}}":                 `metric "wis" needs forecasts of other quantiles than [0.1 0.5], namely of [0.9]`,
		"metrics: [interval_score@0.5]\ninput: {columns: {label: target, quantiles: {0.1: low, 0.5: predicted_value}}}":  `metric "interval_score@0.5" needs forecasts of other quantiles than [0.1 0.5], namely of [0.25 0.75]`,
		"metrics: [crps]\ntask: regression\ninput: {columns: {label: target, prediction: predicted_value}}":              `metric "crps" needs an ensemble of forecasts: set input.columns.ensemble`,
		"metrics: [mase]\ntask: regression\ninput: {columns: {label: target, prediction: predicted_value}}":              `metric "mase" needs the scale of errors: set input.columns.scale`,
		"metrics: [quantile_loss@0.1]\ntask: regression\ninput: {columns: {label: target, prediction: predicted_value}}": `metric "quantile_loss@0.1" needs forecasts of quantiles: set input.columns.quantiles, or lower and upper`,
	} {
		requireRefused(t, parse(t, yaml, data), want)
	}
}
