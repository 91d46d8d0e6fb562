// Package everyfield looks through values for tests that demand that each field is set somewhere.
package everyfield

import "reflect"

// In calls see for each exported field of a struct, and of what its fields hold: by the name of its type, such as
// input.Shard.File, and whether it is zero. What see does not accept is not looked into. A nil pointer and an empty list
// hold a zero value of their type, so a type must not hold itself.
func In(v reflect.Value, see func(name string, field reflect.StructField, zero bool) (accepted bool)) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v = reflect.New(v.Type().Elem())
		}
		In(v.Elem(), see)
	case reflect.Interface:
		if !v.IsNil() {
			In(v.Elem(), see)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			In(v.Index(i), see)
		}
		if v.Len() == 0 {
			In(reflect.Zero(v.Type().Elem()), see)
		}
	case reflect.Map:
		for _, value := range v.Seq2() {
			In(value, see)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && see(v.Type().String()+"."+f.Name, f, v.Field(i).IsZero()) {
				In(v.Field(i), see)
			}
		}
	}
}
