package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/beameval/beameval/io/quote"
)

// decoder fills a configuration from a tree, and goes on after a problem so
// that all of them are reported.
type decoder struct {
	c        *Config
	at       map[string]position
	failed   map[string]bool // paths whose value could not be decoded
	problems []problem
}

// setter decodes the value of a key into the configuration.
type setter func(d *decoder, n *node, path string)

func (d *decoder) fail(path, format string, args ...any) {
	d.failed[path] = true
	d.problems = append(d.problems, problem{at: d.at[path], path: path, text: fmt.Sprintf(format, args...)})
}

func (d *decoder) wrongType(path, want string, n *node) {
	if n.kind == kindInvalid {
		d.failed[path] = true
		return
	}
	advice := ""
	if strings.Contains(want, "string") && (n.kind == kindBool || n.kind == kindNumber) {
		advice = " (quote it to make it a string)"
	}
	d.fail(path, "expected %s, found %s%s", want, n, advice)
}

// fields decodes a mapping whose keys are fixed.
func (d *decoder) fields(n *node, path string, fields []field) {
	if n.kind != kindMap {
		d.wrongType(path, "a mapping", n)
		return
	}
	for _, p := range n.pairs {
		d.field(p, path, fields)
	}
}

func (d *decoder) field(p pair, parent string, fields []field) {
	path := join(parent, p.key.text)
	d.place(path, p)
	for _, f := range fields {
		switch {
		case f.key != p.key.text:
		case f.set != nil:
			f.set(d, p.value, path)
			return
		default:
			d.fields(p.value, path, f.fields)
			return
		}
	}
	d.problems = append(d.problems, problem{at: p.key.at, text: unknownKey(p.key.text, parent, fields)})
}

// place records where a key is set: at its value or, if that begins on a later
// line, at the key.
func (d *decoder) place(path string, p pair) {
	d.at[path] = p.value.at
	if p.value.at.line != p.key.at.line {
		d.at[path] = p.key.at
	}
}

func unknownKey(key, parent string, fields []field) string {
	text := fmt.Sprintf("unknown key %q", shorten(key))
	if parent != "" {
		text += " in " + parent
	}
	keys := keysOf(fields)
	if home := homeOf(schema, "", key); home != "" && quote.Slip(key, keys) == "" {
		return fmt.Sprintf("%s (it belongs in %s)", text, home)
	}
	return text + " " + hint(key, "keys", keys)
}

// hint ends a message about an unknown name: what was meant or what is there.
func hint(name, plural string, candidates []string) string {
	if n := quote.Slip(name, candidates); n != "" {
		return fmt.Sprintf("(did you mean %q?)", n)
	}
	return fmt.Sprintf("(valid %s: %s)", plural, strings.Join(candidates, ", "))
}

// items calls each for the elements of a list.
func (d *decoder) items(n *node, path, want string, each setter) {
	if n.kind != kindList {
		d.wrongType(path, want, n)
		return
	}
	for i, item := range n.items {
		p := fmt.Sprintf("%s[%d]", path, i)
		d.at[p] = item.at
		each(d, item, p)
	}
}

func (d *decoder) text(n *node, path string) (string, bool) {
	if n.kind != kindString {
		d.wrongType(path, "a string", n)
		return "", false
	}
	if n.text == "" {
		d.fail(path, "must not be empty")
		return "", false
	}
	return n.text, true
}

func (d *decoder) boolean(n *node, path string) (value, ok bool) {
	if n.kind != kindBool {
		d.wrongType(path, "true or false", n)
		return false, false
	}
	return strings.EqualFold(n.text, "true"), true
}

// scalar takes a scalar of any kind as its text, so that 1 and true are labels.
func (d *decoder) scalar(n *node, path, want string) (string, bool) {
	switch n.kind {
	case kindBool, kindNumber, kindString:
		return n.text, true
	}
	d.wrongType(path, want, n)
	return "", false
}

func (d *decoder) label(n *node, path string) (string, bool) {
	return d.scalar(n, path, "a label")
}

func (d *decoder) number(n *node, path string) (float64, bool) {
	if n.kind != kindNumber {
		d.wrongType(path, "a number", n)
		return 0, false
	}
	text := strings.ToLower(n.text)
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0o") {
		i, err := strconv.ParseUint(text, 0, 64)
		if err != nil {
			d.fail(path, "the number %s is out of range", n.text)
		}
		return float64(i), err == nil
	}
	// strconv spells .inf and .nan without the dot.
	x, err := strconv.ParseFloat(strings.NewReplacer(".inf", "inf", ".nan", "nan").Replace(text), 64)
	if err != nil {
		d.fail(path, "the number %s is out of range", n.text)
	}
	return x, err == nil
}

func (d *decoder) count(n *node, path string) (int, bool) {
	i, ok := d.whole(n, path)
	if ok && i < 1 {
		d.fail(path, "must be at least 1, is %d", i)
		return 0, false
	}
	return i, ok
}

func (d *decoder) whole(n *node, path string) (int, bool) {
	if n.kind != kindNumber {
		d.wrongType(path, "a whole number", n)
		return 0, false
	}
	x, ok := d.number(n, path)
	// Beyond 2⁵³ a float64 no longer tells whole numbers apart.
	if ok && (x != math.Trunc(x) || math.Abs(x) > 1<<53) {
		d.wrongType(path, "a whole number", n)
		return 0, false
	}
	return int(x), ok
}
