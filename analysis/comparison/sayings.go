package comparison

import "fmt"

// sayings are warnings about pairs of systems. What holds for many pairs is said once.
type sayings struct {
	list []saying
	at   map[string]int // by warning
}

type saying struct {
	warning, pair string
	more          int // pairs
}

func (s *sayings) add(warning, pair string) {
	if i, met := s.at[warning]; met {
		s.list[i].more++
		return
	}
	if s.at == nil {
		s.at = map[string]int{}
	}
	s.at[warning] = len(s.list)
	s.list = append(s.list, saying{warning: warning, pair: pair})
}

// all returns the warnings with the first pair each.
func (s *sayings) all() (list []string) {
	for _, w := range s.list {
		pair := w.pair
		switch w.more {
		case 0:
		case 1:
			pair += ", and for 1 more pair"
		default:
			pair += fmt.Sprintf(", and for %d more pairs", w.more)
		}
		list = append(list, pair+": "+w.warning)
	}
	return list
}
