// Package formula draws formulas as MathML that are written as people type them, such as
//
//	1 - Σ (y - p)² / Σ (y - ȳ)²
//
// so that a formula is written once: as it is for terminals and Markdown, and drawn for browsers, which need neither scripts
// nor fonts of other hosts for it.
//
// From the tightest to the loosest, there are:
//
//   - numbers; variables, which are single letters; words; (…), |…| and functions such as max(a, b);
//   - powers and indices: y², 10⁻⁶, p^(1-a), log₂, βᵢ, R_K;
//   - a slash without spaces: n/N;
//   - factors and words side by side: λ² Var f. √ and Σ take all that follow them;
//   - a slash between spaces: a fraction, whose parts need no parentheses;
//   - · between factors, + and - between terms, ∩, ∪ and Δ between sets;
//   - = and comparisons.
package formula

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// MathML returns a formula as an element math, on one line.
func MathML(source string) (string, error) {
	p := parser{source: source}
	if err := p.scan(); err != nil {
		return "", err
	}
	all, err := p.relation()
	if err != nil {
		return "", err
	}
	if p.next().kind != end {
		return "", p.expected("an operator or the end")
	}
	var out strings.Builder
	out.WriteString(`<math displaystyle="true">`)
	all.write(&out)
	out.WriteString("</math>")
	return out.String(), nil
}

// token is a part of a formula. Spaces around it tell tight slashes, and calls of functions, from others.
type token struct {
	kind   kind
	text   string
	at     int // bytes before it
	spaced bool
}

type kind int

const (
	end kind = iota
	number
	name
	raised  // ², ⁻⁵²
	lowered // ₂, ᵢ
	sign    // everything else, a character each, or <=
)

const (
	raisedDigits  = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"
	loweredSigns  = "₀₁₂₃₄₅₆₇₈₉ᵢⱼₖ"
	raisedPlain   = "0123456789-"
	loweredPlain  = "0123456789ijk"
	signs         = "+-·/()|,=<>≤≥^√Σ∩∪Δ"
	relations     = "= < > <= ≤ ≥"
	betweenTerms  = "+ - ∩ ∪ Δ"
	beforeFactors = "( | √ Σ"
)

// plain returns the characters of a text that others stand for.
func plain(text, from, to string) string {
	characters, stand := []rune(from), []rune(to)
	return strings.Map(func(c rune) rune { return stand[slices.Index(characters, c)] }, text)
}

type parser struct {
	source string
	tokens []token
	i      int
	inBars bool // whether | ends what it has begun
}

// scan divides the source into tokens, the last of which is its end.
func (p *parser) scan() error {
	rest, spaced := []rune(p.source), false
	at := 0
	for len(rest) > 0 {
		c, n, kind := rest[0], 1, sign
		run := func(belongs func(rune) bool) {
			for n < len(rest) && belongs(rest[n]) {
				n++
			}
		}
		switch {
		case c == ' ':
			rest, spaced, at = rest[1:], true, at+1
			continue
		case strings.ContainsRune(raisedDigits, c):
			kind = raised
			run(func(c rune) bool { return strings.ContainsRune(raisedDigits, c) })
		case strings.ContainsRune(loweredSigns, c):
			kind = lowered
			run(func(c rune) bool { return strings.ContainsRune(loweredSigns, c) })
		case strings.ContainsRune(signs, c):
			if c == '<' && len(rest) > 1 && rest[1] == '=' {
				n = 2
			}
		case c >= '0' && c <= '9':
			kind = number
			run(func(c rune) bool { return c >= '0' && c <= '9' || c == '.' })
		case unicode.IsLetter(c):
			kind = name
			run(func(c rune) bool {
				return !strings.ContainsRune(loweredSigns+signs, c) &&
					(unicode.IsLetter(c) || unicode.IsMark(c) || c >= '0' && c <= '9' || c == '_' || c == '\'')
			})
		default:
			return fmt.Errorf("formula %q: %q at byte %d is no part of a formula", p.source, c, at)
		}
		text := string(rest[:n])
		p.tokens = append(p.tokens, token{kind, text, at, spaced})
		rest, spaced, at = rest[n:], false, at+len(text)
	}
	p.tokens = append(p.tokens, token{kind: end, at: at, spaced: true})
	return nil
}

func (p *parser) next() token { return p.tokens[p.i] }

// is reports whether the next token is one of some signs, between which are spaces.
func (p *parser) is(signs string) bool {
	t := p.next()
	return t.kind == sign && slices.Contains(strings.Fields(signs), t.text)
}

// take returns the next token, and goes on.
func (p *parser) take() token {
	t := p.next()
	p.i++
	return t
}

func (p *parser) expected(what string) error {
	t := p.next()
	found := fmt.Sprintf("%q", t.text)
	if t.kind == end {
		found = "the end"
	}
	return fmt.Errorf("formula %q: %s at byte %d, where %s is expected", p.source, found, t.at, what)
}

// chain parses operands with signs between them.
func (p *parser) chain(signs string, operand func() (node, error)) (node, error) {
	first, err := operand()
	parts := []node{first}
	for err == nil && p.is(signs) {
		parts = append(parts, operator(p.take().text))
		var part node
		part, err = operand()
		parts = append(parts, part)
	}
	return row(parts), err
}

func (p *parser) relation() (node, error) { return p.chain(relations, p.sum) }

func (p *parser) sum() (node, error) {
	if !p.is("-") {
		return p.chain(betweenTerms, p.product)
	}
	minus := operator(p.take().text)
	rest, err := p.chain(betweenTerms, p.product)
	return row([]node{minus, rest}), err
}

func (p *parser) product() (node, error) { return p.chain("·", p.quotient) }

func (p *parser) quotient() (node, error) {
	above, err := p.factors()
	for err == nil && p.is("/") {
		p.take()
		var below node
		below, err = p.factors()
		above = fraction(above, below)
	}
	return above, err
}

// factors parses what stands side by side.
func (p *parser) factors() (node, error) {
	var parts []node
	for p.begins() {
		t := p.next()
		part, err := p.tight()
		if err != nil {
			return node{}, err
		}
		parts = beside(parts, part, t.spaced)
	}
	if parts == nil {
		return node{}, p.expected("a number, a name or a parenthesis")
	}
	return row(parts), nil
}

// begins reports whether the next token begins a factor.
func (p *parser) begins() bool {
	switch t := p.next(); t.kind {
	case number, name:
		return true
	case sign:
		return p.is(beforeFactors) && !(p.inBars && t.text == "|")
	}
	return false
}

// tight parses a factor with what is divided by without spaces.
func (p *parser) tight() (node, error) {
	above, err := p.power()
	for err == nil && p.is("/") && !p.next().spaced && !p.tokens[p.i+1].spaced {
		p.take()
		var below node
		below, err = p.power()
		above = fraction(above, below)
	}
	return above, err
}

func (p *parser) power() (node, error) {
	base, err := p.atom()
	for err == nil {
		switch t := p.next(); {
		case t.kind == raised && !t.spaced:
			p.take()
			base = power(base, exponent(plain(t.text, raisedDigits, raisedPlain)))
		case p.is("^"):
			p.take()
			var above node
			above, err = p.atom()
			base = power(base, bare(above))
		default:
			return base, nil
		}
	}
	return base, err
}

func (p *parser) atom() (node, error) {
	switch t := p.next(); {
	case t.kind == number:
		return leaf("mn", p.take().text), nil
	case t.kind == name:
		return p.named()
	case p.is("√"):
		p.take()
		under, err := p.factors()
		return node{tag: "msqrt", inside: []node{bare(under)}}, err
	case p.is("Σ"):
		sum := operator(p.take().text)
		spaced := p.next().spaced
		of, err := p.factors()
		return row(beside([]node{sum}, of, spaced)), err
	case p.is("("):
		return p.fenced(")")
	case p.is("|") && !p.inBars:
		return p.fenced("|")
	}
	return node{}, p.expected("a number, a name or a parenthesis")
}

// named parses a name, with its index and the arguments of a function.
func (p *parser) named() (node, error) {
	t := p.take()
	of := named(t.text)
	if t.text == "a" && p.next().kind == name { // the article, as in share of a value
		of = leaf(words, t.text)
	}
	if below := p.next(); below.kind == lowered && !below.spaced {
		p.take()
		of = node{tag: "msub", inside: []node{of, index(plain(below.text, loweredSigns, loweredPlain))}}
	}
	if !p.is("(") || p.next().spaced {
		return of, nil
	}
	arguments, err := p.fenced(")")
	return node{tag: "mrow", inside: []node{of, arguments}}, err
}

// fenced parses what is between parentheses or bars, which may be a list.
func (p *parser) fenced(closing string) (node, error) {
	opening, outer := p.take().text, p.inBars
	p.inBars = closing == "|"
	content, err := p.chain(",", p.relation)
	if err != nil {
		return node{}, err
	}
	if !p.is(closing) {
		return node{}, p.expected(closing)
	}
	p.take()
	p.inBars = outer
	return node{tag: "mrow", inside: []node{operator(opening), content, operator(closing)}, parenthesized: closing == ")"}, nil
}
