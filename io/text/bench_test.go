package text

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/beameval/beameval/io/columns"
)

// BenchmarkText plans and reads a CSV of an id, a label, a score and two texts.
func BenchmarkText(b *testing.B) {
	var text strings.Builder
	text.WriteString("id,label,score,country,note\n")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 200_000 {
		fmt.Fprintf(&text, "%d,%d,%v,%s,some text here\n", i, r.IntN(2), r.Float64(), []string{"de", "fr", "us", "jp"}[r.IntN(4)])
	}
	src := inMemory(text.String())
	whole, err := Open(src, CSV, columns.Options{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	plan := whole.Plan(0, len(whole.RowGroups()))
	for name, known := range map[string][]byte{"plan": nil, "read": plan} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(src.Size())
			for b.Loop() {
				f, err := Open(src, CSV, columns.Options{}, known)
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
