package formula

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// node is an element of MathML: with text, or with other elements inside. Its tag may have attributes.
type node struct {
	tag, text     string
	inside        []node
	parenthesized bool // whether the first and last inside are parentheses
}

// Spaces, between factors and beside words.
const (
	thin = `mspace width="0.17em"`
	wide = `mspace width="0.3em"`
)

// words are identifiers of several letters, in the letters of the text around. They are no mtext, which counts as a space: signs
// between such would have none around them.
const words = `mi class="words"`

func leaf(tag, text string) node { return node{tag: tag, text: text} }

// shown are the characters of operators that are typed otherwise.
var shown = strings.NewReplacer("-", "−", "<=", "≤", "Σ", "∑")

func operator(text string) node { return leaf("mo", shown.Replace(text)) }

var indexed = regexp.MustCompile(`^([A-Za-z])_([A-Za-z])$`)

// named returns a name. R_K is R with the index K, x' a variable with a prime, ȳ one with a bar; other names of several letters
// are words.
func named(text string) node {
	if parts := indexed.FindStringSubmatch(text); parts != nil {
		return node{tag: "msub", inside: []node{leaf("mi", parts[1]), leaf("mi", parts[2])}}
	}
	if of, primed := strings.CutSuffix(text, "'"); primed {
		return power(named(of), operator("′"))
	}
	if of, barred := strings.CutSuffix(decomposed.Replace(text), bar); barred {
		return node{tag: "mover", inside: []node{leaf("mi", of), operator("¯")}}
	}
	if utf8.RuneCountInString(text) == 1 {
		return leaf("mi", text)
	}
	return leaf(words, text)
}

// bar is the character that puts a bar over the letter before it. Keyboards and Unicode have some letters with it as one.
const bar = "\u0304"

var decomposed = strings.NewReplacer("ȳ", "y"+bar, "ā", "a"+bar, "ē", "e"+bar, "ū", "u"+bar)

// index returns what stands below a name: a number, or a variable.
func index(text string) node {
	if first, _ := utf8.DecodeRuneInString(text); unicode.IsDigit(first) {
		return leaf("mn", text)
	}
	return leaf("mi", text)
}

func exponent(text string) node {
	if digits, negative := strings.CutPrefix(text, "-"); negative {
		return row([]node{operator("-"), leaf("mn", digits)})
	}
	return leaf("mn", text)
}

// row returns nodes side by side.
func row(parts []node) node {
	if len(parts) == 1 {
		return parts[0]
	}
	return node{tag: "mrow", inside: parts}
}

// beside adds a node to others that it stands beside. Words that follow each other are one text.
func beside(parts []node, added node, spaced bool) []node {
	if len(parts) == 0 {
		return []node{added}
	}
	last := &parts[len(parts)-1]
	switch {
	case spaced && last.tag == words && added.tag == words:
		*last = leaf(words, last.text+" "+added.text)
		return parts
	case spaced && (last.tag == words || added.tag == words):
		parts = append(parts, node{tag: wide})
	case spaced:
		parts = append(parts, node{tag: thin})
	}
	return append(parts, added)
}

// bare returns a node without its parentheses, where lines or places show what belongs together.
func bare(n node) node {
	if n.parenthesized {
		return n.inside[1]
	}
	return n
}

func fraction(above, below node) node {
	return node{tag: "mfrac", inside: []node{bare(above), bare(below)}}
}

func power(base, of node) node { return node{tag: "msup", inside: []node{base, of}} }

// write writes the node on one line.
func (n node) write(out *strings.Builder) {
	out.WriteString("<" + n.tag + ">")
	out.WriteString(html.EscapeString(n.text))
	for _, part := range n.inside {
		part.write(out)
	}
	element, _, _ := strings.Cut(n.tag, " ")
	out.WriteString("</" + element + ">")
}
