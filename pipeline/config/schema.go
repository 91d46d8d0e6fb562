package config

import (
	"regexp"
	"strconv"
)

// field is a key of the file: a mapping with fields, or a value that set
// decodes into the configuration.
type field struct {
	key    string
	set    setter
	fields []field
}

// schema is every key of the file, in the order in which documentation and
// messages list them.
var schema = []field{
	{key: "task", set: text(func(c *Config) *string { return &c.Task })},
	{key: "input", fields: []field{
		{key: "files", set: textOrTexts(func(c *Config) *[]string { return &c.Input.Files })},
		{key: "layout", set: text(func(c *Config) *string { return &c.Input.Layout })},
		{key: "columns", fields: []field{
			{key: "example", set: text(func(c *Config) *string { return &c.Input.Columns.Example })},
			{key: "class", set: text(func(c *Config) *string { return &c.Input.Columns.Class })},
			{key: "query", set: text(func(c *Config) *string { return &c.Input.Columns.Query })},
			{key: "item", set: text(func(c *Config) *string { return &c.Input.Columns.Item })},
			{key: "label", set: origin(func(c *Config) *Origin { return &c.Input.Columns.Label })},
			{key: "score", set: origin(func(c *Config) *Origin { return &c.Input.Columns.Score })},
			{key: "score_label", set: text(func(c *Config) *string { return &c.Input.Columns.ScoreLabel })},
			{key: "prediction", set: origin(func(c *Config) *Origin { return &c.Input.Columns.Prediction })},
			{key: "weight", set: text(func(c *Config) *string { return &c.Input.Columns.Weight })},
		}},
		{key: "score_type", set: text(func(c *Config) *string { return &c.Input.ScoreType })},
		{key: "label_encoding", set: text(func(c *Config) *string { return &c.Input.LabelEncoding })},
		{key: "decimals", set: text(func(c *Config) *string { return &c.Input.Decimals })},
		{key: "max_page_mib", set: count(func(c *Config) *int { return &c.Input.MaxPageMiB })},
	}},
	{key: "truth", fields: []field{
		{key: "files", set: textOrTexts(func(c *Config) *[]string { return &c.Truth.Files })},
		{key: "columns", fields: []field{
			{key: "example", set: text(func(c *Config) *string { return &c.Truth.Columns.Example })},
			{key: "class", set: text(func(c *Config) *string { return &c.Truth.Columns.Class })},
			{key: "query", set: text(func(c *Config) *string { return &c.Truth.Columns.Query })},
			{key: "item", set: text(func(c *Config) *string { return &c.Truth.Columns.Item })},
			{key: "label", set: origin(func(c *Config) *Origin { return &c.Truth.Columns.Label })},
		}},
		{key: "missing", set: text(func(c *Config) *string { return &c.Truth.Missing })},
	}},
	{key: "labels", set: labels(func(c *Config) *[]string { return &c.Labels })},
	{key: "labels_file", set: text(func(c *Config) *string { return &c.LabelsFile })},
	{key: "num_labels", set: count(func(c *Config) *int { return &c.NumLabels })},
	{key: "positive_label", set: label(func(c *Config) *string { return &c.PositiveLabel })},
	{key: "decision", fields: []field{
		{key: "threshold", set: threshold},
		{key: "top_k", set: count(func(c *Config) *int { return &c.Decision.TopK })},
	}},
	{key: "metrics", set: texts(func(c *Config) *[]string { return &c.Metrics })},
	{key: "k", set: counts(func(c *Config) *[]int { return &c.K })},
	{key: "beta", set: numbers(func(c *Config) *[]float64 { return &c.Beta })},
	{key: "zero_division", set: zeroDivision},
	{key: "slices", set: sliceList},
	{key: "max_slices", set: count(func(c *Config) *int { return &c.MaxSlices })},
	{key: "per_label", set: perLabel},
	{key: "calibration", fields: []field{
		{key: "bins", set: count(func(c *Config) *int { return &c.Calibration.Bins })},
		{key: "strategy", set: text(func(c *Config) *string { return &c.Calibration.Strategy })},
	}},
	{key: "curves", fields: []field{
		{key: "mode", set: text(func(c *Config) *string { return &c.Curves.Mode })},
		{key: "points", set: whole(func(c *Config) *int { return &c.Curves.Points })},
		{key: "bins", set: count(func(c *Config) *int { return &c.Curves.Bins })},
	}},
	{key: "ranking", fields: []field{
		{key: "gain", set: text(func(c *Config) *string { return &c.Ranking.Gain })},
		{key: "ties", set: text(func(c *Config) *string { return &c.Ranking.Ties })},
		{key: "relevance_threshold", set: number(func(c *Config) *float64 { return &c.Ranking.RelevanceThreshold })},
		{key: "max_relevance", set: number(func(c *Config) *float64 { return &c.Ranking.MaxRelevance })},
		{key: "empty_queries", set: text(func(c *Config) *string { return &c.Ranking.EmptyQueries })},
		{key: "negative_relevance", set: text(func(c *Config) *string { return &c.Ranking.NegativeRelevance })},
	}},
	{key: "tune_thresholds", set: text(func(c *Config) *string { return &c.TuneThresholds })},
	{key: "propensity", fields: []field{
		{key: "frequencies", set: text(func(c *Config) *string { return &c.Propensity.Frequencies })},
		{key: "columns", fields: []field{
			{key: "label", set: text(func(c *Config) *string { return &c.Propensity.Label })},
			{key: "count", set: text(func(c *Config) *string { return &c.Propensity.Count })},
		}},
		{key: "examples", set: count(func(c *Config) *int { return &c.Propensity.Examples })},
		{key: "a", set: number(func(c *Config) *float64 { return &c.Propensity.A })},
		{key: "b", set: number(func(c *Config) *float64 { return &c.Propensity.B })},
	}},
	{key: "log_loss_eps", set: logLossEps},
	{key: "bad_rows", set: text(func(c *Config) *string { return &c.BadRows })},
	{key: "max_skipped", set: limit(func(c *Config) *Limit { return &c.MaxSkipped })},
	{key: "probability_tolerance", set: number(func(c *Config) *float64 { return &c.ProbabilityTolerance })},
	{key: "output", fields: []field{
		{key: "dir", set: text(func(c *Config) *string { return &c.Output.Dir })},
		{key: "formats", set: texts(func(c *Config) *[]string { return &c.Output.Formats })},
		{key: "per_query", set: boolean(func(c *Config) *bool { return &c.Output.PerQuery })},
	}},
}

// homeOf returns the path of the mapping below fields that has the key, or "".
func homeOf(fields []field, path, key string) string {
	for _, f := range fields {
		here := join(path, f.key)
		for _, child := range f.fields {
			if child.key == key {
				return here
			}
		}
		if home := homeOf(f.fields, here, key); home != "" {
			return home
		}
	}
	return ""
}

func keysOf(fields []field) []string {
	var keys []string
	for _, f := range fields {
		keys = append(keys, f.key)
	}
	return keys
}

var simpleKey = regexp.MustCompile(`^[\pL\pN_-]+$`)

// join appends a key to a path. Keys that could be misread, or would break a
// line, are quoted: decision.threshold."new york".
func join(path, key string) string {
	if !simpleKey.MatchString(key) {
		key = strconv.Quote(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}
