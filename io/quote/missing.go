package quote

// missing are the texts that programs write for a missing value. Others are words, too, such as none.
var missing = map[string]bool{
	"NA": true, "N/A": true, "#N/A": true, "<NA>": true, "NaN": true, "nan": true, "NAN": true, "NaT": true,
	"NULL": true, "null": true, "Null": true, "None": true, "\\N": true,
}

// LooksMissing reports whether a text is one that programs write for a missing value.
func LooksMissing(text string) bool { return missing[text] }
