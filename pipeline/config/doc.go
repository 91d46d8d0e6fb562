// Package config is the configuration of an evaluation: the YAML file users
// write, its defaults, its checks and its canonical form.
//
// The file is strict. An unknown key, a repeated key, a value of the wrong
// type and options that contradict each other are errors, each with file, line
// and column. All problems of a file are reported at once, one a line.
//
//	c, err := config.Parse(data, "eval.yaml")
//	if err != nil {
//		return err // eval.yaml:3:1: unknown key "inpt" (did you mean "input"?)
//	}
//	c.Output.Dir = *output // a flag overrides the file
//	if err := c.Validate(); err != nil {
//		return err
//	}
//
// What only the data or the metric catalogue can tell is left to the caller:
// whether a column exists, whether a metric is known. [Config.Errorf] gives
// such an error the position of the key it is about.
//
// The package reads no file and knows nothing of Beam, Parquet or metrics.
package config
