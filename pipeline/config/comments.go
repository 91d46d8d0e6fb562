package config

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
)

// sources are the files that define the types of the configuration. Users read the comments of
// their fields.
//
//go:embed config.go gates.go groups.go monitor.go search.go slices.go worst.go
var sources embed.FS

// comments returns the description of each key for users: the first paragraph of the comment of its
// field, by the Go name of the field.
func comments() map[string]string {
	all := make(map[string]string)
	commentsOfRoles(all)
	for _, f := range must(sources.ReadDir(".")) {
		text := must(sources.ReadFile(f.Name()))
		file := must(parser.ParseFile(token.NewFileSet(), f.Name(), text, parser.ParseComments|parser.SkipObjectResolution))
		ast.Inspect(file, func(n ast.Node) bool {
			if t, ok := n.(*ast.TypeSpec); ok {
				addComments(all, t)
			}
			return true
		})
	}
	return all
}

// must returns the result of a function that fails only if the package's own files, which were
// compiled, are damaged.
func must[T any](result T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("the package's own files: %v", err))
	}
	return result
}

func addComments(all map[string]string, t *ast.TypeSpec) {
	of, ok := t.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range of.Fields.List {
		first, _, _ := strings.Cut(field.Doc.Text(), "\n\n")
		for _, name := range field.Names {
			all[t.Name.Name+"."+name.Name] = strings.Join(strings.Fields(first), " ")
		}
	}
}

// facts describes what the tags of a key define: its valid values and its default.
func (k key) facts() string {
	var all []string
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	within := ""
	if tag := k.tag.Get("range"); tag != "" {
		within = ", " + parseInterval(tag).String()
	}
	_, own := k.value.Addr().Interface().(decodable)
	switch of := k.value.Type(); {
	case k.values() != nil:
		add("%s.", strings.Join(k.values(), " | "))
	case own:
	case of.Kind() == reflect.Bool:
		add("true | false.")
	case of.Kind() == reflect.Int:
		add("A whole number%s.", within)
	case of.Kind() == reflect.Float64:
		add("A number%s.", within)
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Int:
		add("Whole numbers%s.", within)
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Float64:
		add("Numbers%s.", within)
	}
	if tasks, listed := k.tasks("tasks"); listed {
		add("Only for task %s.", oneOf(tasks))
	}
	if text, ok := k.tag.Lookup("default"); ok {
		add("Default: %s.", text)
	}
	return strings.Join(all, " ")
}
