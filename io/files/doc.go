// Package files turns names into random access: it opens, lists and publishes
// files on local disk and in Google Cloud Storage under one set of rules.
//
// A name is a local path (file:// in front is accepted), or gs://bucket/object.
// Names are taken as they are: nothing in them is an escape, so a space, '%' or
// '#' needs no care.
//
// # Reading
//
// [Open] fixes the content: its size, and in Cloud Storage its generation too, so
// that a file that is overwritten or removed meanwhile is an error and never a
// mixture of two contents. Small reads of remote files are served from windows that
// grow as long as the reads are sequential. Transient failures are retried.
//
// # Patterns
//
// [List] expands files, directories and globs: '*', '?' and '[...]' within one
// segment of a path, "**" for any number of segments, '\' before a character that
// is meant literally. A name that exists is always meant exactly, whatever
// characters it holds. A directory, named or matched, stands for all .parquet and
// .parq files at any depth. Names that begin with '.' or '_' (_SUCCESS, _temporary,
// .crc) are skipped unless the pattern spells that character out; folders such as
// _day=1 are not, because they are partitions.
//
// # Publishing
//
// [Publish] makes a set of files appear complete or not at all. On local disk that is
// one rename of a directory. Cloud Storage has no such operation: there all contents
// are produced first, then the objects appear one by one in the order in which they
// were created, each whole. The one created last is therefore the marker of
// completeness: when it exists, so do all the others.
//
// Work that a runner attempts again, because a worker was lost, say, has one id for all
// attempts ([PublishAs]). What one attempt has left is not in the way of the next: on
// local disk its temporary directory is removed; in Cloud Storage its objects, which are
// whole, stand for those of the next. Two attempts at the same time do no harm: on local
// disk the first rename wins, or the later start removes what the other was at work on,
// which then fails; in Cloud Storage every object is made once, by either, and who fails
// deletes what it has made itself, unless the other has come to the end. What anybody
// else has put there is never touched, and is an ErrOutputExists.
//
// # Back ends
//
// A back end implements the interface backend in files of its own, and has one row in the
// table backends.
package files
