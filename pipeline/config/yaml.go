package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/beameval/beameval/io/quote"
)

// node is a YAML value. [checker] has removed differences in spelling (styles, anchors), so that
// the decoder sees only the content, and has set Tag to the kind.
type node = yaml.Node

// The kinds of values.
const (
	kindInvalid = "" // already reported
	kindNull    = "!!null"
	kindBool    = "!!bool"
	kindNumber  = "!!float"
	kindString  = "!!str"
	kindList    = "!!seq"
	kindMap     = "!!map"
)

// position says where a value was set: a place in the file, counted from 1, or a flag. The zero
// position is unknown.
type position struct {
	line, column int
	flag         string
}

func positionOf(n *node) position { return position{line: n.Line, column: n.Column} }

// pairs yields the keys of a mapping, in the order of the file, with their values.
func pairs(n *node) iter.Seq2[*node, *node] {
	return func(yield func(key, value *node) bool) {
		for i := 0; n.Tag == kindMap && i < len(n.Content) && yield(n.Content[i], n.Content[i+1]); i += 2 {
		}
	}
}

// items returns the elements of a list.
func items(n *node) []*node {
	if n.Tag != kindList {
		return nil
	}
	return n.Content
}

// The limits of a file, besides its size. A value costs time and memory wherever an alias repeats
// it.
const (
	maxDepth  = 64
	maxCopies = 100_000 // total number of values that aliases repeat, including nested ones
)

// limits makes the library limit how deeply values nest. checker deals with aliases.
type limits struct{}

func (limits) CheckDepth(depth int, _ *yaml.DepthContext) error {
	if depth > maxDepth {
		return fmt.Errorf("values nest deeper than %d", maxDepth)
	}
	return nil
}

func (limits) CheckAlias(int, int) error { return nil }

// parseYAML returns the only document in data, or nil if data is empty.
func parseYAML(data []byte) (root *node, problems []problem) {
	data = directive.ReplaceAll(data, []byte("${1}1"))
	if json.Valid(data) {
		data = surrogates.ReplaceAllFunc(data, character)
	}
	l, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithPlugin(limits{}))
	for err == nil {
		var doc node
		if err = l.Load(&doc); err != nil {
			break
		}
		switch body := doc.Content[0]; {
		case body.ShortTag() == kindNull && body.Value == "" && body.Anchor == "": // nothing between document markers
		case root != nil:
			return nil, []problem{{at: positionOf(&doc), text: "more than one YAML document"}}
		default:
			root = body
		}
	}
	if err != io.EOF {
		return nil, []problem{syntaxProblem(data, err)}
	}
	if root == nil {
		return nil, nil
	}
	c := checker{sizes: map[*node]int{}}
	return c.check(root), c.problems
}

// The library rejects two valid inputs: a directive for YAML 1.2, although that is what the library
// reads, and a pair of JSON escapes that represents one character.
var (
	directive  = regexp.MustCompile(`\A(\x{FEFF}?(?:[ \t]*(?:#.*)?\r?\n)*%YAML 1\.)2`)
	surrogates = regexp.MustCompile(`\\(?:[^u]|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})`)
)

// character returns the character that a pair of escapes represents, and any other escape
// unchanged.
func character(escape []byte) []byte {
	if len(escape) == 2 {
		return escape
	}
	var text string
	if json.Unmarshal([]byte(`"`+string(escape)+`"`), &text) != nil {
		return escape
	}
	return []byte(text)
}

// syntaxProblem explains a syntax error and where it is.
func syntaxProblem(data []byte, err error) problem {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		return problem{at: position{line: 1, column: 1}, text: err.Error()}
	}
	p := problem{at: position{line: e.Mark.Line, column: e.Mark.Column}, text: quote.Short(e.Message)}
	if p.at.line == 0 { // for bytes that are not text, the library reports only how many precede them
		if !utf8.Valid(data) {
			p.text = "not valid UTF-8"
		}
		head := data[:min(e.Mark.Index, len(data))]
		p.at.line = 1 + bytes.Count(head, []byte("\n"))
		p.at.column = 1 + len(bytes.Runes(head[bytes.LastIndexByte(head, '\n')+1:]))
	}
	if from := e.ContextMark.Line; from > 0 && from != p.at.line {
		p.text += fmt.Sprintf(" %s that begins on line %d", e.ContextMsg, from)
	}
	return p
}

// checker validates the tree of the library and converts it to nodes.
type checker struct {
	sizes    map[*node]int // sizes of values with anchors, once they have been checked
	copies   int           // number of values that aliases have repeated
	problems []problem
}

func (c *checker) fail(at *node, format string, args ...any) *node {
	c.problems = append(c.problems, problem{at: positionOf(at), text: fmt.Sprintf(format, args...)})
	return &node{Line: at.Line, Column: at.Column}
}

// check returns the node that replaces n.
func (c *checker) check(n *node) *node {
	switch {
	case n.Kind == yaml.AliasNode:
		size := c.sizes[n.Alias]
		if size == 0 { // the value would contain itself
			return c.fail(n, "alias %q has no anchor before it", shorten(n.Value))
		}
		if c.copies += size; c.copies > maxCopies {
			return c.fail(n, "aliases repeat more than %d values", maxCopies)
		}
		alias := *n.Alias
		alias.Line, alias.Column = n.Line, n.Column
		return &alias
	case n.Style&yaml.TaggedStyle != 0 || n.Tag == "!":
		return c.fail(n, "tag %q is not supported; quote a value to make it a string", shorten(n.Tag))
	case n.Kind == yaml.SequenceNode:
		for i, item := range n.Content {
			n.Content[i] = c.check(item)
		}
	case n.Kind == yaml.MappingNode:
		c.checkMap(n)
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0:
		n.Tag = kindOf(n.Value)
	}
	if n.Anchor != "" {
		c.sizes[n] = size(n)
	}
	return n
}

// checkMap checks keys and values, and drops the pairs whose key is invalid or repeated.
func (c *checker) checkMap(n *node) {
	first := map[string]int{} // line of each key
	var good []*node
	for key, value := range pairs(n) {
		merge := key.Tag == "!!merge"
		key = c.check(key)
		line, repeated := first[key.Value]
		switch {
		case merge:
			c.fail(key, "merge keys (<<) are not supported")
		case key.Tag == kindInvalid:
		case key.Tag == kindNull || key.Tag == kindList || key.Tag == kindMap:
			c.fail(key, "expected a key, found %s", describe(key))
		case key.Value == "":
			c.fail(key, "a key must not be empty")
		case repeated:
			c.fail(key, "key %q is repeated (first on line %d)", key.Value, line)
		default:
			first[key.Value] = key.Line
			good = append(good, key, c.check(value))
			continue
		}
		c.check(value)
	}
	n.Content = good
}

// size returns the number of values in a value, including itself.
func size(n *node) int {
	all := 1
	for _, item := range items(n) {
		all += size(item)
	}
	for _, value := range pairs(n) {
		all += size(value)
	}
	return all
}

// The core schema of YAML 1.2. The library deviates from it: it takes 2026-01-01 for a time.
var (
	corePlainNull = regexp.MustCompile(`^(~|null|Null|NULL)$`)
	corePlainBool = regexp.MustCompile(`^(true|True|TRUE|false|False|FALSE)$`)
	coreInteger   = regexp.MustCompile(`^([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)
	coreFloat     = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	coreInfNaN    = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

// kindOf returns the kind of an unquoted scalar, which its text determines.
func kindOf(text string) string {
	switch {
	case text == "", corePlainNull.MatchString(text):
		return kindNull
	case corePlainBool.MatchString(text):
		return kindBool
	case coreInteger.MatchString(text), coreFloat.MatchString(text), coreInfNaN.MatchString(text):
		return kindNumber
	}
	return kindString
}

// describe describes a value for an error message: "found …".
func describe(n *node) string {
	switch n.Tag {
	case kindBool:
		return "the boolean " + n.Value
	case kindNumber:
		return "the number " + shorten(n.Value)
	case kindString:
		return fmt.Sprintf("the string %q", shorten(n.Value))
	case kindList:
		return "a list"
	case kindMap:
		return "a mapping"
	}
	if n.Value == "" {
		return "nothing"
	}
	return "null"
}

// shorten shortens text in messages.
func shorten(s string) string {
	const limit = 40
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}
