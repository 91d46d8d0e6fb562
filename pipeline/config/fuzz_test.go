package config

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// For any file, Parse returns; each line of an error has a position; an accepted configuration is
// valid and fits the schema, and its printed form and its echo are configurations with the same
// meaning.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"testdata/full.yaml", reference} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	bad, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, block := range strings.Split(string(bad), "====\n") {
		yaml, _, _ := strings.Cut(block, "=> ")
		f.Add([]byte(yaml))
	}
	f.Add([]byte("task: ranking\ninput: {columns: {query: q}}\ntruth: {files: t, columns: {label: rel}}\nranking: {ties: item}\n"))
	f.Add([]byte("input: {columns: {class: c}}\ntruth: {files: [t], missing: skip}\n"))
	f.Add([]byte("input: {columns: {class: c}, label_encoding: names}\n"))
	f.Add([]byte("input: {score_type: score}"))
	f.Add([]byte("a: *0\n000\n"))
	f.Add([]byte("k: &a [1, *a]\nbeta: *a\n"))
	f.Add([]byte(`{"slices": [{"a": ["\u2028\ud83d\ude00", null]}], "zero_division": "nan"}`))
	f.Add([]byte("k: " + strings.Repeat("[", 100) + "1"))
	f.Add([]byte("a: &a [1, 1]\nb: &b [*a, *a]\nc: &c [*b, *b]\n" + strings.Repeat("- ", 100)))
	f.Add([]byte(strings.Repeat("? ", 100)))
	schema := schemaValidator(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data, "fuzz.yaml")
		if err != nil {
			for _, line := range strings.Split(err.Error(), "\n") {
				if !strings.HasPrefix(line, "fuzz.yaml:") {
					t.Fatalf("a line without position: %q", line)
				}
			}
			return
		}
		if err := c.Validate(); err != nil {
			t.Fatalf("accepted, but invalid: %v", err)
		}
		checkPrinted(t, c)
		if root, _ := parseYAML(data); root != nil {
			if err := schema.Validate(plainOf(root)); err != nil {
				t.Fatalf("the schema refuses it: %v", err)
			}
		}
		echo, err := c.Echo()
		if err != nil {
			t.Fatalf("no echo: %v", err)
		}
		// It lacks only the location of the truth.
		named := bytes.Replace(echo, []byte(`"truth":{`), []byte(`"truth":{"files":["t"],`), 1)
		again, err := Parse(named, "echo.json")
		if err != nil {
			t.Fatalf("the echo is not a configuration: %v\n%s", err, echo)
		}
		second, err := again.Echo()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(echo, second) {
			t.Fatalf("the echo of the echo differs:\n%s\n%s", echo, second)
		}
	})
}
