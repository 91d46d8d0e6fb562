package main

import (
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	reference  = regexp.MustCompile(`<(a|link|script|img|iframe|source|use)\b[^>]*?\s(?:href|src)="([^"]*)"`)
	imported   = regexp.MustCompile(`(?:@import|url\()\s*["']?((?:https?:)?//[^"')\s]+)`)
	identifier = regexp.MustCompile(`\s(?:id|name)="([^"]*)"`)
	canonical  = regexp.MustCompile(`<link[^>]*\srel="(?:canonical|search|next|prev|index|genindex)"`)
	scripts    = regexp.MustCompile(`(?s)<script\b[^>]*>.*?</script>`)
)

// site is what a browser finds: the anchors of pages, and all files.
type site struct {
	files   map[string]bool
	anchors map[string]map[string]bool
}

// check follows the links of all pages.
func check(folder string) error {
	s, pages, err := readSite(folder)
	if err != nil {
		return err
	}
	if len(pages) == 0 {
		return fmt.Errorf("%s has no pages", folder)
	}
	var wrong []string
	links := 0
	for name, text := range pages {
		for _, loaded := range imported.FindAllStringSubmatch(text, -1) {
			wrong = append(wrong, fmt.Sprintf("%s loads %s from another host", name, loaded[1]))
		}
		if path.Ext(name) != ".html" {
			continue
		}
		for _, found := range reference.FindAllStringSubmatch(text, -1) {
			links++
			if fault := s.fault(name, found[0], found[1], html.UnescapeString(found[2])); fault != "" {
				wrong = append(wrong, name+" "+fault)
			}
		}
	}
	slices.Sort(wrong)
	if wrong != nil {
		return errors.New(strings.Join(slices.Compact(wrong), "\n"))
	}
	fmt.Printf("%d pages and style sheets, %d links: all lead somewhere, and nothing is loaded from other hosts\n", len(pages), links)
	return nil
}

// readSite reads pages and style sheets, pages without the text of their scripts.
func readSite(folder string) (s site, pages map[string]string, err error) {
	s = site{files: map[string]bool{}, anchors: map[string]map[string]bool{}}
	pages = map[string]string{}
	err = filepath.WalkDir(folder, func(file string, at fs.DirEntry, err error) error {
		if err != nil || at.IsDir() {
			return err
		}
		name := relative(folder, file)
		s.files[name] = true
		if ext := path.Ext(name); ext != ".html" && ext != ".css" {
			return nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text := string(data)
		s.anchors[name] = map[string]bool{"": true}
		for _, id := range identifier.FindAllStringSubmatch(text, -1) {
			s.anchors[name][html.UnescapeString(id[1])] = true
		}
		pages[name] = scripts.ReplaceAllStringFunc(text, func(script string) string { return script[:strings.Index(script, ">")+1] })
		return nil
	})
	return s, pages, err
}

// fault says what is wrong with a link of a page, or "".
func (s site) fault(page, tag, element, link string) string {
	to, err := url.Parse(link)
	switch {
	case err != nil:
		return "links to " + link + ", which is no address"
	case to.Host != "" && element != "a" && !canonical.MatchString(tag):
		return "loads " + link + " from another host"
	case to.Scheme != "" || to.Host != "":
		return ""
	}
	file := page
	if to.Path != "" {
		file = path.Join(path.Dir(page), to.Path)
	}
	switch {
	case !s.files[file]:
		return "links to " + link + ", which is not there"
	case s.anchors[file] != nil && !s.anchors[file][to.Fragment]:
		return "links to " + link + ", which has no such anchor"
	}
	return ""
}
