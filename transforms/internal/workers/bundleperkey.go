package workers

import "github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"

// BundlePerKey is a field of a DoFn that makes Flink and Spark run each key in a bundle of its own:
// they begin a new bundle for each key of a stateful step. In other steps, a bundle has everything
// that a subtask gets. They accept only 100 messages of a bundle's output before it ends: a worker
// that emits more blocks forever. Nothing is stored in the state.
type BundlePerKey = state.Value[bool]

// NewBundlePerKey returns the field.
func NewBundlePerKey() BundlePerKey { return state.MakeValueState[bool]("bundle-per-key") }

// GroupFn is a DoFn that gets all elements of a key at once, as a GroupByKey passes them on.
type GroupFn interface {
	// OneByOne returns the DoFn for a runner that makes a bundle of each key: it gets the elements one by one, and does
	// the same with them at the end of the bundle.
	OneByOne() any
}

// Elements keeps the elements of a bundle of one key, which arrive one by one. Otherwise they would be a single
// element, of a GroupByKey, and Flink cannot sort a record that exceeds its sort buffer.
type Elements[T any] []T

// Add keeps an element.
func (e *Elements[T]) Add(element T) { *e = append(*e, element) }

// Take returns the elements as an iterator, as Beam passes the values of a GroupByKey, and forgets
// them.
func (e *Elements[T]) Take() func(*T) bool {
	all := *e
	*e = nil
	return func(next *T) bool {
		if len(all) == 0 {
			return false
		}
		*next, all = all[0], all[1:]
		return true
	}
}
