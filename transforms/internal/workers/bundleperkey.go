package workers

import "github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"

// BundlePerKey is a field of a DoFn that makes Flink and Spark run each key in a bundle of its own:
// they begin a new bundle for each key of a stateful step. In other steps, a bundle has everything
// that a subtask gets. They accept only 100 messages of a bundle's output before it ends: a worker
// that emits more blocks forever. Nothing is stored in the state.
type BundlePerKey = state.Value[bool]

// NewBundlePerKey returns the field.
func NewBundlePerKey() BundlePerKey { return state.MakeValueState[bool]("bundle-per-key") }
