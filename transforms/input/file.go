package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/formats"
)

// ErrFormats is the error of [List] for directories if nothing says which of their files are meant.
var ErrFormats = errors.New("files of several formats")

// List lists the files of a format that the patterns name, as [files.List] does. If the format is
// "", a directory stands for its Parquet files or, if there are none, for the files of the only
// other format in it. The folder of a versioned table, such as Delta's, is an error.
func List(ctx context.Context, format string, patterns ...string) ([]files.Info, error) {
	found, err := listed(ctx, format, patterns)
	files.SetPaths(found)
	return found, err
}

func listed(ctx context.Context, format string, patterns []string) ([]files.Info, error) {
	found, err := files.List(ctx, formats.Endings(format), patterns...)
	if err == nil {
		err = refuseTables(ctx, found, patterns)
	}
	if err == nil {
		found, err = onlySaved(ctx, found, patterns)
	}
	if err != nil || format != "" {
		return found, err
	}
	example := make(map[string]string) // of files in directories, by format
	for _, f := range found {
		if !f.Named {
			example[formats.Of(f.Name)] = f.Name
		}
	}
	if example[formats.Parquet] != "" {
		return slices.DeleteFunc(found, func(f files.Info) bool { return !f.Named && formats.Of(f.Name) != formats.Parquet }), nil
	}
	if len(example) > 1 {
		var names []string
		for name := range example {
			names = append(names, fmt.Sprintf("%s (%s)", name, example[name]))
		}
		slices.Sort(names)
		return nil, fmt.Errorf("%s: %w: %s; name the files of one", strings.Join(patterns, ", "), ErrFormats, strings.Join(names, ", "))
	}
	return found, nil
}

// atOnce is the number of files that [EachFile] opens at once: opening a file is mostly waiting for
// storage.
const atOnce = 100

// EachFile opens files of a format, and calls each with every file and its number; each must close
// the file. Calls may run concurrently. The first error stops it.
//
// Files whose types are inferred ([columns.Inferred]) get types that agree, as far as possible;
// inferred reports that there are such files. These files are closed already when EachFile calls
// each.
func EachFile(ctx context.Context, infos []files.Info, format string, o columns.Options, each func(i int, f *File)) (inferred bool, err error) {
	group, all := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	settling := make([]*File, len(infos))
	travels := contentsThatTravel(infos)
	for i, info := range infos {
		group.Go(func() error {
			if err := all.Err(); err != nil {
				return err
			}
			f, err := OpenFile(ctx, Shard{File: info.Name, Version: info.Version, Format: format, Options: o})
			if err == nil && travels[i] {
				f.as.Content, err = files.Content(f.source, smallFile) // opening fetched a file of this size as a whole
			}
			if err != nil {
				return err
			}
			if _, ok := f.File.(columns.Inferred); !ok {
				each(i, f)
				return nil
			}
			settling[i] = f
			return cmp.Or(f.Check(), f.Close())
		})
	}
	if err := group.Wait(); err != nil {
		return false, err
	}
	var texts []columns.File
	for _, f := range settling {
		if f != nil {
			texts = append(texts, f.File)
		}
	}
	if texts != nil {
		if err := texts[0].(columns.Inferred).Agree(texts); err != nil {
			return false, err
		}
	}
	for i, f := range settling {
		if f != nil {
			each(i, f)
		}
	}
	return texts != nil, nil
}

// The contents of remote files of at most smallFile bytes travel with their shards, until they are
// travellingBytes in all: runners limit the size of a pipeline.
const (
	smallFile       = 64 << 10
	travellingBytes = 8 << 20
)

// contentsThatTravel returns which of the files have contents that travel with their shards.
func contentsThatTravel(infos []files.Info) []bool {
	travels := make([]bool, len(infos))
	left := int64(travellingBytes)
	for i, info := range infos {
		if !files.Local(info.Name) && info.Size <= min(smallFile, left) {
			travels[i] = true
			left -= info.Size
		}
	}
	return travels
}

// File is an open file in one version.
type File struct {
	columns.File
	source files.File
	as     Shard
}

// OpenFile opens the file of a shard. If the shard has no plan, this may read the whole file; see
// [columns.Planned].
func OpenFile(ctx context.Context, s Shard) (*File, error) {
	return openShard(ctx, s, files.OpenVersion)
}

// OpenWhole is OpenFile for a file most of whose row groups will be read.
func OpenWhole(ctx context.Context, s Shard) (*File, error) {
	return openShard(ctx, s, files.OpenWhole)
}

func openShard(ctx context.Context, s Shard, open func(context.Context, string, files.Version) (files.File, error)) (*File, error) {
	var source files.File
	if s.Content != nil {
		source = files.InMemory(ctx, s.File, s.Version, s.Content)
	} else {
		var err error
		if source, err = open(ctx, s.File, s.Version); err != nil {
			return nil, err
		}
	}
	if s.Format == "" {
		s.Format = formats.Recognize(source)
	}
	file, err := formats.Open(source, s.Format, s.Options, s.Plan)
	if err != nil {
		defer source.Close()
		return nil, cmp.Or(source.Check(), err)
	}
	return &File{file, source, s}, nil
}

// EachBatch calls each with the batches of some columns of the row groups of a shard.
func EachBatch(ctx context.Context, s Shard, paths []string, each func(b *columns.Batch, group int) error) error {
	file, err := OpenFile(ctx, s)
	if err != nil {
		return err
	}
	defer file.Close()
	for group := s.First; group < s.First+s.RowGroups; group++ {
		for batch, err := range file.Read(group, paths, nil, batchRows) {
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			if err := each(batch, group); err != nil {
				return err
			}
		}
	}
	return file.Check()
}

// batchRows is the number of rows of a batch of EachBatch.
const batchRows = 1 << 14

// Check returns an error if the file was modified after it was opened: then everything that was
// read is invalid.
func (f *File) Check() error { return f.source.Check() }

// Close closes the file.
func (f *File) Close() error { return f.source.Close() }
