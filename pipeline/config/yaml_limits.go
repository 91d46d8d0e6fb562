package config

import (
	"fmt"

	"github.com/goccy/go-yaml/scanner"
	"github.com/goccy/go-yaml/token"
)

// The limits of a file, besides its size: the library needs memory in the square of the depth, and
// a value costs time and memory wherever an alias repeats it.
const (
	maxDepth  = 64
	maxCopies = 100_000 // values that aliases repeat, with those in them
)

// tokensOf divides a text into tokens, until values nest too deeply.
func tokensOf(text string) (tokens token.Tokens, bad *problem) {
	var s scanner.Scanner
	s.Init(text)
	var n nesting
	for {
		some, err := s.Scan() // the only error is the end: what is wrong is a token
		for _, t := range some {
			if n.add(t); n.depth() > maxDepth {
				return nil, &problem{at: tokenPosition(t), text: fmt.Sprintf("values nest deeper than %d", maxDepth)}
			}
		}
		if tokens.Add(some...); err != nil {
			return tokens, nil
		}
	}
}

// nesting is how deep a token is. Block mappings, of which each takes a line that is longer than
// the one around it, do not count.
type nesting struct {
	brackets int
	entries  []int // the columns of the dashes and question marks that a value is in
}

func (n *nesting) depth() int { return n.brackets + len(n.entries) }

func (n *nesting) add(t *token.Token) {
	switch t.Type {
	case token.SequenceStartType, token.MappingStartType:
		n.brackets++
	case token.SequenceEndType, token.MappingEndType:
		n.brackets--
	case token.SequenceEntryType, token.MappingKeyType:
		column := t.Position.Column
		for len(n.entries) > 0 && n.entries[len(n.entries)-1] >= column {
			n.entries = n.entries[:len(n.entries)-1]
		}
		n.entries = append(n.entries, column)
	}
}

// count returns how many values a value is, with those in it.
func (n *node) count() int {
	all := 1
	for _, item := range n.items {
		all += item.count()
	}
	for _, p := range n.pairs {
		all += p.value.count()
	}
	return all
}
