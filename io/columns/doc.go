// Package columns reads Parquet columns in typed batches.
//
// A file is opened by its footer, one row group is read at a time, and the
// columns asked for are decoded side by side into slices: integers and
// booleans as int64, floating point as float64, everything textual as codes
// into a table of distinct strings. A column below one list or map comes with
// offsets. Rows are never built.
//
// # Names of columns
//
// Users name columns as they think of them, so the path of a leaf leaves out
// what only the encoding of lists and maps adds:
//
//	score double                              score
//	m struct<score: double>                   m.score
//	scores list<double>                       scores
//	scores list<struct<label: …, score: …>>   scores.label, scores.score
//	scores map<string, double>                scores.key, scores.value
//
// A name may be in backquotes, within which a dot is a part of it. It must be
// where a path could mean two leaves:
//
//	a.b double, beside a struct<b: double>    `a.b`, `a`.`b`
//
// # What is read
//
// All three-level lists, and the two-level lists of older writers by the
// compatibility rules of the format; data pages of version 1 and 2; every
// encoding and every codec but LZO and the deprecated framed LZ4. Decimals are
// read where a float64 or an int64 holds them exactly, others as the nearest
// float64 if asked for. Dates, times and
// timestamps become ISO 8601 text. A leaf below two lists is not readable, nor
// is a type without a lossless reading; neither stands in the way of other
// columns.
//
// # How it is read
//
// Thrift and encodings are parquet-go's; this package puts them
// together page by page. The library's own page reader (ColumnChunk.Pages, in
// version 0.32) is not used, as it pads pages that decode to fewer values than
// they claim with what was in memory, and reads run-length encoded booleans
// wrongly, both without an error: see TestPageReader. Codecs are those of the
// libraries underneath, which are told where to stop. Damaged files, and files
// made to exhaust memory, end in an *Error: memory follows what pages hold, at
// most Options.MaxPage each, not what they say.
package columns
