package parts

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

var update = flag.Bool("update", false, "write the file of the current version, if there is none")

// sampleHead is the head of a binary task.
func sampleHead() *Head {
	job := shuffle.Job{Spec: input.Spec{
		Params:  metrics.Params{Task: metrics.Binary, Scores: true, Decisions: true, Curves: metrics.BoundedCurves, Digest: true, Metrics: []string{"roc_auc", "accuracy", "log_loss"}},
		Columns: input.Columns{Label: "y", Score: "p"}, Labels: input.NumberedLabels(2),
		Confidence: &input.Confidence{Level: 0.95, Folds: 10, By: "id"},
	}}
	h := &Head{Output: Output{Config: json.RawMessage(`{"task":"binary"}`)}}
	h.Complete(job, &job.Labels)
	return h
}

// sampleSlices returns the statistics of random examples in some slices, by key.
func sampleSlices(t testing.TB) (keys [][]byte, list []*shuffle.Partial) {
	params := sampleHead().Job.Params
	maker, err := params.OfFolds().Maker()
	require.NoError(t, err)
	histograms, err := params.HistogramMaker()
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 61))
	for i := range 5 {
		key := slice.Key{}
		if i > 0 {
			key = slice.Key{{Column: "c", Value: slice.Int(int64(i))}}
		}
		p := shuffle.NewPartial()
		p.Stats = histograms.New()
		if i == 0 {
			p.Counts.Read, p.Counts.Skipped = 90, map[string]int64{"label is null": 3}
		}
		for fold := range int32(10) {
			b := &metrics.Batch{Rows: 9, Labels: 1}
			for range b.Rows {
				class := int32(r.IntN(2))
				b.Class, b.Truth = append(b.Class, class), append(b.Truth, class == 1)
				b.Probability, b.Key = append(b.Probability, float64(r.IntN(64))/64), append(b.Key, r.Uint64())
				b.Predicted = append(b.Predicted, int32(r.IntN(2)))
			}
			b.Complete(metrics.Binary)
			all := metrics.AllRows(nil, b.Rows)
			of := maker.New()
			of.Fold(b, all)
			p.Stats.Fold(b, all)
			p.Folds = append(p.Folds, shuffle.Fold{Number: fold, Stats: of})
		}
		keys, list = append(keys, key.AppendBinary(nil)), append(list, &p)
	}
	return keys, list
}

func sampleFile(t testing.TB) []byte {
	var file bytes.Buffer
	w := NewWriter(&file)
	w.Head(sampleHead())
	keys, list := sampleSlices(t)
	for i := range keys {
		w.Slice(keys[i], list[i])
	}
	require.NoError(t, w.End())
	return file.Bytes()
}

// readAll returns the head and the slices of a file, encoded.
func readAll(data []byte) (all [][]byte, err error) {
	r, err := NewReader(bytes.NewReader(data), int64(len(data)), "statistics.bin")
	if err != nil {
		return nil, err
	}
	head, err := r.Head()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	all = append(all, text)
	err = r.Each(func(key []byte, p *shuffle.Partial) error {
		encoded, err := p.Encode()
		all = append(all, key, encoded)
		return err
	})
	return all, errors.Join(err, r.Close())
}

// TestRoundTrip: a file has what was written, and the same has the same bytes.
func TestRoundTrip(t *testing.T) {
	data := sampleFile(t)
	require.Equal(t, data, sampleFile(t))
	all, err := readAll(data)
	require.NoError(t, err)
	keys, list := sampleSlices(t)
	text, err := json.Marshal(sampleHead())
	require.NoError(t, err)
	want := [][]byte{text}
	for i := range keys {
		encoded, err := list[i].Encode()
		require.NoError(t, err)
		want = append(want, keys[i], encoded)
	}
	require.Equal(t, want, all)
}

// TestGoldenFiles: this program reads the files of all versions, and finds in them what was written. A file of a
// version never changes: what changes the encoding needs a new version.
func TestGoldenFiles(t *testing.T) {
	name := filepath.Join("testdata", "version1.bin")
	if _, err := os.Stat(name); *update && errors.Is(err, os.ErrNotExist) {
		require.NoError(t, os.WriteFile(name, sampleFile(t), 0o644))
	}
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	all, err := readAll(data)
	require.NoError(t, err)
	want, err := readAll(sampleFile(t))
	require.NoError(t, err)
	require.Equal(t, want, all)
}

// TestMutations: a file that differs in any way from what was written is an error.
func TestMutations(t *testing.T) {
	good := sampleFile(t)
	r := rand.New(rand.NewPCG(2, 61))
	for range 2000 {
		bad := slices.Clone(good)
		switch r.IntN(4) {
		case 0:
			bad = bad[:r.IntN(len(bad))]
		case 1:
			bad = append(bad, byte(r.IntN(256)))
		case 2:
			from := r.IntN(len(bad))
			bad = slices.Delete(bad, from, min(from+1+r.IntN(9), len(bad)))
		default:
			bad[r.IntN(len(bad))] ^= byte(1 + r.IntN(255))
		}
		_, err := readAll(bad)
		require.Error(t, err)
	}
}

// TestErrors: what is wrong with a file, and what to do.
func TestErrors(t *testing.T) {
	good := sampleFile(t)
	read := func(data []byte) error { _, err := readAll(data); return err }
	require.EqualError(t, read(nil), "statistics.bin is no file of statistics: beameval writes statistics.bin with output.statistics")
	require.EqualError(t, read(append([]byte("PAR1"), good...)), "statistics.bin is no file of statistics: beameval writes statistics.bin with output.statistics")
	newer := slices.Clone(good)
	newer[len(magic)] = 9
	require.EqualError(t, read(newer), "statistics.bin has version 9, and this program reads version 1: use a newer beameval")
	const cure = "; evaluate the predictions again, or take another copy of the file"
	require.ErrorContains(t, read(good[:len(good)-1]), "it is truncated"+cure)
	require.EqualError(t, read(append(slices.Clone(good), 0)), "statistics.bin is damaged: 1 bytes follow its end"+cure)
	bad := slices.Clone(good)
	bad[len(bad)/2]++
	require.ErrorContains(t, read(bad), "has another checksum than was written"+cure)

	var file bytes.Buffer
	w := NewWriter(&file)
	w.Head(sampleHead())
	w.Slice([]byte("b"), new(shuffle.NewPartial()))
	w.Slice([]byte("a"), new(shuffle.NewPartial()))
	require.EqualError(t, w.End(), `slice "a" is written after "b"`)
}

// block returns a file with blocks that say what they want.
func forged(blocks ...[]byte) []byte {
	var file bytes.Buffer
	w := NewWriter(&file)
	for _, raw := range blocks {
		w.block(raw)
	}
	return file.Bytes()
}

// TestForgedFiles: blocks with right checksums are not believed either.
func TestForgedFiles(t *testing.T) {
	head, err := json.Marshal(sampleHead())
	require.NoError(t, err)
	for want, data := range map[string][]byte{
		"it has no head":           forged([]byte{endBlock, 0}),
		"unknown field":            forged([]byte(`h{"Tomorrow":1}`)),
		"is of unknown kind 120":   forged(append([]byte{headBlock}, head...), []byte("x")),
		"it has 0 slices, and had": forged(append([]byte{headBlock}, head...), []byte{endBlock, 7}),
		"count 100 exceeds ":       forged(append([]byte{headBlock}, head...), []byte{slicesBlock, 100, 1}),
	} {
		_, err := readAll(data)
		require.ErrorContains(t, err, want)
	}
}

// FuzzReader: whatever the bytes, there is an error or statistics, and never a panic. Blocks have right checksums,
// so that what is in them is reached.
func FuzzReader(f *testing.F) {
	head, err := json.Marshal(sampleHead())
	require.NoError(f, err)
	keys, list := sampleSlices(f)
	raw, err := list[0].Encode()
	require.NoError(f, err)
	f.Add(sampleFile(f), true)
	f.Add(append(slices.Clone(keys[0]), raw...), false)
	f.Fuzz(func(t *testing.T, data []byte, whole bool) {
		if !whole {
			data = forged(append([]byte{headBlock}, head...), append([]byte{slicesBlock}, data...), []byte{endBlock, 1})
		}
		all, err := readAll(data)
		if err == nil {
			require.NotEmpty(t, all)
		}
	})
}
