package text

import (
	"bytes"
	"io"

	"github.com/beameval/beameval/io/columns"
)

// headBytes is how much of a text is looked at, decompressed, to recognize its format.
const headBytes = 64 << 10

// Recognize returns the format of a file that has no header but whose lines say by their values what they are: Run
// if all have six fields with a whole number and a number where the rank and the score are, Qrels if all have four
// fields and the last is a whole number. Otherwise it returns "". It looks at the first lines.
func Recognize(src columns.Source) string {
	c, err := compressionOf(src)
	if err != nil {
		return ""
	}
	in, err := c.stream(io.NewSectionReader(src, 0, src.Size()))
	if err != nil {
		return ""
	}
	defer in.Close()
	head, err := io.ReadAll(io.LimitReader(in, headBytes))
	if err != nil || bytes.IndexByte(head, 0) >= 0 {
		return ""
	}
	if end := bytes.LastIndexByte(head, '\n'); len(head) == headBytes {
		head = head[:max(end, 0)] // the last line may go on
	}
	return formatOf(bytes.TrimPrefix(head, bom))
}

// formatOf returns the format of lines, or "".
func formatOf(lines []byte) (format string) {
	for line := range bytes.Lines(lines) {
		values := bytes.Fields(line)
		this := ""
		switch n := len(values); {
		case n == 0:
			continue
		case n == 6 && classOf(values[3]) == isInt && classOf(values[4])&^(isInt|isFloat) == 0:
			this = Run
		case n == 4 && classOf(values[3]) == isInt:
			this = Qrels
		}
		if this == "" || format != "" && this != format {
			return ""
		}
		format = this
	}
	return format
}
