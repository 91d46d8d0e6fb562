package text

import "github.com/go-json-experiment/json/jsontext"

// tokens are the keys and values of a plain row: a JSON object in which no text has an escape, and no key is twice. Most
// rows are. They are found in one pass; where anything is odd or wrong, jsontext reads the row, and says what is wrong.
//
//	{"a": [1, "x"], "b": null}
//
//	token  0 '{'  1 a  2 '['  3 1  4 x  5 b  6 null
//	end    7           5                                 the number of the token behind an object or array
type tokens struct {
	row   []byte
	list  []token
	at    int   // the next
	ends  []int // of the objects and arrays that the reader is in
	shape shape // of a row before
}

// token is a key or a value.
type token struct {
	kind       jsontext.Kind
	begin, end int32 // of the bytes, without quotes; but see tokens
	number     numeral
}

// The limits of a plain row bound its memory, and the time to compare its keys.
const (
	mostPlain  = 1 << 30
	mostTokens = 1 << 16
	mostKeys   = 32
)

// scan finds the tokens of a row of valid UTF-8, and returns whether it is plain.
func (t *tokens) scan(row []byte) bool {
	t.row, t.list, t.at, t.ends = row, t.list[:0], 0, t.ends[:0]
	begin := t.space(0)
	if len(row) > mostPlain || begin == len(row) || row[begin] != '{' {
		return false
	}
	end := t.members(begin, 0)
	return end > 0 && t.space(end) == len(row)
}

// space returns where white space ends that begins at i.
func (t *tokens) space(i int) int {
	for i < len(t.row) && t.row[i] <= ' ' && isSpace[t.row[i]] {
		i++
	}
	return i
}

var isSpace = [256]bool{' ': true, '\t': true, '\r': true, '\n': true}

// value scans a value that begins at i, and returns where it ends; 0 if it is odd. So do the other methods.
func (t *tokens) value(i, depth int) int {
	if i == len(t.row) || len(t.list) >= mostTokens {
		return 0
	}
	switch c := t.row[i]; {
	case c-'0' <= 9 || c == '-':
		return t.number(i)
	case c == '"':
		return t.text(i)
	case c == '{':
		return t.members(i, depth)
	case c == '[':
		return t.elements(i, depth)
	case c == 't':
		return t.word(i, "true")
	case c == 'f':
		return t.word(i, "false")
	case c == 'n':
		return t.word(i, "null")
	}
	return 0
}

func (t *tokens) add(kind jsontext.Kind, begin, end int) {
	t.list = append(t.list, token{kind: kind, begin: int32(begin), end: int32(end)})
}

// oddInText are the bytes that end a text, or that an odd one has.
var oddInText = func() (odd [256]bool) {
	for c := range ' ' {
		odd[c] = true
	}
	odd['"'], odd['\\'] = true, true
	return odd
}()

func (t *tokens) text(i int) int {
	for j, c := range t.row[i+1:] {
		if !oddInText[c] {
			continue
		}
		if c != '"' {
			return 0
		}
		t.add('"', i+1, i+1+j)
		return i + j + 2
	}
	return 0
}

func (t *tokens) word(i int, word string) int {
	end := i + len(word)
	if end > len(t.row) || string(t.row[i:end]) != word {
		return 0
	}
	t.add(jsontext.Kind(word[0]), i, end)
	return end
}

func (t *tokens) number(begin int) int {
	row := t.row
	if p, size := numeralOf(row[begin:]); size > 0 && p.inJSON(row[begin:], size) {
		t.list = append(t.list, token{'0', int32(begin), int32(begin + size), p})
		return begin + size
	}
	i := begin
	if row[i] == '-' {
		i++
	}
	whole := i
	if i = behindDigits(row, i); i == whole || i > whole+1 && row[whole] == '0' {
		return 0
	}
	if i < len(row) && row[i] == '.' {
		fraction := i + 1
		if i = behindDigits(row, fraction); i == fraction {
			return 0
		}
	}
	if i < len(row) && (row[i] == 'e' || row[i] == 'E') {
		if i++; i < len(row) && (row[i] == '-' || row[i] == '+') {
			i++
		}
		exponent := i
		if i = behindDigits(row, i); i == exponent {
			return 0
		}
	}
	t.add('0', begin, i)
	return i
}

// behindDigits returns where the digits end that begin at i.
func behindDigits(row []byte, i int) int {
	for i < len(row) && row[i]-'0' <= 9 {
		i++
	}
	return i
}

// open adds the token of an object or array at i, whose end is not known yet.
func (t *tokens) open(i, depth int) (number int, ok bool) {
	t.add(jsontext.Kind(t.row[i]), i, 0)
	return len(t.list) - 1, depth < maxDepth
}

// close ends an object or array.
func (t *tokens) close(number, i int) int {
	t.list[number].end = int32(len(t.list))
	return i + 1
}

func (t *tokens) elements(i, depth int) int {
	list, ok := t.open(i, depth)
	if i = t.space(i + 1); !ok || i == len(t.row) {
		return 0
	}
	if t.row[i] == ']' {
		return t.close(list, i)
	}
	for {
		if i = t.value(i, depth+1); i == 0 {
			return 0
		}
		switch i = t.space(i); {
		case i == len(t.row):
			return 0
		case t.row[i] == ']':
			return t.close(list, i)
		case t.row[i] != ',':
			return 0
		}
		i = t.space(i + 1)
	}
}

func (t *tokens) members(i, depth int) int {
	object, ok := t.open(i, depth)
	if i = t.space(i + 1); !ok || i == len(t.row) {
		return 0
	}
	if t.row[i] == '}' {
		return t.close(object, i)
	}
	for n := 0; n < mostKeys && i < len(t.row) && t.row[i] == '"'; n++ {
		if i = t.text(i); i == 0 || t.isTwice(object) {
			return 0
		}
		if i = t.space(i); i == len(t.row) || t.row[i] != ':' {
			return 0
		}
		if i = t.value(t.space(i+1), depth+1); i == 0 {
			return 0
		}
		switch i = t.space(i); {
		case i == len(t.row):
			return 0
		case t.row[i] == '}':
			return t.close(object, i)
		case t.row[i] != ',':
			return 0
		}
		i = t.space(i + 1)
	}
	return 0
}

// isTwice reports whether the last token is a key that an open object had before.
func (t *tokens) isTwice(object int) bool {
	last := len(t.list) - 1
	key := t.list[last]
	for i := object + 1; i < last; i = t.behind(i + 1) {
		if before := t.list[i]; before.end-before.begin == key.end-key.begin && string(t.textOf(i)) == string(t.textOf(last)) {
			return true
		}
	}
	return false
}

// textOf returns what is written for a token.
func (t *tokens) textOf(number int) []byte {
	is := t.list[number]
	return t.row[is.begin:is.end]
}

// behind returns the number of the token behind a value.
func (t *tokens) behind(value int) int {
	if is := t.list[value]; is.kind == '{' || is.kind == '[' {
		return int(is.end)
	}
	return value + 1
}

// enter enters an object or array.
func (t *tokens) enter() {
	t.ends = append(t.ends, int(t.list[t.at].end))
	t.at++
}

// leave leaves the object or array if it has no more.
func (t *tokens) leave() bool {
	last := len(t.ends) - 1
	if t.at < t.ends[last] {
		return false
	}
	t.ends = t.ends[:last]
	return true
}
