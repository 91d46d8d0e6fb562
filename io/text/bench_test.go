package text

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/beameval/beameval/io/columns"
)

// BenchmarkText plans and reads an id, a label, a score and two strings.
func BenchmarkText(b *testing.B) {
	for format, c := range map[string]struct{ header, row string }{
		CSV:  {"id,label,score,country,note\n", "%d,%d,%v,%s,some text here\n"},
		JSON: {"", `{"id": %d, "label": %d, "score": %v, "country": "%s", "note": "some text here"}` + "\n"},
	} {
		var text strings.Builder
		text.WriteString(c.header)
		r := rand.New(rand.NewPCG(1, 2))
		for i := range 200_000 {
			fmt.Fprintf(&text, c.row, i, r.IntN(2), r.Float64(), []string{"de", "fr", "us", "jp"}[r.IntN(4)])
		}
		src := inMemory(text.String())
		whole, err := Open(src, format, columns.Options{}, nil)
		if err != nil {
			b.Fatal(err)
		}
		plan := whole.Plan(0, len(whole.RowGroups()))
		for name, known := range map[string][]byte{"plan": nil, "read": plan} {
			b.Run(format+"/"+name, func(b *testing.B) {
				b.SetBytes(src.Size())
				for b.Loop() {
					f, err := Open(src, format, columns.Options{}, known)
					if err != nil {
						b.Fatal(err)
					}
					for g := 0; known != nil && g < len(f.RowGroups()); g++ {
						for _, err := range f.Read(g, []string{"label", "score", "country"}, nil, 4096) {
							if err != nil {
								b.Fatal(err)
							}
						}
					}
				}
			})
		}
	}
}
