// Package everyfield looks through values for tests that demand that each field is set somewhere.
package everyfield

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
)

// In calls see for each exported field of a struct and, recursively, of the structs that its fields
// hold. name has the type and the field, such as input.Shard.File, and zero says whether the field
// is zero. In does not look into a field that see does not accept. A nil pointer and an empty list
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
			if f := v.Type().Field(i); travels(f) && see(v.Type().String()+"."+f.Name, f, v.Field(i).IsZero()) {
				In(v.Field(i), see)
			}
		}
	}
}

// travels reports whether a field is exported, or has exported fields because it is embedded.
func travels(f reflect.StructField) bool {
	return f.IsExported() || f.Anonymous && f.Type.Kind() == reflect.Struct
}

// Fill makes each exported field of the struct that v points to, and of what its fields hold, another value that is not zero,
// but those that have no JSON. Lists and maps get one element. A type must not hold itself.
func Fill(v any) {
	n := 0
	fill(reflect.ValueOf(v).Elem(), &n)
}

func fill(v reflect.Value, n *int) {
	*n++
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		v.SetBytes([]byte(fmt.Sprint(*n)))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(number(v, *n)))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(number(v, *n)))
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.5)
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *n))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), n)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n)
		fill(value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); travels(f) && f.Tag.Get("json") != "-" {
				fill(v.Field(i), n)
			}
		}
	}
}

// number returns n, or 1 if the values of a type are texts: there may be few of these.
func number(v reflect.Value, n int) int {
	if _, is := v.Addr().Interface().(encoding.TextUnmarshaler); is {
		return 1
	}
	return n
}
