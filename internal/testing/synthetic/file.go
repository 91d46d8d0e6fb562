package synthetic

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
)

// Limits of the scores and rows that are generated and encoded at a time.
const (
	batchValues = 8192
	batchRows   = 1024
)

var codecs = map[string]compress.Codec{
	"snappy": &parquet.Snappy,
	"zstd":   &parquet.Zstd,
	"gzip":   &parquet.Gzip,
	"none":   &parquet.Uncompressed,
}

func codecNames() []string { return slices.Sorted(maps.Keys(codecs)) }

// writeFile writes the rows of a kind at the places from first to last, excluding last, to a file. It
// keeps at most one encoded row group in memory.
func (s *Spec) writeFile(ctx context.Context, w io.Writer, k kind, first, last int64) error {
	fill := s.model()
	b := batch{width: s.width(), span: s.span(), float: s.Float}
	batchRows := int64(max(1, min(batchRows, batchValues/b.width)))
	var values []parquet.Value

	file := parquet.NewGenericWriter[any](w, s.fileOptions(k.columns)...)
	for first < last {
		group := min(last, first+s.RowGroupSize)
		for ; first < group; first += int64(len(b.rows)) {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			b.reset(int(min(batchRows, group-first)))
			for i := range b.rows {
				b.rows[i] = k.number(first + int64(i))
			}
			fill(&b)
			for i, c := range k.columns {
				values = c.values(values[:0], &b)
				if _, err := file.ColumnWriters()[i].WriteRowValues(values); err != nil {
					return err
				}
			}
		}
		if err := file.Flush(); err != nil {
			return err
		}
	}
	return file.Close()
}

// fileOptions fixes everything that shapes the bytes of a file, because defaults may change with
// the version of the library.
func (s *Spec) fileOptions(columns []column) []parquet.WriterOption {
	options := []parquet.WriterOption{
		schemaOf(columns),
		parquet.CreatedBy("beameval", "1.0.0", "generate"),
		parquet.Compression(codecs[s.Codec]),
		parquet.DataPageVersion(1), // every reader supports it
		parquet.PageBufferSize(256 << 10),
	}
	if s.LabelEncoding == Names {
		var names []string
		for _, name := range labelNames(s.Labels) {
			names = append(names, name.String())
		}
		text, _ := json.Marshal(names) // encoding strings never fails
		options = append(options, parquet.KeyValueMetadata("labels", string(text)))
	}
	return options
}

func schemaOf(columns []column) *parquet.Schema {
	root := orderedGroup{Group: parquet.Group{}, position: map[string]int{}}
	for i, c := range columns {
		root.Group[c.name] = c.node
		root.position[c.name] = i
	}
	return parquet.NewSchema("predictions", root)
}

// orderedGroup is a group whose fields are ordered by position. The fields of parquet.Group are in
// alphabetical order.
type orderedGroup struct {
	parquet.Group
	position map[string]int
}

func (g orderedGroup) Fields() []parquet.Field {
	fields := g.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int { return g.position[a.Name()] - g.position[b.Name()] })
	return fields
}
