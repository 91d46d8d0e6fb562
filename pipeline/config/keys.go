package config

import (
	"crypto/sha256"
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/metrics"
)

// key is a key of the file, and the field of the configuration that holds its value.
type key struct {
	name  string
	field string            // name of the field in Go, such as Config.Task
	tag   reflect.StructTag // see Config
	value reflect.Value
}

// keysOf returns the keys of a mapping, in the order in which documentation and messages list them.
// Values other than mappings with fixed keys have none, nor has a mapping that is not set.
func keysOf(value reflect.Value) (keys []key) {
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	if value.CanAddr() {
		if of, ok := value.Addr().Interface().(ofRoles); ok {
			return keysOfRoles(of)
		}
	}
	if value.Kind() != reflect.Struct {
		return nil
	}
	for i := range value.NumField() {
		field := value.Type().Field(i)
		if name, ok := field.Tag.Lookup("key"); ok {
			keys = append(keys, key{name, value.Type().Name() + "." + field.Name, field.Tag, value.Field(i)})
		}
	}
	return keys
}

// mappingOf returns the keys of a mapping, with their defaults if it is not set.
func mappingOf(value reflect.Value) []key {
	if value.Kind() != reflect.Pointer || !value.IsNil() || value.Type().Elem().Kind() != reflect.Struct {
		return keysOf(value)
	}
	keys := keysOf(reflect.New(value.Type().Elem()))
	setDefaults(keys)
	return keys
}

// below returns the keys inside a key whose value is a mapping.
func (k key) below() []key { return keysOf(k.value) }

// tasks returns the tasks listed by the first of these tags that the key has.
func (k key) tasks(tags ...string) (tasks []metrics.Task, listed bool) {
	for _, tag := range tags {
		names, listed := k.tag.Lookup(tag)
		if !listed {
			continue
		}
		for name := range strings.FieldsSeq(names) {
			var t metrics.Task
			if t.UnmarshalText([]byte(name)) == nil { // "-" stands for no task
				tasks = append(tasks, t)
			}
		}
		return tasks, true
	}
	return nil, false
}

// oneOf lists tasks for messages.
func oneOf(tasks []metrics.Task) string {
	names := make([]string, len(tasks))
	for i, t := range tasks {
		names[i] = t.String()
	}
	return strings.Join(names, " or ")
}

// values returns the valid values of a key that is limited to certain names.
func (k key) values() []string {
	if names, limited := k.tag.Lookup("values"); limited {
		return strings.Fields(names)
	}
	var unknown *metrics.UnknownNameError
	if any, ok := reflect.New(k.value.Type()).Interface().(encoding.TextUnmarshaler); ok && errors.As(any.UnmarshalText([]byte("?")), &unknown) {
		return unknown.Known
	}
	return nil
}

// homeOf returns the path of the mapping below keys that has a key of this name, or "".
func homeOf(keys []key, path, name string) string {
	for _, k := range keys {
		here := join(path, k.name)
		if slices.Contains(namesOf(k.below()), name) {
			return here
		}
		if home := homeOf(k.below(), here, name); home != "" {
			return home
		}
	}
	return ""
}

func namesOf(keys []key) []string {
	var names []string
	for _, k := range keys {
		names = append(names, k.name)
	}
	return names
}

func unknownKey(name, parent string, keys []key) string {
	text := fmt.Sprintf("unknown key %q", shorten(name))
	if parent != "" {
		text += " in " + parent
	}
	names := namesOf(keys)
	if home := homeOf(new(Config).keys(), "", name); home != "" && quote.Slip(name, names) == "" {
		return fmt.Sprintf("%s (it belongs in %s)", text, home)
	}
	return text + " " + hint(name, "keys", names)
}

func unknownValue(name string, known []string) string {
	return fmt.Sprintf("unknown value %q %s", shorten(name), hint(name, "values", known))
}

// hint ends a message about an unknown name: it suggests a similar name, or lists the valid ones.
func hint(name, plural string, candidates []string) string {
	if n := quote.Slip(name, candidates); n != "" {
		return fmt.Sprintf("(did you mean %q?)", n)
	}
	return fmt.Sprintf("(valid %s: %s)", plural, strings.Join(candidates, ", "))
}

var simpleKey = regexp.MustCompile(`^[\pL\pN_-]+$`)

// longKey is the number of bytes from which paths have only the beginning of a key, and a digest of all
// of it: each value below the key has a path.
const longKey = 256

// join appends a key to a path. Keys that could be misread, or would break a line, are quoted:
// decision.threshold."new york".
func join(path, key string) string {
	if len(key) > longKey {
		key = fmt.Sprintf("%s… (%x)", strings.ToValidUTF8(key[:longKey/4], ""), sha256.Sum256([]byte(key)))
	}
	if !simpleKey.MatchString(key) {
		key = strconv.Quote(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// interval is the range of a number, parsed from a tag such as [1,10] or, without an upper bound,
// (0,).
type interval struct {
	low, high         float64 // high is infinite if there is no upper bound
	openLow, openHigh bool    // the bound itself is excluded
	words             string
}

func parseInterval(tag string) interval {
	low, high, _ := strings.Cut(tag[1:len(tag)-1], ",")
	r := interval{openLow: tag[0] == '(', openHigh: tag[len(tag)-1] == ')'}
	r.low, _ = strconv.ParseFloat(low, 64)
	var err error
	if r.high, err = strconv.ParseFloat(high, 64); err != nil {
		r.high = math.Inf(1)
	}
	r.words = map[bool]string{false: "at least ", true: "greater than "}[r.openLow] + low
	switch {
	case high != "" && !r.openLow && !r.openHigh:
		r.words = "from " + low + " to " + high
	case high != "":
		r.words += " and " + map[bool]string{false: "at most ", true: "less than "}[r.openHigh] + high
	}
	return r
}

// has reports whether a number is in the interval.
func (r interval) has(x float64) bool {
	return !(x < r.low || x > r.high || r.openLow && x == r.low || r.openHigh && x == r.high)
}

// String describes the interval in words: from 1 to 10.
func (r interval) String() string { return r.words }
