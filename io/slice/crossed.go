package slice

// Crossed returns the sets of columns whose groups are compared: each column alone and, if there are
// several, all of them together.
func Crossed(columns []string) (sets [][]string) {
	for _, c := range columns {
		sets = append(sets, []string{c})
	}
	if len(columns) > 1 {
		sets = append(sets, columns)
	}
	return sets
}
