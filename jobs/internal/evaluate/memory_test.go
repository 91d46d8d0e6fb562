package evaluate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/processcounters"
	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/pipeline/config"
)

// TestMemoryNotice: a run says once that little memory is left, and what lowers it.
func TestMemoryNotice(t *testing.T) {
	name := filepath.Join(t.TempDir(), "data.csv")
	require.NoError(t, os.WriteFile(name, []byte(binaryRows(0)), 0o666))
	plan := func(yaml string) *pipeline.Plan {
		cfg, err := config.Parse([]byte("task: binary\n"+yaml), "eval.yaml")
		require.NoError(t, err)
		cfg.Input.Files, cfg.Output.Dir = []string{name}, filepath.Join(t.TempDir(), "out")
		made, err := pipeline.Make(t.Context(), cfg)
		require.NoError(t, err)
		return made
	}
	processcounters.Slices.Store(0)
	processcounters.Met(300)
	processcounters.Met(12)
	const gib = 1 << 30
	used := uint64(8 * gib * 4 / 5)
	m := &memoryWatch{plan: plan("slices: [country]\nconfidence: {}\n"), limit: func() (uint64, error) { return 8 * gib, nil }, used: func() uint64 { return used }}
	require.Empty(t, m.notice())
	used++
	require.Equal(t, "memory: 6.4 of 8.0 GiB are used. It grows with the statistics of 300 slices × 50 groups; "+
		"what lowers it: slices with fewer values, confidence.slices: overall, confidence.metrics, fewer confidence.groups", m.notice())
	require.Empty(t, m.notice(), "it was said")

	m.said, m.plan = false, plan("metrics: [accuracy]\nslices: [country]\nconfidence: {slices: overall, groups: 20}\n")
	require.True(t, strings.HasSuffix(m.notice(), "300 slices × 20 groups; what lowers it: slices with fewer values, confidence.metrics, fewer confidence.groups"))
	processcounters.Slices.Store(1)
	m.said, m.plan = false, plan("metrics: [accuracy]\n")
	require.True(t, strings.HasSuffix(m.notice(), "the statistics of 1 slice"))

	m.said, m.limit = false, func() (uint64, error) { return 0, errors.New("unknown") }
	require.Empty(t, m.notice())
	require.Nil(t, newMemoryWatch(m.plan, false))
	require.Empty(t, (*memoryWatch)(nil).notice())

	limit, err := memoryLimit()
	require.NoError(t, err)
	require.Greater(t, limit, uint64(100<<20))
	held := make([]byte, 64<<20)
	for i := range held {
		held[i] = 1
	}
	require.Greater(t, memoryUsed(), uint64(len(held)))
	require.Less(t, memoryUsed(), limit)
	require.NotZero(t, held[len(held)-1])
}
