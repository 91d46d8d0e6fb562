package conformance

import "regexp"

// reason says why something is refused, or why values that libraries read in another way are right.
type reason struct {
	file    *regexp.Regexp // of corpus/file
	message *regexp.Regexp
	why     string
	limit   bool // a reader could read it
}

// because returns a reason for which no reader should read it.
func because(message, why string) reason {
	return reason{regexp.MustCompile(``), regexp.MustCompile(message), why, false}
}

// limit returns the reason for what beameval does not read yet, or has no use for.
func limit(message, why string) reason {
	r := because(message, why)
	r.limit = true
	return r
}

// in returns the reason for some files alone.
func (r reason) in(file string) reason {
	r.file = regexp.MustCompile(file)
	return r
}

// reasons are looked through in their order.
var reasons = []reason{
	limit(`nested lists; one is the most`, "lists of lists have no role in an evaluation; other columns of the file are read"),
	limit(`intervals are not supported|duration|union|month`, "no role has such values; other columns of the file are read"),
	limit(`does not fit a signed 64-bit integer`, "an unsigned number above 2⁶³−1, which would become another number"),
	because(`checksum does not match`, "a page is damaged: its checksum says so"),
	because(`corrupt page header|has (more|fewer) rows than its row group`, "a page and the footer contradict each other"),
	because(`bytes follow the last value`, "bytes stand behind the last value of a page"),
	because(`the file is damaged, or uses`, "the file was damaged on purpose").in(`clusterfuzz`),
	limit(`not an Arrow file: it begins`, "a stream of before Arrow 0.15, of 2019").in(`/0\.14\.1/`),
	limit(`type (list|struct) is not supported`, "a dictionary of lists or structs; other columns of the file are read"),
	limit(`type run_end_encoded is not supported`, "run-end encoding, which none of the writers that we know of uses for files; other columns are read"),
	limit(`names of at most \d+ are read`, "a text is longer than a name may be; a setting allows it"),
	limit(`write one kind of values`, "a key has values of several kinds; other columns of the file are read"),
	because(`DuckDB.* and "-\d\d:`, "a time of day below 0 is read as a duration, as pyarrow writes them; DuckDB adds a day").in(`negative-timetz`),
	because(`and "-4713-`, "days of an INT96 that lie thousands of years back, at which pyarrow overflows").in(`dateless_timestamps`),
	limit(`compressed with LZ4 \(5\)`, "the codec is deprecated, because writers differ in what it means"),
	because(`two columns have this name|have the same name`, "no name would say which of them is meant"),
	because(`the header is one name, which holds`, "the separator is another than the format's, which is said"),
	because(`the first line must have the names`, "the file has no header"),
	because(`a quote in a value that is not quoted|goes on after its closing quote|quote of this row does not close`, "quotes are doubtful: two readers would read two things"),
	because(`is not UTF-8|invalid UTF-8|the file is UTF-16|byte \d+ of the line is zero`, "the text is not UTF-8, and another encoding would be a guess"),
	because(`a carriage return \(CR\) that ends no line`, "a CR that is not quoted: it may end a row, or belong to a value"),
	because(`whose microseconds overflow 64 bits`, "a timestamp overflowed when it was written"),
	because(`it has no name`, "nobody can name the column; other columns of the file are read"),
}

// reasonOf returns the reason for a message about a file, or nil.
func reasonOf(corpus, file, message string) *reason {
	for i := range reasons {
		if r := &reasons[i]; r.message.MatchString(message) && r.file.MatchString(corpus+"/"+file) {
			return r
		}
	}
	return nil
}
