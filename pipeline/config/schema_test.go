package config

import (
	"bytes"
	"encoding"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	reflected "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// schemaFile is the JSON Schema of the configuration, made from its types.
const schemaFile = "../../docs/config.schema.json"

func TestSchema(t *testing.T) {
	text, err := json.MarshalIndent(schemaOf(Config{}), "", "  ")
	require.NoError(t, err)
	checkGolden(t, schemaFile, append(text, '\n'))
}

// schemaOf returns the schema of a type of the configuration.
func schemaOf(of any) *reflected.Schema {
	about := comments()
	r := &reflected.Reflector{
		Anonymous: true, DoNotReference: true, ExpandedStruct: true, FieldNameTag: "key", RequiredFromJSONSchemaTags: true,
		Mapper: func(t reflect.Type) *reflected.Schema {
			if t == reflect.TypeOf(of) { // which may have another form besides its keys
				return nil
			}
			return formOf(t)
		},
		LookupComment: func(t reflect.Type, field string) string { return about[t.Name()+"."+field] },
	}
	s := r.Reflect(of)
	if _, all := of.(Config); all {
		s.ID, s.Title = SchemaURL, "Configuration of beameval"
	} else {
		s.Version = ""
	}
	describeKeys(s, keysOf(reflect.New(reflect.TypeOf(of))))
	return s
}

// describeKeys adds the constraints in the tags of keys to the schema of a mapping.
func describeKeys(s *reflected.Schema, keys []key) {
	for _, k := range keys {
		p, _ := s.Properties.Get(k.name)
		element := p
		if p.Type == "array" {
			element = p.Items
		}
		if k.values() != nil {
			element.Enum = nil
			for _, v := range k.values() {
				element.Enum = append(element.Enum, v)
			}
		}
		if tag := k.tag.Get("range"); tag != "" {
			setRange(element, parseInterval(tag))
		}
		if text, ok := k.tag.Lookup("default"); ok {
			n, _ := parseYAML([]byte(text))
			p.Default = plainOf(n)
		}
		switch k.tag.Get("form") {
		case "text":
			*p = *described(p, anyOf(label(), listOf(label())))
		case "share":
			number := *p
			number.Description, number.Default = "", nil
			*p = *described(p, anyOf(&number, percentage()))
		case "label":
			if p.Type == "array" {
				p.Items = label()
			} else {
				*p = *described(p, anyOf(append([]*reflected.Schema{text()}, label().AnyOf[1:]...)...))
			}
		default:
			if element.Type == "string" && element.Enum == nil {
				element.MinLength = new(uint64(1))
			}
		}
		of := k.value.Type()
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if element.Properties != nil {
			describeKeys(element, keysOf(reflect.New(of)))
		}
		if of := k.value.Type(); of.Kind() == reflect.Slice && k.tag.Get("form") != "label" && k.tag.Get("form") != "text" && (of.Elem().Kind() == reflect.String || of.Elem().Kind() == reflect.Slice) {
			one, list := text(), *p
			one.Enum, list.Description, list.Default = element.Enum, "", nil
			*p = *described(p, anyOf(one, &list))
		}
		p.Description = strings.TrimSpace(p.Description + " " + onlyFor(k))
	}
}

// onlyFor says which tasks a key is for, if not for all.
func onlyFor(k key) string {
	_, after, found := strings.Cut(k.facts(), "Only for ")
	if !found {
		return ""
	}
	tasks, _, _ := strings.Cut(after, ".")
	return "Only for " + tasks + "."
}

func setRange(s *reflected.Schema, r interval) {
	number := func(x float64) json.Number { return json.Number(strconv.FormatFloat(x, 'f', -1, 64)) }
	if r.openLow {
		s.ExclusiveMinimum = number(r.low)
	} else {
		s.Minimum = number(r.low)
	}
	switch {
	case math.IsInf(r.high, 1) && s.Type == "integer":
		s.Maximum = number(1 << 53) // see decoder.whole
	case math.IsInf(r.high, 1):
	case r.openHigh:
		s.ExclusiveMaximum = number(r.high)
	default:
		s.Maximum = number(r.high)
	}
}

// described returns a schema with the description and the default of another.
func described(by, s *reflected.Schema) *reflected.Schema {
	s.Description, s.Default = by.Description, by.Default
	return s
}

func anyOf(all ...*reflected.Schema) *reflected.Schema { return &reflected.Schema{AnyOf: all} }
func percentage() *reflected.Schema                    { return pattern("^[0-9.eE+-]+%$") }
func typed(name string) *reflected.Schema              { return &reflected.Schema{Type: name} }
func label() *reflected.Schema                         { return anyOf(typed("string"), typed("number"), typed("boolean")) }
func text() *reflected.Schema                          { return &reflected.Schema{Type: "string", MinLength: new(uint64(1))} }
func pattern(p string) *reflected.Schema               { return &reflected.Schema{Type: "string", Pattern: p} }
func names(all ...any) *reflected.Schema               { return &reflected.Schema{Enum: all} }
func whole() *reflected.Schema                         { return &reflected.Schema{Type: "integer", Minimum: "0"} }
func listOf(s *reflected.Schema) *reflected.Schema {
	return &reflected.Schema{Type: "array", Items: s}
}
func someOf(s *reflected.Schema) *reflected.Schema {
	return &reflected.Schema{Type: "array", Items: s, MinItems: new(uint64(1))}
}
func mapOf(s *reflected.Schema, least uint64) *reflected.Schema {
	m := &reflected.Schema{Type: "object", AdditionalProperties: s}
	if least > 0 {
		m.MinProperties = &least
	}
	return m
}

// formOf returns the schema of a type with its own representation, or nil.
func formOf(t reflect.Type) *reflected.Schema {
	null := typed("null")
	switch t {
	case reflect.TypeFor[Columns](), reflect.TypeFor[TruthColumns](), reflect.TypeFor[BaselineColumns](), reflect.TypeFor[TrainingColumns]():
		mapping := typed("object")
		mapping.Properties, mapping.AdditionalProperties = reflected.NewProperties(), reflected.FalseSchema
		for _, k := range keysOf(reflect.New(t)) {
			p := formOf(k.value.Type())
			p.Description = comments()[k.field]
			mapping.Properties.Set(k.name, p)
		}
		return mapping
	case reflect.TypeFor[Origin]():
		return anyOf(text(), someOf(text()), mapOf(text(), 1), null)
	case reflect.TypeFor[single]():
		return anyOf(text(), null)
	case reflect.TypeFor[PassThreshold]():
		return anyOf(typed("number"), mapOf(typed("number"), 0))
	case reflect.TypeFor[Thresholds]():
		return anyOf(typed("number"), mapOf(anyOf(typed("number"), percentage()), 0), typed("string"))
	case reflect.TypeFor[Costs]():
		cost := &reflected.Schema{Type: "number", Minimum: "0", Maximum: "1e100"}
		outcome := mapOf(cost, 1)
		outcome.PropertyNames = names("fp", "fn", "tp", "tn")
		return anyOf(outcome, someOf(someOf(cost)))
	case reflect.TypeFor[ZeroDivision]():
		return anyOf(names(0, 1), pattern("^[nN][aA][nN]$"))
	case reflect.TypeFor[PerLabel]():
		return anyOf(names(perLabelAll, perLabelNone), whole(), someOf(label()))
	case reflect.TypeFor[Limit]():
		return anyOf(&reflected.Schema{Type: "number", Minimum: "0"}, percentage())
	case reflect.TypeFor[WorstExamples]():
		keys := schemaOf(WorstExamples{})
		count, _ := keys.Properties.Get("count")
		return anyOf(&reflected.Schema{Type: count.Type, Minimum: count.Minimum, Maximum: count.Maximum}, keys)
	case reflect.TypeFor[Statistics]():
		return anyOf(typed("boolean"), schemaOf(Statistics{}))
	case reflect.TypeFor[GateSlice]():
		return anyOf(names(eachSlice), pattern("^[^=]+=[^=,]+$"), mapOf(anyOf(append(label().AnyOf, null)...), 0))
	case reflect.TypeFor[References]():
		return anyOf(append(label().AnyOf, mapOf(label(), 1))...)
	case reflect.TypeFor[Slice]():
		binning := schemaOf(Binning{})
		binning.MinProperties, binning.MaxProperties = new(uint64(1)), new(uint64(1))
		column := mapOf(anyOf(someOf(anyOf(append(label().AnyOf, null)...)), binning), 1)
		return anyOf(text(), someOf(anyOf(text(), column)), column)
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return typed("string") // whose values describe lists
	}
	return nil
}

// schemaValidator returns a validator for the checked-in schema.
func schemaValidator(t testing.TB) *jsonschema.Schema {
	data, err := os.ReadFile(schemaFile)
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource(SchemaURL, document))
	s, err := compiler.Compile(SchemaURL)
	require.NoError(t, err)
	require.Equal(t, 2020, s.DraftVersion)
	return s
}

// any converts a value to JSON, where NaN is represented by its name.
func plainOf(n *node) any {
	switch n.Tag {
	case kindBool:
		return strings.EqualFold(n.Value, "true")
	case kindNumber:
		x := (&decoder{failed: map[string]bool{}}).number(n, "", "")
		switch {
		case math.IsNaN(x):
			return "nan"
		case math.IsInf(x, 0):
			return nil
		}
		return x
	case kindString:
		return n.Value
	case kindList:
		list := []any{}
		for _, item := range n.Content {
			list = append(list, plainOf(item))
		}
		return list
	case kindMap:
		m := map[string]any{}
		for key, value := range pairs(n) {
			m[key.Value] = plainOf(value)
		}
		return m
	}
	return nil
}

// The parser and the schema accept every example of a configuration.
func TestExamplesFitTheSchema(t *testing.T) {
	s := schemaValidator(t)
	check := func(name, yaml string) {
		_, err := Read([]byte(yaml), name)
		require.NoError(t, err, yaml)
		root, _ := parseYAML([]byte(yaml))
		if root != nil { // not only comments
			require.NoError(t, s.Validate(plainOf(root)), "%s:\n%s", name, yaml)
		}
	}
	blocks := 0
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	more, err := filepath.Glob("../../docs/*/*.md")
	require.NoError(t, err)
	for _, page := range slices.Concat(pages, more, []string{"../../README.md"}) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, block := range regexp.MustCompile("(?ms)^```yaml\n(.*?)^```").FindAllSubmatch(text, -1) {
			if regexp.MustCompile("^(apiVersion|permissions|steps| +- name):").Match(block[1]) {
				continue // of Kubernetes, of GitHub
			}
			examples := []string{string(block[1])}
			if _, err := Read(block[1], page); err != nil && strings.Contains(err.Error(), "is repeated") {
				examples = strings.Split(examples[0], "\n") // alternatives, one a line
			}
			for _, example := range examples {
				check(page, example)
			}
			blocks++
		}
	}
	require.Greater(t, blocks, 10)
	files, err := filepath.Glob("../../testdata/*/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range append(files, "testdata/full.yaml", reference) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		check(file, string(text))
	}
	// All keys of the reference, without their #, are keys of the schema.
	text, err := os.ReadFile(reference)
	require.NoError(t, err)
	for _, line := range regexp.MustCompile(`(?m)^ *#?([a-z_]+):`).FindAllSubmatch(text, -1) {
		require.Contains(t, readFile(t, schemaFile), `"`+string(line[1])+`": {`)
	}
}

func readFile(t *testing.T, name string) string {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// said matches messages that a schema could express: about keys, types, values and ranges.
var said = regexp.MustCompile(`unknown key|unknown value|: expected |must be (from|at least|greater)|must not be empty|needs at least one`)

// The schema rejects what the parser rejects, if a schema can express it.
func TestSchemaRefuses(t *testing.T) {
	s := schemaValidator(t)
	refused := 0
	for _, block := range strings.Split(readFile(t, "testdata/errors.txt"), "====\n") {
		yaml, messages, _ := strings.Cut(block, "=> ")
		root, problems := parseYAML([]byte(yaml))
		if len(problems) > 0 || !said.MatchString(messages) {
			continue
		}
		require.Error(t, s.Validate(plainOf(root)), "%s\n%s", yaml, messages)
		refused++
	}
	require.Greater(t, refused, 50)
}
