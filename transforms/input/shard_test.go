package input

import (
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/formats"
)

// span is the row groups of a shard.
type span struct{ first, groups int }

func spans(list []Shard) []span {
	var out []span
	for _, s := range list {
		out = append(out, span{s.First, s.RowGroups})
	}
	return out
}

func TestShards(t *testing.T) {
	for name, c := range map[string]struct {
		size   int64
		groups []int64
		want   []span
	}{
		"no row groups":         {1000, nil, nil},
		"no rows":               {1000, []int64{0, 0}, nil},
		"a small file":          {1000, []int64{10, 10, 10}, []span{{0, 3}}},
		"as much as a shard":    {shardBytes, []int64{1, 1, 1, 1}, []span{{0, 4}}},
		"two shards":            {2 * shardBytes, []int64{1, 1, 1, 1}, []span{{0, 2}, {2, 2}}},
		"a shard a row group":   {4 * shardBytes, []int64{1, 1, 1, 1}, []span{{0, 1}, {1, 1}, {2, 1}, {3, 1}}},
		"large row groups":      {40 * shardBytes, []int64{5, 5}, []span{{0, 1}, {1, 1}}},
		"one after a large one": {2 * shardBytes, []int64{97, 1, 1, 1}, []span{{0, 1}, {1, 3}}},
		"empty row groups":      {1000, []int64{0, 0, 7, 0, 7, 0, 0}, []span{{2, 3}}},
		"empty between shards":  {2 * shardBytes, []int64{0, 7, 0, 7, 0}, []span{{1, 1}, {3, 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, spans(shards(files.Info{Name: "f", Size: c.size}, c.groups)))
		})
	}
}

// TestShardsCoverFiles: every row group with rows is in one shard, in order,
// and no shard of several row groups is too large.
func TestShardsCoverFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		info := files.Info{Name: "a file", Version: "as planned", Path: "file", Size: r.Int64N(20 * shardBytes), Keys: []files.Key{{Name: "day", Value: "1"}}}
		groups := make([]int64, r.IntN(40))
		total := 0.
		for i := range groups {
			groups[i] = max(0, r.Int64N(1000)-200)
			total += float64(groups[i])
		}
		next, before := 0, int64(0)
		for _, s := range shards(info, groups) {
			require.Equal(t, Shard{File: info.Name, Version: info.Version, First: s.First, RowGroups: s.RowGroups, Path: info.Path, Row: before, Keys: info.Keys}, s)
			for ; next < s.First; next++ {
				require.Zero(t, groups[next])
			}
			rows, with := 0., 0
			for ; next < s.First+s.RowGroups; next++ {
				rows += float64(groups[next])
				before += groups[next]
				with += min(1, int(groups[next]))
			}
			require.Positive(t, with)
			if with > 1 {
				require.LessOrEqual(t, float64(info.Size)*rows/total, float64(shardBytes)*1.000001)
			}
		}
		for ; next < len(groups); next++ {
			require.Zero(t, groups[next])
		}
	}
}

func TestFindShards(t *testing.T) {
	dir := t.TempDir()
	day := filepath.Join(dir, "day=1")
	require.NoError(t, os.Mkdir(day, 0o700))
	for name, rows := range map[string]int{"day=1/b.parquet": 10, "a.parquet": 0, "z.parquet": 3} {
		out, err := os.Create(filepath.Join(dir, name))
		require.NoError(t, err)
		w := parquet.NewGenericWriter[struct{ X int }](out, parquet.MaxRowsPerRowGroup(4))
		_, err = w.Write(make([]struct{ X int }, rows))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.NoError(t, out.Close())
	}
	list, err := FindShards(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, []span{{0, 3}, {0, 1}}, spans(list))
	require.Equal(t, filepath.Join(day, "b.parquet"), list[0].File)
	require.Equal(t, []files.Key{{Name: "day", Value: "1"}}, list[0].Keys)
	for _, s := range list {
		info, err := List(t.Context(), "", s.File)
		require.NoError(t, err)
		require.Equal(t, info[0].Version, s.Version)
	}

	_, err = FindShards(t.Context(), filepath.Join(dir, "nothing*"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.parquet"), []byte("something else"), 0o600))
	_, err = FindShards(t.Context(), dir)
	require.ErrorContains(t, err, "x.parquet: not a Parquet file")
}

// TestListPrefersParquet: other files beside Parquet files are no input, unless they are named
// or their format is.
func TestListPrefersParquet(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.parquet", "b.parq", "labels.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	names := func(format string, patterns ...string) (names []string) {
		for i, p := range patterns {
			patterns[i] = filepath.Join(dir, p)
		}
		infos, err := List(t.Context(), format, patterns...)
		require.NoError(t, err)
		for _, info := range infos {
			names = append(names, filepath.Base(info.Name))
		}
		return names
	}
	require.Equal(t, []string{"a.parquet", "b.parq"}, names("", "."))
	require.Equal(t, []string{"a.parquet", "b.parq"}, names(formats.Parquet, "."))
	require.Equal(t, []string{"a.parquet", "b.parq", "labels.txt"}, names("", ".", "labels.txt"))
}

// TestShardsOfTexts: a directory without Parquet stands for the texts of one format, and their
// shards are all that is needed to read them.
func TestShardsOfTexts(t *testing.T) {
	dir := t.TempDir()
	put := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	put("a.csv", "id,x\n1,0\n")
	put("b.csv", "id,x\n2,0.5\n3,\n")
	put("c.csv", "id,x\n")
	list, err := FindShards(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, []span{{0, 1}, {0, 1}}, spans(list))
	for i, s := range list {
		f, err := OpenFile(t.Context(), s)
		require.NoError(t, err)
		field, err := f.Schema().Lookup("x")
		require.NoError(t, err)
		require.Equal(t, "float", field.Physical)
		require.Equal(t, []int64{int64(i) + 1}, f.RowGroups())
		require.NoError(t, f.Close())
	}
	put("d.tsv", "id\tx\n4\t1\n")
	_, err = FindShards(t.Context(), dir)
	require.ErrorContains(t, err, "files of several formats: csv ("+filepath.Join(dir, "c.csv")+"), tsv ("+filepath.Join(dir, "d.tsv")+"); name the files of one")
	found, err := List(t.Context(), "tsv", dir)
	require.NoError(t, err)
	require.Len(t, found, 1)
}

// TestSmallObjects: the content of a small object travels with its shard, so that it is fetched
// only once. Larger objects, those beyond the limit of all, and local files are read by workers.
func TestSmallObjects(t *testing.T) {
	store := s3mem.New()
	require.NoError(t, store.CreateBucket("bucket"))
	small := "id,x\n1,0.5\n"
	large := "id,x\n" + strings.Repeat("1,0.5\n", smallFile/6)
	for name, content := range map[string]string{"a/small.csv": small, "a/large.csv": large} {
		_, err := store.PutObject("bucket", name, nil, strings.NewReader(content), int64(len(content)), nil)
		require.NoError(t, err)
	}
	all := gofakes3.New(store).Server()
	var mu sync.Mutex
	fetched := make(map[string]int)
	useS3(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && !r.URL.Query().Has("list-type") {
			mu.Lock()
			fetched[path.Base(r.URL.Path)]++
			mu.Unlock()
		}
		all.ServeHTTP(w, r)
	})

	shards, err := FindShards(t.Context(), "s3://bucket/a")
	require.NoError(t, err)
	require.Len(t, shards, 2)
	require.Nil(t, shards[0].Content)
	require.Equal(t, small, string(shards[1].Content))
	require.Equal(t, 1, fetched["small.csv"])
	fetched = make(map[string]int)
	for _, open := range []func(context.Context, Shard) (*File, error){OpenFile, OpenWhole} {
		for _, s := range shards {
			f, err := open(t.Context(), s)
			require.NoError(t, err)
			for batch, err := range f.Read(0, []string{"x"}, nil, 10) {
				require.NoError(t, err)
				require.Equal(t, 0.5, batch.Columns[0].Floats[0])
			}
			require.NoError(t, f.Check())
			require.NoError(t, f.Close())
			require.Error(t, f.Close())
		}
	}
	require.Positive(t, fetched["large.csv"])
	require.Zero(t, fetched["small.csv"])

	infos := []files.Info{{Name: "a"}, {Name: "gs://b/x", Size: smallFile + 1}}
	for range travellingBytes/smallFile + 1 {
		infos = append(infos, files.Info{Name: "gs://b/x", Size: smallFile})
	}
	travels := contentsThatTravel(append(infos, files.Info{Name: "gs://b/x", Size: 1}))
	require.Equal(t, []bool{false, false, true, true}, travels[:4])
	require.Equal(t, []bool{true, false, false}, travels[len(travels)-3:])
}
