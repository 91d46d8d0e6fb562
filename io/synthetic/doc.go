// Package synthetic writes made-up predictions as Parquet files, for benchmarks
// and trials.
//
// # What is written
//
// [Write] spreads the rows over files named part-00000.parquet and so on, and adds
// [ConfigFile], a configuration with which beameval evaluates them. The columns, in
// this order:
//
//	example_id   the number of the row, from 0
//	label        binary: 0 or 1; multiclass: the index of a class; regression: a number
//	labels       multilabel: a list of indices, of names, or of one 0 or 1 for each label
//	score        binary
//	scores       multiclass, multilabel: a dense list
//	prediction   the hard decision, in the form of the label, if asked for;
//	             regression: the predicted number, always
//	weight       between 0.5 and 2, if asked for
//	...          the slice columns, as dictionary-encoded strings
//
// With label names, the metadata of each file has the key labels: a JSON array of all
// names, in the order of the scores.
//
// # The data
//
// Metrics come out neither perfect nor random. A row of task binary and a label of task
// multilabel have true log-odds with a logistic distribution. The label is drawn from
// them; the score is what a model sees of them through logistic noise. Label r of a
// multilabel task is rarer by about r to the power 1.5. Among classes and slice values,
// the frequency of number r falls like r to the power -2/3. Regression has positive,
// right-skewed labels, and predictions with a relative error.
//
// # Determinism
//
// What a row holds depends on the seed and on its number alone: not on the number of
// files or the size of row groups, nor on columns that are added. Every draw is a hash
// of a counter, and only operations that IEEE 754 fixes are made on it, so the content
// is the same on every kind of machine. On one kind, the bytes are too, as long as the
// versions of parquet-go and of the compressors are the same.
package synthetic
