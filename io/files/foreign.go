package files

import "regexp"

// foreign lists forms of names that other tools use, and their equivalents here.
var foreign = []struct {
	theirs *regexp.Regexp
	ours   string
}{
	{regexp.MustCompile(`^s3[an]://`), "s3://"}, // Hadoop
	{regexp.MustCompile(`^azure://`), "az://"},
	{regexp.MustCompile(`^abfs://`), "abfss://"},
	{regexp.MustCompile(`^wasbs?://([^@/]+)@([^./]+)\.blob\.`), "abfss://$1@$2.dfs."},                              // Hadoop
	{regexp.MustCompile(`^azfs://([^/]+)/([^/]+)`), "abfss://$2@$1.dfs.core.windows.net"},                          // Beam
	{regexp.MustCompile(`^(?:az|abfss|https)://([^./@]+)\.(?:blob|dfs)\.([^/]+)/([^/]+)`), "abfss://$3@$1.dfs.$2"}, // DuckDB, Azure
}

// translated returns the equivalent of a name of another tool, or "".
func translated(name string) string {
	for _, form := range foreign {
		if form.theirs.MatchString(name) {
			return form.theirs.ReplaceAllString(name, form.ours)
		}
	}
	return ""
}
