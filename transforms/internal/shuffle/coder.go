// Package shuffle holds what travels between workers, and says how it is encoded. Large data are
// stored in files; only their location travels.
package shuffle

import (
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/wire"
)

// coders says, by type, how elements are encoded and decoded.
var coders = make(map[reflect.Type]coder)

type coder struct {
	encode func(any) ([]byte, error)
	decode func([]byte) (any, error)
}

// Register gives elements of type T a coder of their fields. Call it in init functions.
//
// Every type of element needs a coder. Without one, structs travel as Beam rows: those with
// unexported fields arrive empty, without an error, and Java runners decode rows and encode them
// again in a way that Go cannot decode. Strings travel unchanged, whether valid UTF-8 or not.
func Register[T any](fields func(*wire.Coder, *T)) {
	coders[reflect.TypeFor[T]()] = coder{
		encode: func(x any) ([]byte, error) {
			v := x.(T)
			return wire.Encode(&v, fields)
		},
		decode: func(data []byte) (any, error) {
			var v T
			err := wire.Decode(data, &v, fields)
			return v, err
		},
	}
	beam.RegisterCoder(reflect.TypeFor[T](), Encode, Decode)
}

// Beam identifies functions by name, and instances of a generic function share a name: hence one
// pair of functions for all types. Beam also identifies types by name, if they are registered.

// Any is an element of any registered type.
type Any any

// Encode returns the encoding of an element.
func Encode(x Any) ([]byte, error) {
	data, err := coders[reflect.TypeOf(x)].encode(x)
	if err != nil {
		return nil, fmt.Errorf("encoding %T: %w", x, err)
	}
	return data, nil
}

// Decode decodes an element of type t.
func Decode(t reflect.Type, data []byte) (Any, error) {
	x, err := coders[t].decode(data)
	if err != nil {
		return nil, fmt.Errorf("decoding %v: %w", t, err)
	}
	return x, nil
}

func init() {
	beam.RegisterType(reflect.TypeFor[Any]())
	register.Function1x2(Encode)
	register.Function2x2(Decode)
}
