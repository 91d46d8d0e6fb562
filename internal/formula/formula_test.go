package formula_test

import (
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"github.com/beameval/beameval/internal/formula"
	"github.com/beameval/beameval/metrics"
)

var update = flag.Bool("update", false, "rewrite testdata/metrics.txt")

// element is what a browser reads.
type element struct {
	XMLName xml.Name
	Width   string    `xml:"width,attr"`
	Text    string    `xml:",chardata"`
	Inside  []element `xml:",any"`
}

// read returns the drawn formula as a line: with {…} around what stands above, below or under something.
func read(t *testing.T, source string) string {
	drawn, err := formula.MathML(source)
	require.NoError(t, err)
	require.NotContains(t, drawn, "\n")
	var all element
	require.NoError(t, xml.Unmarshal([]byte(drawn), &all), drawn)
	require.Equal(t, "math", all.XMLName.Local)
	require.Len(t, all.Inside, max(1, len(all.Inside)))
	return all.line(t)
}

func (e element) line(t *testing.T) string {
	inside := make([]string, len(e.Inside))
	for i, part := range e.Inside {
		inside[i] = part.line(t)
	}
	two := func(between string) string {
		require.Len(t, inside, 2, e.XMLName.Local)
		return "{" + inside[0] + "}" + between + "{" + inside[1] + "}"
	}
	switch e.XMLName.Local {
	case "math", "mrow":
		require.NotEmpty(t, inside)
		return strings.Join(inside, "")
	case "mfrac":
		return two("/")
	case "msup":
		return two("^")
	case "msub":
		return two("_")
	case "msqrt":
		require.Len(t, inside, 1)
		return "√{" + inside[0] + "}"
	case "mspace":
		require.NotEmpty(t, e.Width)
		return " "
	case "mover":
		require.Len(t, inside, 2)
		return norm.NFC.String(inside[0] + strings.ReplaceAll(inside[1], "¯", "\u0304"))
	case "mi", "mn", "mo":
		require.Empty(t, inside)
		require.NotEmpty(t, strings.TrimSpace(e.Text))
		return e.Text
	}
	require.Fail(t, "unknown element", e.XMLName.Local)
	return ""
}

// tokens returns what is drawn and what is written in the same characters, without spaces, parentheses, and what places show.
func tokens(line string) string { return norm.NFC.String(signs.Replace(line)) }

var signs = strings.NewReplacer(" ", "", "(", "", ")", "", "{", "", "}", "", "^", "", "_", "", "−", "-", "⁻", "-", "<=", "≤", "∑", "Σ",
	"'", "′", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9", "₁", "1", "₂", "2", "ᵢ", "i", "ⱼ", "j")

// TestFormulasOfMetrics draws every formula of the catalogue: nothing is lost, and what belongs together is as in testdata,
// which people have read.
func TestFormulasOfMetrics(t *testing.T) {
	var lines []string
	for _, task := range metrics.Tasks() {
		for _, m := range metrics.Catalogue(task) {
			for _, at := range m.Formulas {
				source := m.Definition[at[0]:at[1]]
				drawn := read(t, source)
				require.Equal(t, tokens(source), tokens(drawn), source)
				if line := fmt.Sprintf("%-60s %s\n", source, drawn); !slices.Contains(lines, line) {
					lines = append(lines, line)
				}
			}
		}
	}
	require.Greater(t, len(lines), 150)
	slices.Sort(lines)
	const file = "testdata/metrics.txt"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "")), 0o666))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), strings.Join(lines, ""), "go test ./internal/formula -update")
}

func TestMathML(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"x", "x"},
		{"1 - a / b", "1−{a}/{b}"},
		{"a / b / c", "{{a}/{b}}/{c}"},
		{"a / b · c / d", "{a}/{b}·{c}/{d}"},
		{"(1 - a) / (b c)", "{1−a}/{b c}"},
		{"(1 - a)(1 - b) / 2", "{(1−a)(1−b)}/{2}"},
		{"n/N v / m", "{{n}/{N} v}/{m}"},
		{"v/(n - 1)", "{v}/{n−1}"},
		{"Σ x² / Σ y²", "{∑ {x}^{2}}/{∑ {y}^{2}}"},
		{"Σ gain/log₂(place + 1)", "∑ {gain}/{{log}_{2}(place+1)}"},
		{"√ mean of y² + 1", "√{mean of {y}^{2}}+1"},
		{"√(a · b)", "√{a·b}"},
		{"max(y, 0)^(2-a)", "{max(y,0)}^{2−a}"},
		{"2^k", "{2}^{k}"},
		{"10⁻⁶", "{10}^{−6}"},
		{"exp(βᵢ - βⱼ)", "exp({β}_{i}−{β}_{j})"},
		{"Σ (ȳ - p̄)²", "∑ {(ȳ−p̄)}^{2}"},
		{"R_K", "{R}_{K}"},
		{"log_loss of x_1", "log_loss of x_1"},
		{"|Y ∩ h| / (|Y| + |h|)", "{|Y∩h|}/{|Y|+|h|}"},
		{"E|x - y| - E|x - x'| / 2", "E|x−y|−{E|x−{x}^{′}|}/{2}"},
		{"|(c - j)/2|", "|{c−j}/{2}|"},
		{"-Σ p log p", "−∑ p log p"},
		{"0.5 <= y < 1", "0.5≤y<1"},
		{"share of a value", "share of a value"},
		{"q of y", "q of y"},
	} {
		require.Equal(t, c.want, read(t, c.source), c.source)
	}
}

func TestElements(t *testing.T) {
	drawn, err := formula.MathML("2 tp / (a < b)²")
	require.NoError(t, err)
	require.Equal(t, `<math displaystyle="true"><mfrac><mrow><mn>2</mn><mspace width="0.3em"></mspace><mi class="words">tp</mi></mrow>`+
		`<msup><mrow><mo>(</mo><mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow><mo>)</mo></mrow><mn>2</mn></msup></mfrac></math>`, drawn)
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"", `formula "": the end at byte 0, where a number, a name or a parenthesis is expected`},
		{"a +", `formula "a +": the end at byte 3, where a number, a name or a parenthesis is expected`},
		{"a / / b", `formula "a / / b": "/" at byte 4, where a number, a name or a parenthesis is expected`},
		{"(a", `formula "(a": the end at byte 2, where ) is expected`},
		{"β a)", `formula "β a)": ")" at byte 4, where an operator or the end is expected`},
		{"|a", `formula "|a": the end at byte 2, where | is expected`},
		{"√", `formula "√": the end at byte 3, where a number, a name or a parenthesis is expected`},
		{"a^", `formula "a^": the end at byte 2, where a number, a name or a parenthesis is expected`},
		{"a, b", `formula "a, b": "," at byte 1, where an operator or the end is expected`},
		{"a * b", `formula "a * b": '*' at byte 2 is no part of a formula`},
		{"¬a", `formula "¬a": '¬' at byte 0 is no part of a formula`},
		{"a ₂", `formula "a ₂": "₂" at byte 2, where an operator or the end is expected`},
		{"²", `formula "²": "²" at byte 0, where a number, a name or a parenthesis is expected`},
	} {
		_, err := formula.MathML(c.source)
		require.EqualError(t, err, c.want)
	}
}

// FuzzMathML draws whatever it accepts without losing a sign.
func FuzzMathML(f *testing.F) {
	for _, source := range []string{"1 - Σ (y - p)² / Σ (y - ȳ)²", "E|x - x'|/2", "max(y, 0)^(2-a)", "√ mean of y² <= R_K", "√√((a))"} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if _, err := formula.MathML(source); err == nil {
			require.Equal(t, tokens(source), tokens(read(t, source)))
		}
	})
}
