package document

import (
	"io"
	"strings"

	"github.com/beameval/beameval/internal/collections"
)

// chat writes the document as a message, one line for each item.
func (d *Document) chat(w io.Writer) error {
	for _, s := range d.Sections {
		if _, err := io.WriteString(w, strings.Join(collections.Map(s.List, Brief), "\n")+"\n"); err != nil {
			return err
		}
	}
	return nil
}
