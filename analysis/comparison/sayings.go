package comparison

import (
	"slices"

	"github.com/beameval/beameval/io/report/document"
)

// sayings are warnings about pairs of systems. What holds for many pairs is said once.
type sayings []saying

type saying struct {
	warning, pair string
	more          int64 // pairs
}

func (s *sayings) add(warning, pair string) {
	if i := slices.IndexFunc(*s, func(said saying) bool { return said.warning == warning }); i >= 0 {
		(*s)[i].more++
		return
	}
	*s = append(*s, saying{warning: warning, pair: pair})
}

// all returns the warnings with the first pair each.
func (s sayings) all() (list []string) {
	for _, w := range s {
		if w.more > 0 {
			w.pair += ", and for " + document.Plural(w.more, "more pair")
		}
		list = append(list, w.pair+": "+w.warning)
	}
	return list
}
