package parts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// member is a member of a JSON object.
type member struct {
	key   string
	value json.RawMessage
}

// object is a JSON object, in its order.
type object []member

// parse parses an object. ok is false for another value.
func parse(data []byte) (o object, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil, false
		}
		o = append(o, member{key.(string), value})
	}
	return o, true
}

// of returns the value of a key, or nil.
func (o object) of(key string) json.RawMessage {
	if i := slices.IndexFunc(o, func(m member) bool { return m.key == key }); i >= 0 {
		return o[i].value
	}
	return nil
}

// write writes the object.
func (o object) write() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, _ := json.Marshal(m.key) // a string can be marshalled
		b.Write(key)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// difference is a value that two configurations or specs have in common no longer.
type difference struct {
	path string
	a, b json.RawMessage // nil if it is absent
}

// differences returns the differences of two JSON values, by their paths.
func differences(path string, a, b json.RawMessage) (list []difference) {
	if bytes.Equal(a, b) {
		return nil
	}
	x, ok := parse(a)
	y, also := parse(b)
	if !ok || !also {
		return []difference{{path, a, b}}
	}
	for _, m := range x {
		list = append(list, differences(join(path, m.key), m.value, y.of(m.key))...)
	}
	for _, m := range y {
		if x.of(m.key) == nil {
			list = append(list, difference{join(path, m.key), nil, m.value})
		}
	}
	return list
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// common returns what two JSON objects have in common: members that differ are left out, unless they are objects
// too. Their order is the order in a.
func common(a, b json.RawMessage) json.RawMessage {
	if bytes.Equal(a, b) {
		return a
	}
	x, ok := parse(a)
	y, also := parse(b)
	if !ok || !also {
		return nil
	}
	var same object
	for _, m := range x {
		if other := y.of(m.key); other != nil {
			if value := common(m.value, other); value != nil {
				same = append(same, member{m.key, value})
			}
		}
	}
	return same.write()
}

// mayDiffer are the keys of a configuration that say where something is or how people see it, and no statistic
// depends on.
var mayDiffer = []string{"labels", "num_labels", "report", "confidence.groups", "input.columns", "input.layout", "input.format", "input.label_encoding", "input.baseline_predictions.columns", "truth.columns"}

// free reports whether a key may differ.
func free(path string) bool {
	return slices.ContainsFunc(mayDiffer, func(key string) bool { return path == key || strings.HasPrefix(path, key+".") })
}

// explain says that two parts differ.
func (d *difference) explain(a, b string) error {
	return fmt.Errorf("%s is %s in %s, and %s in %s: only reports of one configuration can be merged", d.path, shown(d.a), a, shown(d.b), b)
}

// mostShown is the size up to which a value is shown.
const mostShown = 200

func shown(value json.RawMessage) string {
	switch {
	case value == nil:
		return "not set"
	case len(value) > mostShown:
		return strings.ToValidUTF8(string(value[:mostShown]), "") + "…"
	}
	return string(value)
}
