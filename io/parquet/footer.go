package parquet

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The structs of the footer, with the fields that are needed here. Unlike the structs of
// parquet-go, they require only what parquet.thrift requires: a key may have no value.
type (
	fileMetadata struct {
		Schema     []format.SchemaElement     `thrift:"2,required"`
		NumRows    int64                      `thrift:"3,required"`
		RowGroups  []rowGroup                 `thrift:"4,required"`
		KeyValues  []keyValue                 `thrift:"5,optional"`
		CreatedBy  string                     `thrift:"6,optional"`
		Encryption format.EncryptionAlgorithm `thrift:"8,optional"`
	}
	keyValue struct {
		Key   string `thrift:"1,required"`
		Value string `thrift:"2,optional"`
	}
	rowGroup struct {
		Columns []columnChunk `thrift:"1,required"`
		NumRows int64         `thrift:"3,required"`
	}
	columnChunk struct {
		FilePath string         `thrift:"1,optional"`
		MetaData columnMetadata `thrift:"3,optional"`
	}
	columnMetadata struct {
		Type                 format.Type                `thrift:"1,required"`
		Encodings            []format.Encoding          `thrift:"2,required"`
		Codec                format.CompressionCodec    `thrift:"4,required"`
		NumValues            int64                      `thrift:"5,required"`
		TotalCompressedSize  int64                      `thrift:"7,required"`
		DataPageOffset       int64                      `thrift:"9,required"`
		DictionaryPageOffset int64                      `thrift:"11,optional"`
		EncodingStats        []format.PageEncodingStats `thrift:"13,optional"`
	}
)

// undecoded returns what to say about bytes that are no valid Thrift. What the decoder says about
// them helps nobody, except that they end early.
func undecoded(err error) error {
	if missing := (*thrift.MissingField)(nil); errors.As(err, &missing) {
		return errors.New("it lacks a field that the format requires: the file is damaged, or its writer is faulty; write it again")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends early: the file is damaged; write or copy it again")
	}
	return errors.New("it cannot be decoded: the file is damaged; write or copy it again")
}

// writer is the program that wrote a file, as far as its faults matter.
type writer struct {
	// shortChunks: sizes of column chunks lack the header of their dictionary page, as in parquet-mr
	// before 1.2.9 (PARQUET-816).
	shortChunks bool
	// alwaysCompressed: pages of version 2 say that they are not compressed, but are, as in Arrow
	// C++ before 3.0 (ARROW-10353).
	alwaysCompressed bool
	// lowestFirst: levels that are BIT_PACKED begin with the lowest bit of a byte, as in Impala, and
	// not with the highest.
	lowestFirst bool
}

// writerOf returns the writer that a footer names, such as "parquet-mr version 1.2.8 (build …)".
func writerOf(createdBy string) writer {
	program, rest, _ := strings.Cut(createdBy, " version ")
	version := strings.FieldsFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	older := func(than ...int) bool {
		for i, n := range than {
			v := 0 // what is not said
			if i < len(version) {
				v, _ = strconv.Atoi(version[i])
			}
			if v != n {
				return v < n
			}
		}
		return false
	}
	return writer{
		shortChunks:      program == "parquet-mr" && older(1, 2, 9),
		alwaysCompressed: program == "parquet-cpp" && older(2, 0, 0),
		lowestFirst:      program == "impala",
	}
}

// chunkOf returns the place of a column chunk in a file of the given size.
func (w writer) chunkOf(c *columnChunk, file int64) chunk {
	m := &c.MetaData
	start := m.DataPageOffset
	if d := m.DictionaryPageOffset; d > 0 && d < start {
		start = d
	}
	size := m.TotalCompressedSize
	if m.NumValues == 0 {
		start, size = 0, 0
	}
	const largestHeader = 100 // of a dictionary page
	if end := start + size; w.shortChunks && start >= 0 && size > 0 && end > start && end < file {
		size += min(largestHeader, file-end)
	}
	return chunk{
		start: start, size: size, values: m.NumValues,
		codec: m.Codec, physical: m.Type, elsewhere: c.FilePath != "", encodings: slices.Clone(m.Encodings),
		coded: isCoded(m), compressed: w.alwaysCompressed, lowestFirst: w.lowestFirst,
	}
}
