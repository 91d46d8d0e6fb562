package config

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Set sets a key like the flag --set: by KEY=VALUE, where KEY is the path of a key, such as
// ranking.gain, and VALUE is YAML. The value replaces the one in the file. Set checks what it reads
// as Parse does; call Validate when everything is set, because keys may contradict each other.
// After an error, the configuration must not be used.
func (c *Config) Set(assignment string) error {
	path, value, ok := strings.Cut(assignment, "=")
	if !ok || path == "" {
		return c.src.error(problem{at: position{flag: "--set"}, text: "expected KEY=VALUE, such as metrics=[f1, roc_auc], found " + shorten(assignment)})
	}
	return c.SetBy("--set", path, value)
}

// SetBy is like [Config.Set], for a flag whose name appears in messages.
func (c *Config) SetBy(flag, path, value string) error {
	if c.src == nil {
		c.src = &source{at: map[string]position{}}
	}
	at := position{flag: flag}
	root, problems := parseYAML([]byte(value))
	if len(problems) > 0 {
		return c.src.error(problem{at: at, path: path, text: problems[0].text})
	}
	if root == nil {
		root = &node{Tag: kindNull}
	}
	names := strings.Split(path, ".")
	for _, name := range slices.Backward(names) {
		root = &node{Tag: kindMap, Content: []*node{{Tag: kindString, Value: name}, root}}
	}
	if err := c.clear(names); err != nil {
		return c.src.error(problem{at: at, text: err.Error()})
	}
	c.src.forget(path)
	d := decoder{flag: flag, at: maps.Clone(c.src.at), failed: map[string]bool{}}
	d.mapping(root, "", c.keys())
	// The file still sets other keys below a key that is set now.
	for here := range d.at {
		if before, ok := c.src.at[here]; ok {
			d.at[here] = before
		}
	}
	c.src.at = d.at
	return c.src.join(d.problems)
}

// clear resets a key that is about to be set, if it is a mapping, to its default. It is an error if
// the path continues below a key that is set as a whole. Decoding will find unknown keys.
func (c *Config) clear(names []string) error {
	keys, path := c.keys(), ""
	for i, name := range names {
		k := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
		if k < 0 {
			return nil
		}
		path = join(path, name)
		value, isLast := keys[k].value, i == len(names)-1
		switch {
		case value.Kind() == reflect.Pointer && isLast:
			value.SetZero()
			return nil
		case value.Kind() == reflect.Pointer && value.IsNil():
			keys = mappingOf(value)
			continue
		}
		keys = keys[k].below()
		switch {
		case len(keys) == 0 && !isLast:
			return errors.New("set " + path + " as a whole: " + path + "=VALUE")
		case len(keys) > 0 && isLast:
			value.SetZero()
			setDefaults(keys)
		}
	}
	return nil
}

// forget removes the record of where the key at a path, and those below it, were set.
func (s *source) forget(path string) {
	maps.DeleteFunc(s.at, func(at string, _ position) bool {
		return at == path || strings.HasPrefix(at, path+".") || strings.HasPrefix(at, path+"[")
	})
}
