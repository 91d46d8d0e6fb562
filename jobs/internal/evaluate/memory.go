package evaluate

import (
	"fmt"
	"runtime/metrics"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/beameval/beameval/internal/processcounters"
	"github.com/beameval/beameval/pipeline"
)

// memoryWatch watches how much memory this process takes: a system that has no more ends it without a word.
type memoryWatch struct {
	plan  *pipeline.Plan
	limit func() (uint64, error)
	used  func() uint64
	said  bool
}

// newMemoryWatch returns nil if workers are elsewhere.
func newMemoryWatch(plan *pipeline.Plan, here bool) *memoryWatch {
	if !here {
		return nil
	}
	return &memoryWatch{plan: plan, limit: memoryLimit, used: memoryUsed}
}

// memoryLimit returns the bytes that this process may have: of its control group or, without one, of the machine.
func memoryLimit() (uint64, error) {
	of, err := memlimit.FromSystem()
	if group, none := memlimit.FromCgroup(); none == nil && (err != nil || group < of) {
		return group, nil
	}
	return of, err
}

// memoryUsed returns the bytes that Go's runtime has from the system: all that the process uses,
// but for a few MB.
func memoryUsed() uint64 {
	of := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(of)
	return of[0].Value.Uint64() - of[1].Value.Uint64()
}

// nearLimit is the share of the memory from which on notice speaks.
const nearLimit = 0.8

// notice says, once, that little memory is left, what takes it and which keys lower it; "" otherwise.
func (m *memoryWatch) notice() string {
	if m == nil || m.said {
		return ""
	}
	limit, err := m.limit()
	used := m.used()
	if err != nil || float64(used) < nearLimit*float64(limit) {
		return ""
	}
	m.said = true
	const gib = 1 << 30
	return fmt.Sprintf("memory: %.1f of %.1f GiB are used. %s", float64(used)/gib, float64(limit)/gib, m.plan.Memory(int(processcounters.Slices.Load())))
}

// memoryInterval is the time between two looks.
const memoryInterval = time.Second
