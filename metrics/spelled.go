package metrics

import (
	"regexp"
	"strings"
)

// dash is one between words; before a digit, it is the sign of an argument.
var dash = regexp.MustCompile(`-([a-z])`)

// plain returns a name as people may spell it who know other tools: in lower case, with _ between words,
// and without the _score of scikit-learn's functions.
func plain(name string) string {
	if name = strings.ToLower(name); strings.Contains(name, "-") {
		name = dash.ReplaceAllString(name, "_$1")
	}
	bare, argument, _ := strings.Cut(name, "@")
	if argument != "" {
		argument = "@" + argument
	}
	for _, average := range []string{"", micro, macro, weighted, "_samples"} {
		if before, found := strings.CutSuffix(bare, "_score"+average); found && before != "" {
			return before + average + argument
		}
	}
	return name
}

// spelled is resolve for a name that is none of the task's as it is, but is one in another spelling: F1_Score
// is f1, and Recall@10 is recall@10.
func spelled(task Task, name string, with Arguments) (list []choice, found bool, err error) {
	v := vocabularies()[task]
	if v == nil {
		return nil, false, nil
	}
	name = plain(name)
	if s, ok := v.byPlain[name]; ok {
		return s.choices(with), true, nil
	}
	for _, s := range v.open {
		s.before, s.after = splitPlain(s)
		if c, ok, err := s.parse(name); ok || err != nil {
			return []choice{c}, ok, err
		}
	}
	return nil, false, nil
}

// splitPlain returns the text around the argument of a spelling in its plain form.
func splitPlain(s spelling) (before, after string) {
	const argument = "<>"
	before, after, _ = strings.Cut(plain(s.before+argument+s.after), argument)
	return before, after
}
