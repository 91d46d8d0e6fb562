package config

import (
	"fmt"
	"slices"
	"strings"
)

// maxFile is how many bytes a file may have: each label in it costs microseconds and a
// kilobyte of memory, and files of another kind are quick.
const maxFile = 8 << 20

// Parse reads a configuration from the text of a YAML file. The name of the
// file is for messages only. The result has been validated.
func Parse(data []byte, filename string) (*Config, error) {
	if filename == "" {
		filename = "config"
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: the configuration has %d bytes, more than %d: list labels in a labels_file, one name a line, and thresholds in a JSON file that decision.threshold names",
			filename, len(data), maxFile)
	}
	c := Default()
	c.src = &source{file: filename, at: map[string]position{}}
	root, problems := parseYAML(data)
	if root != nil {
		c.src.at[""] = root.at
		d := decoder{c: &c, at: c.src.at, failed: map[string]bool{}}
		d.fields(root, "", schema)
		problems = append(problems, d.problems...)
		for _, p := range c.problems() {
			// What could not be read is not judged as well.
			if !d.failedAround(p.path) {
				problems = append(problems, p)
			}
		}
	}
	if len(problems) > 0 {
		return nil, c.src.join(problems)
	}
	c.normalize()
	return &c, nil
}

func (d *decoder) failedAround(path string) bool {
	for {
		if d.failed[path] {
			return true
		}
		end := strings.LastIndexAny(path, ".[")
		if end < 0 {
			return false
		}
		path = path[:end]
	}
}

// normalize puts what is a set in the order of a set.
func (c *Config) normalize() {
	c.K = sorted(c.K)
	c.Beta = sorted(c.Beta)
	order := func(format string) int { return slices.Index(formats, format) }
	slices.SortFunc(c.Output.Formats, func(a, b string) int { return order(a) - order(b) })
	c.Output.Formats = slices.Compact(c.Output.Formats)
}
