package workers

import "github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"

// Apart is a field of a DoFn of which every key gets a bundle of its own on Flink and Spark:
// they begin a bundle with every key of a step that has state. In another step, a bundle has
// all that a subtask gets, and they take no more than 100 messages of its output before it
// ends; a worker with more waits for ever. Nothing is kept in the state.
type Apart = state.Value[bool]

// NewApart returns the field.
func NewApart() Apart { return state.MakeValueState[bool]("apart") }
