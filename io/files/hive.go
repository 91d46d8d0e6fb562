package files

import (
	"net/url"
	"strings"
)

// Key is a column whose value is written in a folder's name, as Hive and Spark do.
type Key struct {
	Name, Value string
	Null        bool
}

// hiveNull is the folder value that stands for null.
const hiveNull = "__HIVE_DEFAULT_PARTITION__"

// hiveKeys returns the keys among the folders of a file, in path order.
func hiveKeys(file string) []Key {
	var keys []Key
	folders := strings.Split(file, "/")
	for _, folder := range folders[:len(folders)-1] {
		name, value, ok := strings.Cut(folder, "=")
		switch {
		case !ok || name == "":
		case value == hiveNull:
			keys = append(keys, Key{Name: unescape(name), Null: true})
		default:
			keys = append(keys, Key{Name: unescape(name), Value: unescape(value)})
		}
	}
	return keys
}

// unescape leaves alone what no writer of such folders can have escaped.
func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}
