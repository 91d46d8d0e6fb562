package config

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/beameval/beameval/io/quote"
)

// kind is the type of a YAML value.
type kind int

const (
	kindInvalid kind = iota // already reported
	kindNull
	kindBool
	kindNumber
	kindString
	kindList
	kindMap
)

// position is where a value was set: a place in the file, counted from 1, or a flag. The zero
// position is unknown.
type position struct {
	line, column int
	flag         string
}

// node is a YAML value: the library's tree without the ways to spell the same
// value (styles, anchors), so that the decoder sees only what was said.
type node struct {
	kind  kind
	text  string // of a scalar, as written; empty where nothing was written
	at    position
	items []*node // of a list
	pairs []pair  // of a map, in the order of the file
}

// pair is a key of a map and its value.
type pair struct{ key, value *node }

// parseYAML returns the only document of data, or nil if data is empty.
func parseYAML(data []byte) (root *node, problems []problem) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return nil, []problem{{at: invalidUTF8(data), text: "not valid UTF-8"}}
	}
	file, bad := tokensToTree(data)
	if bad != nil {
		return nil, []problem{*bad}
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.DirectiveType {
			continue
		}
		if body != nil {
			at := tokenPosition(doc.Body.GetToken())
			if doc.Start != nil {
				at = tokenPosition(doc.Start)
			}
			return nil, []problem{{at: at, text: "more than one YAML document"}}
		}
		body = doc.Body
	}
	if body == nil {
		return nil, nil
	}
	b := treeBuilder{anchors: map[string]*node{}, sizes: map[string]int{}}
	return b.build(body), b.problems
}

const notYAML = "not valid YAML"

// tokensToTree calls the YAML library. It may panic on malformed text, which
// for us is one more way of saying that the text is malformed.
func tokensToTree(data []byte) (file *ast.File, bad *problem) {
	defer func() {
		if recover() != nil {
			bad = &problem{at: position{line: 1, column: 1}, text: notYAML}
		}
	}()
	tokens, bad := tokensOf(string(data))
	if bad != nil {
		return nil, bad
	}
	// Repeated keys are found by treeBuilder, which tells both places.
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err == nil {
		return file, nil
	}
	bad = &problem{at: position{line: 1, column: 1}, text: notYAML}
	var positioned interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if errors.As(err, &positioned) {
		bad.text = quote.Short(strings.Join(strings.Fields(positioned.GetMessage()), " ")) // on one line
		if at := tokenPosition(positioned.GetToken()); at != (position{}) {
			bad.at = at
		}
	}
	return nil, bad
}

// treeBuilder turns the library's tree into nodes.
type treeBuilder struct {
	anchors  map[string]*node
	sizes    map[string]int // of the values of anchors, as [node.count] counts them
	copies   int            // values that aliases have repeated
	problems []problem
}

func (b *treeBuilder) fail(at position, format string, args ...any) *node {
	b.problems = append(b.problems, problem{at: at, text: fmt.Sprintf(format, args...)})
	return &node{at: at}
}

func (b *treeBuilder) build(n ast.Node) *node {
	if n == nil {
		return &node{kind: kindNull}
	}
	at := tokenPosition(n.GetToken())
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			at = tokenPosition(n.Values[0].Key.GetToken()) // the token is the colon after it
		}
		return b.buildMap(at, n.Values)
	case *ast.MappingValueNode:
		return b.buildMap(tokenPosition(n.Key.GetToken()), []*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		list := &node{kind: kindList, at: at}
		for _, item := range n.Values {
			list.items = append(list.items, b.build(item))
		}
		return list
	case *ast.AnchorNode:
		// The name is known only after the value, so that no value holds itself.
		value := b.build(n.Value)
		if n.Name != nil {
			name := n.Name.GetToken().Value
			b.anchors[name], b.sizes[name] = value, value.count()
		}
		return value
	case *ast.AliasNode:
		if n.Value == nil {
			return b.fail(at, "alias without a name")
		}
		name := n.Value.GetToken().Value
		value, ok := b.anchors[name]
		if !ok {
			return b.fail(at, "alias %q has no anchor before it", shorten(name))
		}
		if b.copies += b.sizes[name]; b.copies > maxCopies {
			return b.fail(at, "aliases repeat more than %d values", maxCopies)
		}
		alias := *value
		alias.at = at
		return &alias
	case *ast.LiteralNode:
		return &node{kind: kindString, text: n.Value.Value, at: at}
	case *ast.TagNode:
		return b.fail(at, "tag %q is not supported; quote a value to make it a string", shorten(n.Start.Value))
	case *ast.StringNode:
		if t := n.Token.Type; t == token.SingleQuoteType || t == token.DoubleQuoteType {
			return &node{kind: kindString, text: n.Value, at: at}
		}
		return plainScalar(n.Value, at)
	case *ast.NullNode:
		if n.Token.Type == token.ImplicitNullType {
			return &node{kind: kindNull, at: at}
		}
		return plainScalar(n.Token.Value, at)
	case ast.ScalarNode:
		return plainScalar(n.GetToken().Value, at)
	}
	return b.fail(at, "%s is not supported", n.Type())
}

func (b *treeBuilder) buildMap(at position, values []*ast.MappingValueNode) *node {
	m := &node{kind: kindMap, at: at}
	first := map[string]position{}
	for _, v := range values {
		key := b.buildKey(v.Key)
		value := b.build(v.Value)
		if key == nil {
			continue
		}
		if before, repeated := first[key.text]; repeated {
			b.fail(key.at, "key %q is repeated (first on line %d)", key.text, before.line)
			continue
		}
		first[key.text] = key.at
		m.pairs = append(m.pairs, pair{key, value})
	}
	return m
}

// buildKey returns nil, after saying so, if n cannot be a key.
func (b *treeBuilder) buildKey(n ast.MapKeyNode) *node {
	at := tokenPosition(n.GetToken())
	var value ast.Node = n
	if explicit, ok := n.(*ast.MappingKeyNode); ok { // ? key
		value = explicit.Value
	}
	if n.IsMergeKey() {
		b.fail(at, "merge keys (<<) are not supported")
		return nil
	}
	key := b.build(value)
	switch key.kind {
	case kindInvalid:
		return nil
	case kindNull, kindList, kindMap:
		b.fail(at, "expected a key, found %s", key)
		return nil
	}
	if key.text == "" {
		b.fail(at, "a key must not be empty")
		return nil
	}
	return key
}

// The core schema of YAML 1.2. The library differs from it: for it 1e-15 is a
// string and 010 is 8.
var (
	corePlainNull = regexp.MustCompile(`^(~|null|Null|NULL)$`)
	corePlainBool = regexp.MustCompile(`^(true|True|TRUE|false|False|FALSE)$`)
	coreInteger   = regexp.MustCompile(`^([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)
	coreFloat     = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	coreInfNaN    = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

// plainScalar is a scalar without quotes: its text decides its kind.
func plainScalar(text string, at position) *node {
	n := &node{kind: kindString, text: text, at: at}
	switch {
	case corePlainNull.MatchString(text):
		n.kind = kindNull
	case corePlainBool.MatchString(text):
		n.kind = kindBool
	case coreInteger.MatchString(text), coreFloat.MatchString(text), coreInfNaN.MatchString(text):
		n.kind = kindNumber
	}
	return n
}

// String describes the value for an error message: "found …".
func (n *node) String() string {
	switch n.kind {
	case kindBool:
		return "the boolean " + n.text
	case kindNumber:
		return "the number " + shorten(n.text)
	case kindString:
		return fmt.Sprintf("the string %q", shorten(n.text))
	case kindList:
		return "a list"
	case kindMap:
		return "a mapping"
	}
	if n.text == "" {
		return "nothing"
	}
	return "null"
}

// shorten keeps messages on one line of a screen.
func shorten(s string) string {
	const limit = 40
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}

func tokenPosition(t *token.Token) position {
	if t == nil || t.Position == nil {
		return position{}
	}
	return position{line: t.Position.Line, column: t.Position.Column}
}

func invalidUTF8(data []byte) position {
	at := position{line: 1, column: 1}
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			break
		}
		at.column++
		if r == '\n' {
			at.line, at.column = at.line+1, 1
		}
		data = data[size:]
	}
	return at
}
