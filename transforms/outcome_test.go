package transforms

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

func TestMissingSlices(t *testing.T) {
	one := func(column string, v slice.Value) slice.Key { return slice.Key{{Column: column, Value: v}} }
	two := func(a, b slice.Value) slice.Key {
		return slice.Key{{Column: "a", Value: a}, {Column: "b", Value: b}}
	}
	x, y := slice.String("x"), slice.String("y")
	of := func(column string, values ...any) SliceColumn { return only(column, values...)[0] }
	for name, c := range map[string]struct {
		met      []slice.Key
		specs    []Slice
		want     []slice.Key
		warnings []string
	}{
		"all met":     {[]slice.Key{one("a", x), one("a", y)}, []Slice{only("a", "x", "y")}, nil, nil},
		"not limited": {nil, []Slice{by("a"), by("a", "b")}, nil, nil},
		"one not met": {[]slice.Key{nil, one("a", x)}, []Slice{only("a", "x", "y")}, []slice.Key{one("a", y)},
			[]string{"no row is in slice a=y, which is asked for"}},
		"asked for twice": {nil, []Slice{only("a", "x"), only("a", "x", nil)}, []slice.Key{one("a", x), one("a", slice.Null())},
			[]string{"no row is in slice a=x, which is asked for", "no row is in slice a=null, which is asked for"}},
		"a number is met as one": {[]slice.Key{one("a", slice.Int(3)), one("a", slice.Bool(true))}, []Slice{only("a", "3", "true", "4")},
			[]slice.Key{one("a", slice.String("4"))}, []string{`no row is in slice a="4", which is asked for`}},
		"crossed": {[]slice.Key{two(slice.Int(3), x), two(slice.Int(4), y)}, []Slice{{of("b", "x", "y"), of("a", "3")}},
			[]slice.Key{two(slice.Int(3), y)}, []string{"no row is in slice a=3, b=y, which is asked for"}},
		"crossed with all values": {[]slice.Key{two(x, x)}, []Slice{{of("a", "x", "z"), {Column: "b"}}}, nil,
			[]string{"no row has the value a=z, which is asked for"}},
		"met in other slices only": {[]slice.Key{one("a", x)}, []Slice{{of("a", "x"), {Column: "b"}}}, nil,
			[]string{"no row has the value a=x, which is asked for"}},
	} {
		t.Run(name, func(t *testing.T) {
			list, warnings := newRequested(c.met).missing(asSettled(Spec{Slices: c.specs}).Job.Slices)
			require.Equal(t, c.want, list)
			require.Equal(t, c.warnings, warnings)
		})
	}
}

func TestTooManySlices(t *testing.T) {
	keys := map[string]bool{shuffle.Overall: true}
	for i := range 4 {
		keys[slice.Key{{Column: "few", Value: slice.Int(int64(i % 2))}, {Column: "many", Value: slice.Int(int64(i))}}.Encoded()] = true
	}
	require.EqualError(t, (&shuffle.Job{Spec: Spec{MaxSlices: 3}}).TooManySlices(maps.Keys(keys)),
		`slices: more than 3 slices: column "many" alone has 4 values or more; slice by a column of fewer values, list the values that matter, or set Spec.MaxSlices`)
}
