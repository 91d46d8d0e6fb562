package command

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/pipeline/config"
)

// Finished are the flags that commands on finished reports share.
type Finished struct {
	Output    string
	Overwrite bool
	config    string
}

// Add adds the flags. result is what the command writes, such as a comparison, place what the directory
// is for, and key the key of a configuration that counts.
func (f *Finished) Add(flags *pflag.FlagSet, result, place, key string) {
	flags.StringVarP(&f.Output, "output", "o", "", "`directory` for the "+place+", local, gs://…, s3://… or az://…; must be empty or not exist (required)")
	flags.BoolVar(&f.Overwrite, "overwrite", false, "replace a finished "+result+" in the output, when the new one is complete")
	flags.StringVarP(&f.config, "config", "c", "", "configuration `file` (YAML); of its keys, "+key+" counts")
}

// ParseConfig parses the configuration file, or returns nil if none is given.
func ParseConfig[C any](ctx context.Context, f *Finished, parse func(data []byte, filename string) (*C, error)) (*C, error) {
	if f.config == "" {
		return nil, nil
	}
	data, err := files.ReadFile(ctx, f.config, config.MaxFile)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	return parse(data, f.config)
}
