package transforms

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
)

// Elements have coders of their own. Without, structs travel as Beam rows, which
// Java runners take apart and write anew: Go marks a nil slice as null in a
// field that the schema says cannot be null, and what Java makes of that cannot
// be decoded. Strings travel as they are, whether valid UTF-8 or not.

// writer appends values.
type writer struct{ buf []byte }

func (w *writer) int(n int) { w.buf = binary.AppendVarint(w.buf, int64(n)) }

func (w *writer) unsigned(n uint64) { w.buf = binary.LittleEndian.AppendUint64(w.buf, n) }

func (w *writer) float(x float64) { w.unsigned(math.Float64bits(x)) }

func (w *writer) length(n int) { w.buf = binary.AppendUvarint(w.buf, uint64(n)) }

func (w *writer) string(s string) {
	w.length(len(s))
	w.buf = append(w.buf, s...)
}

func writeList[T any](w *writer, list []T, write func(T)) {
	w.length(len(list))
	for _, x := range list {
		write(x)
	}
}

var errTruncated = errors.New("decoding: truncated")

// reader reads what a writer wrote. After its first error it returns zeros.
type reader struct {
	buf []byte
	err error
}

func (r *reader) fail() {
	r.buf, r.err = nil, errTruncated
}

func (r *reader) int() int {
	n, size := binary.Varint(r.buf)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.buf = r.buf[size:]
	return int(n)
}

// length reads the length of what follows, of which every element takes a byte
// or more.
func (r *reader) length() int {
	n, size := binary.Uvarint(r.buf)
	if size <= 0 || n > uint64(len(r.buf)-size) {
		r.fail()
		return 0
	}
	r.buf = r.buf[size:]
	return int(n)
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.buf) {
		r.fail()
		return nil
	}
	head := r.buf[:n]
	r.buf = r.buf[n:]
	return head
}

func (r *reader) unsigned() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) float() float64 { return math.Float64frombits(r.unsigned()) }

func (r *reader) string() string { return string(r.bytes(r.length())) }

// strings reads a list of strings, perhaps millions, which share their memory.
func (r *reader) strings() []string {
	n := r.length()
	if n == 0 {
		return nil
	}
	text := string(r.buf)
	list := make([]string, 0, n)
	for range n {
		size := r.length()
		end := len(text) - len(r.buf) + size
		r.bytes(size)
		if r.err != nil {
			return nil
		}
		list = append(list, text[end-size:end])
	}
	return list
}

// readList reads a list; an empty one is nil.
func readList[T any](r *reader, read func() T) []T {
	var list []T
	for range r.length() {
		list = append(list, read())
	}
	return list
}

func encodeShard(s Shard) []byte {
	var w writer
	w.string(s.File)
	w.string(string(s.Version))
	w.int(s.First)
	w.int(s.Groups)
	writeList(&w, s.Keys, func(k files.Key) {
		w.string(k.Name)
		w.string(k.Value)
		w.flag(k.Null)
	})
	w.int(int(s.Options.MaxPage))
	w.flag(s.Options.RoundDecimals)
	return w.buf
}

func (w *writer) flag(b bool) {
	if b {
		w.int(1)
	} else {
		w.int(0)
	}
}

func decodeShard(data []byte) (Shard, error) {
	r := reader{buf: data}
	s := Shard{File: r.string(), Version: files.Version(r.string()), First: r.int(), Groups: r.int()}
	s.Keys = readList(&r, func() files.Key { return files.Key{Name: r.string(), Value: r.string(), Null: r.int() == 1} })
	s.Options = columns.Options{MaxPage: int64(r.int()), RoundDecimals: r.int() == 1}
	return s, r.err
}

func encodeVocabulary(v Vocabulary) []byte {
	var w writer
	writeList(&w, v.Names, w.string)
	w.int(v.Count)
	w.string(v.File)
	w.string(string(v.FileVersion))
	w.flag(v.Numbers)
	f := &v.Frequencies
	w.int(int(f.Examples))
	writeList(&w, slices.Sorted(maps.Keys(f.Count)), func(label int32) {
		w.int(int(label))
		w.int(int(f.Count[label]))
	})
	return w.buf
}

func decodeVocabulary(data []byte) (Vocabulary, error) {
	r := reader{buf: data}
	v := Vocabulary{Names: r.strings(), Count: r.int(), File: r.string(), FileVersion: files.Version(r.string()), Numbers: r.int() == 1}
	f := &v.Frequencies
	f.Examples = int64(r.int())
	for range r.length() {
		if f.Count == nil {
			f.Count = make(map[int32]int64)
		}
		label := int32(r.int())
		f.Count[label] = int64(r.int())
	}
	v.Prepare()
	return v, r.err
}

func encodeLabelSet(s labelSet) []byte {
	var w writer
	writeList(&w, s.Ints, func(i int64) { w.int(int(i)) })
	writeList(&w, s.Strings, w.string)
	return w.buf
}

func decodeLabelSet(data []byte) (labelSet, error) {
	r := reader{buf: data}
	s := labelSet{Ints: readList(&r, func() int64 { return int64(r.int()) }), Strings: readList(&r, r.string)}
	return s, r.err
}

func encodeSpilled(s spilled) []byte {
	var w writer
	w.spilled(&s)
	return w.buf
}

func decodeSpilled(data []byte) (spilled, error) {
	r := reader{buf: data}
	s := r.spilled()
	return s, r.err
}

func encodePrediction(p Prediction) []byte {
	var w writer
	w.string(p.Example)
	writeList(&w, p.Items, w.string)
	writeList(&w, p.Relevance, w.float)
	writeList(&w, p.Labels, w.string)
	writeList(&w, p.Distribution, w.float)
	w.float(p.Target)
	writeList(&w, p.Scores, w.float)
	writeList(&w, p.ScoreLabels, w.string)
	writeList(&w, p.Predicted, w.string)
	w.float(p.Estimate)
	w.flag(p.Weight != nil)
	if p.Weight != nil {
		w.float(*p.Weight)
	}
	writeList(&w, slices.Sorted(maps.Keys(p.Slices)), func(column string) {
		w.string(column)
		w.string(p.Slices[column])
	})
	return w.buf
}

func decodePrediction(data []byte) (Prediction, error) {
	r := reader{buf: data}
	p := Prediction{Example: r.string(), Items: readList(&r, r.string), Relevance: readList(&r, r.float)}
	p.Labels, p.Distribution, p.Target = readList(&r, r.string), readList(&r, r.float), r.float()
	p.Scores, p.ScoreLabels = readList(&r, r.float), readList(&r, r.string)
	p.Predicted, p.Estimate = readList(&r, r.string), r.float()
	if r.int() == 1 {
		weight := r.float()
		p.Weight = &weight
	}
	for _, pair := range readList(&r, func() [2]string { return [2]string{r.string(), r.string()} }) {
		if p.Slices == nil {
			p.Slices = make(map[string]string)
		}
		p.Slices[pair[0]] = pair[1]
	}
	return p, r.err
}

func registerCoder[T any](encode func(T) []byte, decode func([]byte) (T, error)) {
	beam.RegisterCoder(reflect.TypeFor[T](), encode, decode)
	register.Function1x1(encode)
	register.Function1x2(decode)
}

func init() {
	registerCoder(encodeShard, decodeShard)
	registerCoder(encodeVocabulary, decodeVocabulary)
	registerCoder(encodeLabelSet, decodeLabelSet)
	registerCoder(encodeSpilled, decodeSpilled)
	registerCoder(encodePrediction, decodePrediction)
}
