package checks_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/transforms/checks"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/groupby"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// shardsOf writes texts as files, and divides them into shards.
func shardsOf(t *testing.T, texts ...string) []input.Shard {
	t.Helper()
	dir := t.TempDir()
	for i, text := range texts {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.csv", i)), []byte(text), 0o600))
	}
	shards, err := input.FindShards(t.Context(), dir)
	require.NoError(t, err)
	return shards
}

// counted returns ids that were counted.
func counted(ids ...string) *shuffle.IDs {
	of := &shuffle.IDs{Counts: make([]int64, len(ids))}
	for _, id := range ids {
		of.Hashes = append(of.Hashes, groupby.HashString(id))
	}
	slices.Sort(of.Hashes)
	return of
}

// TestSearchTraining: each id that any file has is found, and no other is.
func TestSearchTraining(t *testing.T) {
	shards := shardsOf(t, "id,n\na,1\nb,2\n", "n,id\n1,c\n2,\n3,a\n")
	ids := counted("a", "c", "d", "")
	seen, err := checks.SearchTraining(t.Context(), &input.TrainingFiles{Shards: shards, ID: "id"}, ids)
	require.NoError(t, err)
	for i, h := range ids.Hashes {
		require.Equal(t, h == groupby.HashString("a") || h == groupby.HashString("c"), seen[i])
	}
}

// TestSearchTrainingOfMany: of more ids than are counted, those that are counted are found.
func TestSearchTrainingOfMany(t *testing.T) {
	var text strings.Builder
	text.WriteString("id\n")
	of := &shuffle.IDs{Left: true}
	for i := range 3 * shuffle.MostIDs {
		id := fmt.Sprintf("user %d", i)
		of.Hashes = append(of.Hashes, groupby.HashString(id))
		if i%3 > 0 {
			text.WriteString(id + "\n")
		}
	}
	wanted := map[uint64]bool{}
	for i, h := range of.Hashes {
		wanted[h] = i%3 > 0
	}
	slices.Sort(of.Hashes)
	of.Hashes = of.Hashes[:shuffle.MostIDs]
	of.Counts = make([]int64, shuffle.MostIDs)
	seen, err := checks.SearchTraining(t.Context(), &input.TrainingFiles{Shards: shardsOf(t, text.String()), ID: "id"}, of)
	require.NoError(t, err)
	for i, h := range of.Hashes {
		require.Equal(t, wanted[h], seen[i])
	}
}

// TestSearchTrainingFails: an error names the file, and a search ends with its context.
func TestSearchTrainingFails(t *testing.T) {
	shards := shardsOf(t, "id,n\na,1\n")
	_, err := checks.SearchTraining(t.Context(), &input.TrainingFiles{Shards: shards, ID: "key"}, counted("a"))
	require.ErrorContains(t, err, "training data: "+shards[0].File)
	require.NoError(t, os.Remove(shards[0].File))
	_, err = checks.SearchTraining(t.Context(), &input.TrainingFiles{Shards: shards, ID: "id"}, counted("a"))
	require.ErrorIs(t, err, os.ErrNotExist)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = checks.SearchTraining(ctx, &input.TrainingFiles{Shards: shardsOf(t, "id,n\na,1\n"), ID: "id"}, counted("a"))
	require.ErrorIs(t, err, context.Canceled)
}
