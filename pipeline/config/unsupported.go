package config

// unsupported lists what the configuration language defines and this version
// does not evaluate: whole keys, and values of keys. They are errors rather
// than unknown, and never ignored.
var unsupported = []struct{ path, value string }{
	{path: "task", value: "ranking"},
	{path: "input.layout", value: "label"},
	{path: "input.columns.class"},
	{path: "input.columns.query"},
	{path: "input.columns.item"},
	{path: "truth"},
	{path: "ranking"},
}

const notSupported = " is not supported by this version"

// isUnsupported looks up a value of a key, or the key itself if value is "".
func isUnsupported(path, value string) bool {
	for _, u := range unsupported {
		if u.path == path && u.value == value {
			return true
		}
	}
	return false
}
