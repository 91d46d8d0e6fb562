package config

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/metrics"
)

// decoder sets the values of keys from a tree. It continues after a problem, so that all problems
// are reported.
type decoder struct {
	flag     string // the flag that sets the keys, if they are not from a file
	at       map[string]position
	failed   map[string]bool // paths whose value could not be decoded
	problems []problem
}

// decodable is a value with its own representation.
type decodable interface {
	decode(d *decoder, n *node, path string)
}

func (d *decoder) fail(path, format string, args ...any) {
	d.failed[path] = true
	d.problems = append(d.problems, problem{at: d.at[path], path: path, text: fmt.Sprintf(format, args...)})
}

func (d *decoder) wrongType(path, want string, n *node) {
	if n.Tag == kindInvalid {
		d.failed[path] = true
		return
	}
	advice := ""
	if strings.Contains(want, "string") && (n.Tag == kindBool || n.Tag == kindNumber) {
		advice = " (quote it to make it a string)"
	}
	d.fail(path, "expected %s, found %s%s", want, describe(n), advice)
}

// mapping decodes a mapping with fixed keys.
func (d *decoder) mapping(n *node, path string, keys []key) {
	if n.Tag != kindMap {
		d.wrongType(path, "a mapping", n)
		return
	}
	d.pairs(n, path, func(name, value *node, here string) {
		i := slices.IndexFunc(keys, func(k key) bool { return k.name == name.Value })
		switch {
		case i < 0:
			d.unknown(name, path, keys)
		case keys[i].below() != nil:
			d.mapping(value, here, keys[i].below())
		default:
			d.value(value, here, keys[i].value, keys[i].tag)
		}
	})
}

// unknown reports an unknown key and, if the report will be shown, suggests what may have been
// meant.
func (d *decoder) unknown(key *node, path string, keys []key) {
	p := problem{at: d.place(key)}
	if len(d.problems) < maxShown {
		p.text = unknownKey(key.Value, path, keys)
	}
	d.problems = append(d.problems, p)
}

// value decodes the value of a key, or an element of it. A value that cannot be decoded becomes the
// zero value instead of the default, so that no conclusions are drawn from a default that the user
// did not want.
func (d *decoder) value(n *node, path string, to reflect.Value, tag reflect.StructTag) {
	to.SetZero()
	switch own := to.Addr().Interface().(type) {
	case decodable:
		own.decode(d, n, path)
		return
	case encoding.TextUnmarshaler:
		d.enumeration(n, path, own)
		return
	}
	switch form := tag.Get("form"); to.Kind() {
	case reflect.Slice:
		if alone(n, to.Type().Elem(), form) {
			n = &node{Tag: kindList, Content: []*node{n}, Line: n.Line, Column: n.Column}
		}
		d.list(n, path, to, tag)
	case reflect.String:
		if form == "label" {
			if to.SetString(d.label(n, path)); to.String() == "" && !d.failed[path] {
				d.fail(path, "must not be empty")
			}
		} else {
			to.SetString(d.text(n, path))
		}
	case reflect.Bool:
		to.SetBool(d.boolean(n, path))
	case reflect.Int:
		to.SetInt(int64(d.whole(n, path)))
	case reflect.Float64:
		if form == "share" {
			to.SetFloat(d.share(n, path))
		} else {
			to.SetFloat(d.number(n, path, "a number"))
		}
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		d.value(n, path, to.Elem(), tag)
	case reflect.Struct:
		setDefaults(keysOf(to))
		d.mapping(n, path, keysOf(to))
	}
}

// alone reports whether a string stands for a list that has only it, in a list of element. A label does not: one is no choice.
func alone(n *node, element reflect.Type, form string) bool {
	if form == "text" {
		return n.Tag == kindString || n.Tag == kindNumber || n.Tag == kindBool
	}
	return n.Tag == kindString && form != "label" && (element.Kind() == reflect.String || element.Kind() == reflect.Slice)
}

func (d *decoder) list(n *node, path string, to reflect.Value, tag reflect.StructTag) {
	element := to.Type().Elem()
	want := "a list of " + map[reflect.Kind]string{
		reflect.String: "strings", reflect.Int: "whole numbers", reflect.Float64: "numbers", reflect.Slice: "slices", reflect.Struct: "mappings",
	}[element.Kind()]
	switch {
	case tag.Get("form") == "label":
		want = "a list of labels"
	case tag.Get("form") == "text":
		want = "a text or a list of texts"
	case element.Kind() == reflect.String:
		want = "a string or " + want
	case element.Kind() == reflect.Slice:
		want = "a column or " + want
	}
	to.Set(reflect.MakeSlice(to.Type(), 0, len(n.Content)))
	d.items(n, path, want, func(n *node, path string) {
		e := reflect.New(element).Elem()
		if tag.Get("form") == "label" {
			e.SetString(d.label(n, path)) // may be empty
		} else if tag.Get("form") == "text" {
			e.SetString(d.scalar(n, path, "a text"))
		} else {
			d.value(n, path, e, tag)
		}
		if !d.failed[path] {
			to.Set(reflect.Append(to, e))
		}
	})
}

func (d *decoder) enumeration(n *node, path string, to encoding.TextUnmarshaler) {
	text := d.text(n, path)
	if d.failed[path] {
		return
	}
	err := to.UnmarshalText([]byte(text))
	var unknown *metrics.UnknownNameError
	switch {
	case errors.As(err, &unknown):
		d.fail(path, "%s", unknownValue(text, unknown.Known))
	case err != nil:
		d.fail(path, "%v", err)
	}
}

// place returns where a value was set.
func (d *decoder) place(n *node) position {
	if d.flag != "" {
		return position{flag: d.flag}
	}
	return positionOf(n)
}

// pairs calls each for the pairs of a mapping. The place of a key is the place of its value or, if
// the value begins on a later line, the place of its name.
func (d *decoder) pairs(n *node, path string, each func(key, value *node, path string)) {
	for key, value := range pairs(n) {
		here := join(path, key.Value)
		d.at[here] = d.place(value)
		if value.Line != key.Line {
			d.at[here] = d.place(key)
		}
		each(key, value, here)
	}
}

// items calls each for the elements of a list.
func (d *decoder) items(n *node, path, want string, each func(n *node, path string)) {
	if n.Tag != kindList {
		d.wrongType(path, want, n)
		return
	}
	for i, item := range n.Content {
		p := fmt.Sprintf("%s[%d]", path, i)
		d.at[p] = d.place(item)
		each(item, p)
	}
}

func (d *decoder) text(n *node, path string) string {
	if n.Tag != kindString {
		d.wrongType(path, "a string", n)
		return ""
	}
	if n.Value == "" {
		d.fail(path, "must not be empty")
	}
	return n.Value
}

func (d *decoder) boolean(n *node, path string) bool {
	if n.Tag != kindBool {
		d.wrongType(path, "true or false", n)
		return false
	}
	return strings.EqualFold(n.Value, "true")
}

// scalar accepts a scalar of any kind as text, so that 1 and true are valid labels.
func (d *decoder) scalar(n *node, path, want string) string {
	switch n.Tag {
	case kindBool, kindNumber, kindString:
		return n.Value
	}
	d.wrongType(path, want, n)
	return ""
}

func (d *decoder) label(n *node, path string) string { return d.scalar(n, path, "a label") }

func (d *decoder) number(n *node, path, want string) float64 {
	if n.Tag != kindNumber {
		d.wrongType(path, want, n)
		return 0
	}
	text := strings.ToLower(n.Value)
	var x float64
	var err error
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0o") {
		var i uint64
		i, err = strconv.ParseUint(text, 0, 64)
		x = float64(i)
	} else { // strconv spells .inf and .nan without the dot
		x, err = strconv.ParseFloat(strings.NewReplacer(".inf", "inf", ".nan", "nan").Replace(text), 64)
	}
	if err != nil {
		d.fail(path, "the number %s is out of range", n.Value)
		return 0
	}
	return x
}

func (d *decoder) whole(n *node, path string) int {
	const want = "a whole number"
	x := d.number(n, path, want)
	// Beyond 2⁵³, a float64 cannot represent every whole number.
	if !d.failed[path] && (x != math.Trunc(x) || math.Abs(x) > 1<<53) {
		d.wrongType(path, want, n)
		return 0
	}
	return int(x)
}
