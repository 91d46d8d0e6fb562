// Package abbreviate shortens names for places with little room, so that different names stay different.
package abbreviate

import (
	"fmt"
	"slices"
	"sort"
	"unicode"

	"github.com/beameval/beameval/internal/collections"
)

// Cut stands for what is missing.
const Cut = "…"

// All returns names of which none is wider than most, in terms of width. A name that has to be
// shortened loses its middle. If two different names would look the same, all lose what all begin and end with
// first, as few whole words as suffice. If that does not help, names keep their ends, or their beginnings,
// or are numbered.
func All[W ~int | ~float64](names []string, width func(string) W, most W) []string {
	if !slices.ContainsFunc(names, func(name string) bool { return width(name) > most }) {
		return names
	}
	left, right := leastCut(names, width, most)
	ways := []func(string) string{
		func(s string) string { return Middle(s, width, most) },
		func(s string) string { return Middle(within(s, left, right), width, most) },
		func(s string) string { return end(s, width, most) },
		func(s string) string { return beginning(s, width, most) },
	}
	for _, way := range ways {
		short := collections.Map(names, way)
		if distinct(short) == distinct(names) {
			return short
		}
	}
	return numbered(names, width, most)
}

// Middle returns a name without its middle, if it is too wide.
func Middle[W ~int | ~float64](name string, width func(string) W, most W) string {
	if width(name) <= most {
		return name
	}
	runes := []rune(name)
	head, tail := 0, len(runes)
	cut := func(head, tail int) string { return string(runes[:head]) + Cut + string(runes[tail:]) }
	for head < tail {
		nextHead, nextTail := head+1, tail
		if width(string(runes[:head])) > width(string(runes[tail:])) {
			nextHead, nextTail = head, tail-1
		}
		if width(cut(nextHead, nextTail)) > most {
			break
		}
		head, tail = nextHead, nextTail
	}
	return cut(head, tail)
}

// end returns the end of a name, if it is too wide.
func end[W ~int | ~float64](name string, width func(string) W, most W) string {
	if width(name) <= most {
		return name
	}
	runes := []rune(name)
	from := len(runes)
	for from > 0 && width(Cut+string(runes[from-1:])) <= most {
		from--
	}
	return Cut + string(runes[from:])
}

// beginning returns the beginning of a name, if it is too wide.
func beginning[W ~int | ~float64](name string, width func(string) W, most W) string {
	if width(name) <= most {
		return name
	}
	runes := []rune(name)
	n := 0
	for n < len(runes) && width(string(runes[:n+1])+Cut) <= most {
		n++
	}
	return string(runes[:n]) + Cut
}

// numbered returns names without their middle. The second and later of different names that look the
// same end with a number.
func numbered[W ~int | ~float64](names []string, width func(string) W, most W) []string {
	given := make(map[string]string)  // by name
	used := make(map[string]struct{}) // what names look like
	return collections.Map(names, func(name string) string {
		if short, again := given[name]; again {
			return short
		}
		short := Middle(name, width, most)
		for n := 2; ; n++ {
			if _, taken := used[short]; !taken {
				break
			}
			number := fmt.Sprintf(" %d", n)
			short = Middle(name, width, most-width(number)) + number
		}
		given[name], used[short] = short, struct{}{}
		return short
	})
}

// leastCut returns how many runes to leave out of what all names begin and end with: as few as make all
// names fit, or all if none does.
func leastCut[W ~int | ~float64](names []string, width func(string) W, most W) (left, right int) {
	mostLeft, mostRight := common(names)
	first := []rune(names[0])
	last := len(first) - 1
	lefts := cuts(mostLeft, func(n int) rune { return first[n-1] })
	rights := cuts(mostRight, func(n int) rune { return first[last+1-n] })
	fit := func(left, right int) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return width(within(name, left, right)) > most })
	}
	if i := sort.Search(len(lefts), func(i int) bool { return fit(lefts[i], 0) }); i < len(lefts) {
		return lefts[i], 0
	}
	i := sort.Search(len(rights), func(i int) bool { return fit(mostLeft, rights[i]) })
	return mostLeft, rights[min(i, len(rights)-1)]
}

// cuts returns the numbers of runes, up to most, that may be left out because they end at a word: none, and those
// of which the innermost rune is in no word.
func cuts(most int, innermost func(n int) rune) []int {
	list := []int{0}
	for n := 1; n <= most; n++ {
		if !inWord(innermost(n)) {
			list = append(list, n)
		}
	}
	return list
}

// common returns how many runes all names begin and end with, up to the last and from the first rune
// between words.
func common(names []string) (left, right int) {
	first := []rune(names[0])
	left, right = len(first), len(first)
	for _, name := range names[1:] {
		runes := []rune(name)
		n := 0
		for n < min(left, len(runes)) && runes[n] == first[n] {
			n++
		}
		left, n = n, 0
		for n < min(right, len(runes)) && runes[len(runes)-1-n] == first[len(first)-1-n] {
			n++
		}
		right = n
	}
	for left > 0 && inWord(first[left-1]) {
		left--
	}
	for right > 0 && inWord(first[len(first)-right]) {
		right--
	}
	return left, right
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

// within returns a name without so many runes on the left and on the right.
func within(name string, left, right int) string {
	runes := []rune(name)
	if left+right >= len(runes) {
		return name
	}
	short := string(runes[left : len(runes)-right])
	if left > 1 {
		short = Cut + short
	} else {
		short = string(runes[:left]) + short
	}
	if right > 1 {
		return short + Cut
	}
	return short + string(runes[len(runes)-right:])
}

// distinct returns the number of different names.
func distinct(names []string) int {
	set := make(map[string]struct{}, len(names))
	for _, name := range names {
		set[name] = struct{}{}
	}
	return len(set)
}
