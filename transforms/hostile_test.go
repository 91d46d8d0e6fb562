package transforms

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// withMutation returns statistics with other bytes in one block and right checksums.
func withMutation(t *testing.T, data []byte, r *rand.Rand) []byte {
	start := strings.IndexByte(string(data), '\n') + 2
	zip, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer zip.Close()
	var blocks [][]byte
	for rest := data[start:]; len(rest) > 0; {
		n := binary.LittleEndian.Uint32(rest)
		raw, err := zip.DecodeAll(rest[8:8+n], nil)
		require.NoError(t, err)
		blocks, rest = append(blocks, raw), rest[8+n:]
	}
	at := r.IntN(len(blocks))
	for range 1 + r.IntN(3) {
		blocks[at] = mutated(blocks[at], r)
	}
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	to := data[:start:start]
	sum := crc32.Checksum(to, castagnoli)
	out, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	for _, raw := range blocks {
		packed := out.EncodeAll(raw, nil)
		length := binary.LittleEndian.AppendUint32(nil, uint32(len(packed)))
		sum = crc32.Update(crc32.Update(sum, castagnoli, length), castagnoli, packed)
		to = append(binary.LittleEndian.AppendUint32(append(to, length...), sum), packed...)
	}
	return to
}

// mutated returns data in which a byte is another, is missing or is followed by a large number, or whose end is missing.
func mutated(data []byte, r *rand.Rand) []byte {
	if len(data) == 0 {
		return data
	}
	at := r.IntN(len(data))
	var middle []byte
	switch r.IntN(8) {
	case 0:
		return data[:at]
	case 1: // the byte is missing
	case 2:
		middle = binary.AppendUvarint(nil, r.Uint64()>>r.IntN(64))
	case 3:
		middle = []byte{data[at], data[r.IntN(len(data))]}
	default:
		middle = []byte{data[at] ^ 1<<r.IntN(8)}
	}
	return append(append(data[:at:at], middle...), data[at+1:]...)
}

// mergedHere computes the report that is merged from reports, without a pipeline.
func mergedHere(t *testing.T, dirs ...string) (*report.Report, error) {
	p, err := OpenParts(t.Context(), dirs, PartsOptions{})
	if err != nil {
		return nil, err
	}
	read := p.reading(p.spec.Job)
	merged := map[string]*shuffle.Partial{shuffle.Overall: new(shuffle.NewPartial())}
	for _, part := range p.list {
		err := read.ProcessElement(t.Context(), part, func(key []byte, of shuffle.Partial) {
			if merged[string(key)] == nil {
				merged[string(key)] = new(shuffle.NewPartial())
			}
			merged[string(key)].Merge(&of)
		}, func(int, ranges.Piece) {})
		if err != nil {
			return nil, err
		}
	}
	var elements []outcomeElement
	for key, of := range merged {
		_, e, err := sliceOutcome([]byte(key), *of)
		if err != nil {
			return nil, err
		}
		elements = append(elements, e)
	}
	next := 0
	out, err := readOutcome(&p.spec, func(e *outcomeElement) bool {
		if next == len(elements) {
			return false
		}
		*e = elements[next]
		next++
		return true
	})
	if err != nil {
		return nil, err
	}
	rep, _, err := (&writeFn{p.spec, p.Output, p.known}).report(t.Context(), out)
	return rep, err
}

// TestHostileStatistics: statistics of right checksums and wrong content are an error, or a report, in little memory;
// they are never a panic. (Statistics of wrong checksums are always an error: TestDamagedParts.)
func TestHostileStatistics(t *testing.T) {
	mutations := 2000
	if testing.Short() {
		mutations = 200
	}
	const mostMemory = 512 << 20 // of all that is allocated, most of it not at the same time
	cases := mergeCases(t)
	for i, c := range cases {
		dir := reported(t, ofShards(c.spec, written(t, drawExamples(60), 50)), outputOf(&c.spec))
		want, err := mergedHere(t, dir)
		require.NoError(t, err)
		require.NotEmpty(t, want.Metrics)
		name := filepath.Join(dir, report.StatisticsBin)
		good, err := os.ReadFile(name)
		require.NoError(t, err)
		r := rand.New(rand.NewPCG(uint64(i), 62))
		failed := 0
		for range mutations/len(cases) + 1 {
			require.NoError(t, os.WriteFile(name, withMutation(t, good, r), 0o644))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := mergedHere(t, dir)
			runtime.ReadMemStats(&after)
			if err != nil {
				failed++
				require.NotContains(t, err.Error(), "internal error", c.name)
			}
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(mostMemory), c.name)
		}
		require.NotZero(t, failed, c.name)
	}
}

// TestHostileScores does the same for scores that are kept.
func TestHostileScores(t *testing.T) {
	spec := scenarioNamed(t, "binary").spec
	spec.Columns.Weight = ""
	out := outputOf(&spec)
	out.Statistics.Exact = true
	dir := reported(t, ofShards(spec, written(t, drawExamples(60), 50)), out)
	name := filepath.Join(dir, report.StatisticsBin)
	good, err := os.ReadFile(name)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 62))
	failed := 0
	for range 150 {
		require.NoError(t, os.WriteFile(name, withMutation(t, good, r), 0o644))
		p, err := OpenParts(t.Context(), []string{dir}, PartsOptions{})
		if err == nil {
			_, err = tryReport(t, func(s beam.Scope) Evaluation { return Merge(s, p) }, p.Output)
		}
		if err != nil {
			failed++
			require.NotContains(t, err.Error(), "internal error")
		}
	}
	require.NotZero(t, failed)
}
