package config

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// printWidth is the maximum width of lines that can be broken.
const printWidth = 100

// SchemaURL is the location of the JSON Schema of the configuration.
const SchemaURL = "https://raw.githubusercontent.com/beameval/beameval/main/docs/config.schema.json"

// Print returns a configuration file that means the same as c, with a comment on each key. Keys
// that are not set begin with #. If the task is not set, so do defaults that would be an error for
// some tasks. If it is set, keys without a meaning for it are omitted.
func Print(c *Config) []byte {
	defaults := Default()
	p := printer{Config: c, comments: comments(), without: c.meaningless()}
	lines := []string{
		"# yaml-language-server: $schema=" + SchemaURL,
		"# The configuration of an evaluation. To set a key that begins with #, remove the #, also of the key around it.",
	}
	for i, k := range c.keys() {
		if block, _ := p.key("", "", k, defaults.keys()[i], true); block != nil {
			lines = append(append(lines, ""), block...)
		}
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

type printer struct {
	*Config
	comments map[string]string
	without  map[string]bool // paths of keys that another key makes meaningless
}

// key returns the lines of a key, and whether it is set. There are no lines if the key has no
// meaning for the task. allowed says whether the enclosing keys are valid for the task.
func (p *printer) key(indent, path string, k, byDefault key, allowed bool) (lines []string, set bool) {
	path = join(path, k.name)
	meant := true
	if tasks, listed := k.tasks("tasks"); listed {
		allowed = allowed && slices.Contains(tasks, p.Task)
	}
	if tasks, _ := k.tasks("echo", "tasks"); len(tasks) > 0 && p.Task != 0 {
		meant = slices.Contains(tasks, p.Task)
	}
	allowed = allowed && !p.without[path]
	lines = comment(indent, p.comments[k.field], k.facts())
	value := []string{k.name + ":"}
	if below, defaults := mappingOf(k.value), mappingOf(byDefault.value); below != nil {
		set = k.value.Kind() == reflect.Pointer && !k.value.IsNil()
		allowed = allowed && (set || k.value.Kind() != reflect.Pointer)
		for i, b := range below {
			more, setBelow := p.key(indent+"  ", path, b, defaults[i], allowed)
			value, set = append(value, more...), set || setBelow
		}
	} else {
		_, always := k.tag.Lookup("default")
		set = p.src.has(path) || !reflect.DeepEqual(k.value.Interface(), byDefault.value.Interface())
		if !meant && !set {
			return nil, false
		}
		if always || set {
			value = k.lines(indent)
		}
		set = set || always && allowed
	}
	if !meant && !set {
		return nil, false
	}
	value[0] = map[bool]string{false: indent + "#", true: indent}[set] + value[0]
	return append(lines, value...), set
}

// comment returns sentences as comment lines.
func comment(indent string, sentences ...string) (lines []string) {
	for _, text := range sentences {
		line := indent + "#"
		for word := range strings.FieldsSeq(text) {
			if len([]rune(line))+1+len([]rune(word)) > printWidth {
				lines = append(lines, line)
				line = indent + "#"
			}
			line += " " + word
		}
		if text != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// lines returns a key with its value, either on one line or, if the value is long, on one line for
// each element. The first line has no indent.
func (k key) lines(indent string) []string {
	text, err := marshal(k.value.Interface())
	if err != nil {
		panic(fmt.Sprintf("%s: %v", k.name, err)) // Validate rejects such values
	}
	n, _ := parseYAML(text)
	line := k.name + ": " + flow(n)
	nested := slices.ContainsFunc(n.Content, func(item *node) bool { return item.Tag == kindList || item.Tag == kindMap })
	if len(n.Content) == 0 || !nested && len(indent)+len([]rune(line)) <= printWidth {
		return []string{line}
	}
	lines := []string{k.name + ":"}
	for _, item := range items(n) {
		lines = append(lines, indent+"  - "+flow(item))
	}
	for key, value := range pairs(n) {
		lines = append(lines, indent+"  "+flow(key)+": "+flow(value))
	}
	return lines
}

// plainText matches a string that needs no quotes unless it would be taken for another type.
var plainText = regexp.MustCompile(`^[\pL_]([\pL\pN_./*@%+ -]*[\pL\pN_./*@%+-])?$`)

// flow returns a value on one line.
func flow(n *node) string {
	var parts []string
	switch n.Tag {
	case kindNull:
		return "null"
	case kindString:
		if plainText.MatchString(n.Value) && kindOf(n.Value) == kindString {
			return n.Value
		}
		quoted, _ := marshal(n.Value)
		return string(quoted)
	case kindList:
		for _, item := range n.Content {
			parts = append(parts, flow(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case kindMap:
		for key, value := range pairs(n) {
			parts = append(parts, flow(key)+": "+flow(value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return n.Value
}
