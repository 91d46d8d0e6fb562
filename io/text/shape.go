package text

import "unicode/utf8"

// shape is what a plain row of single values has besides these values. Rows of a file mostly have the shape of the row
// before, so that only the values have to be looked at.
//
//	{"a": 1, "b": "x"}
//	‾‾‾‾‾‾ ‾‾‾‾‾‾‾   ‾     the texts before the values, and the end
type shape struct {
	number  int    // of the shapes so far
	met     bool   // whether the row has the shape of a row before
	open    int32  // where the object begins
	text    []byte // the texts before the values, one behind the other, and the end
	members []shapeMember
}

type shapeMember struct {
	end              int32 // of the text before the value
	keyBegin, keyEnd int32 // in this text
}

// mostShape is the largest size of a row whose shape is remembered.
const mostShape = 16 << 10

// remember remembers the shape of the row that was scanned, if it has only single values.
func (t *tokens) remember() {
	s := &t.shape
	s.text, s.members = s.text[:0], s.members[:0]
	s.number++
	if len(t.row) > mostShape || len(t.list) == 1 {
		return
	}
	s.open = t.list[0].begin
	begin := 0 // behind the last value
	for i := 1; i < len(t.list); i += 2 {
		key, value := t.list[i], t.list[i+1]
		from, to := int(value.begin), int(value.end)
		switch value.kind {
		case '{', '[':
			s.members = s.members[:0]
			return
		case '"':
			from, to = from-1, to+1
		}
		s.text = append(s.text, t.row[begin:from]...)
		s.members = append(s.members, shapeMember{int32(len(s.text)), key.begin - int32(begin), key.end - int32(begin)})
		begin = to
	}
	s.text = append(s.text, t.row[begin:]...)
}

// scanShape is scan for a row of any text, and returns false if the row has not the remembered shape.
func (t *tokens) scanShape(row []byte) bool {
	s := &t.shape
	s.met = false
	if len(s.members) == 0 || len(row) > mostPlain {
		return false
	}
	t.row, t.at, t.ends = row, 0, t.ends[:0]
	t.list = append(t.list[:0], token{kind: '{', begin: s.open, end: int32(1 + 2*len(s.members))})
	i, rest := 0, s.text
	for _, member := range s.members {
		before := s.text[len(s.text)-len(rest) : member.end]
		if rest = s.text[member.end:]; len(row)-i <= len(before) || string(row[i:i+len(before)]) != string(before) {
			return false
		}
		t.add('"', i+int(member.keyBegin), i+int(member.keyEnd))
		if i = t.single(i + len(before)); i == 0 {
			return false
		}
	}
	s.met = string(row[i:]) == string(rest)
	return s.met
}

// known says of the members of a shape what each stands for.
type known[T any] struct {
	shape  int // its number
	stands []T
}

// of returns what the members of the row stand for, if it has the shape of the row before and this is known.
func (k *known[T]) of(o *object) (stands []T, is bool) {
	s := &o.tokens.shape
	return k.stands, o.plain && s.met && k.shape == s.number && len(k.stands) == len(s.members)
}

// set remembers what the nth member of a row stands for, behind those before.
func (k *known[T]) set(o *object, n int, stands T) {
	if s := &o.tokens.shape; k.shape != s.number {
		k.shape, k.stands = s.number, k.stands[:0]
	}
	if o.plain && n == len(k.stands) {
		k.stands = append(k.stands, stands)
	}
}

// to goes to the value of member n of a row of a shape.
func (t *tokens) to(n int) { t.at = 2 + 2*n }

// single scans a single value in a row of any text.
func (t *tokens) single(i int) int {
	switch c := t.row[i]; {
	case c-'0' <= 9 || c == '-':
		return t.number(i)
	case c == '"':
		end := t.text(i)
		if end > 0 && !utf8.Valid(t.row[i:end]) {
			return 0
		}
		return end
	case c == '{' || c == '[':
		return 0
	}
	return t.value(i, 0)
}
