// Package collections has functions for lists.
package collections

import (
	"iter"
	"slices"
)

// Map returns the results of f for all items of a list. It is nil for an empty list.
func Map[T, U any](list []T, f func(T) U) []U {
	var results []U
	for _, item := range list {
		results = append(results, f(item))
	}
	return results
}

// Select returns the items for which keep holds.
func Select[T any](list []T, keep func(*T) bool) (kept []*T) {
	for i := range list {
		if keep(&list[i]) {
			kept = append(kept, &list[i])
		}
	}
	return kept
}

// Sum returns the sum of numbers, added in order.
func Sum[N int64 | float64](all iter.Seq[N]) (sum N) {
	for n := range all {
		sum += n
	}
	return sum
}

// Dot returns the sum of the products of two vectors, as far as both reach.
func Dot(a, b []float64) (sum float64) {
	for i := range min(len(a), len(b)) {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// Set returns the set of the given keys.
func Set(keys func(func(string) bool)) map[string]bool {
	set := map[string]bool{}
	for key := range keys {
		set[key] = true
	}
	return set
}

// Spread returns at most most items, evenly spread, including the first and the last.
func Spread[T any](items []T, most int) []T {
	if len(items) <= most {
		return items
	}
	kept := make([]T, most)
	for i := range kept {
		kept[i] = items[i*(len(items)-1)/(most-1)]
	}
	return kept
}

// Places returns the index of each name in the list.
func Places(names []string) map[string]int {
	place := make(map[string]int, len(names))
	for i, name := range names {
		place[name] = i
	}
	return place
}

// Resize returns a list of n items, of any values, that reuses the memory of buf.
func Resize[T any](buf []T, n int) []T { return slices.Grow(buf[:0], n)[:n] }
