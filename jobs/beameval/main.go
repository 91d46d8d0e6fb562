// Command beameval evaluates the predictions of machine-learning models:
//
//	beameval evaluate --input 'predictions/*.parquet' --output out
//	beameval compare old new --output compared
//	beameval plan out --metric roc_auc --drop 0.01
//	beameval sample predictions.parquet --n 300 --for accuracy --judge judge_score -o to_label.csv
//	beameval report out
//	beameval metrics ranking
//	beameval generate --output preds --task multilabel --rows 1M
//
// beameval help explains the commands. Package command defines their exit codes.
package main

import "github.com/beameval/beameval/jobs/command"

func main() { command.Main() }
