package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// repository is where links to what is not a page lead.
const repository = "https://github.com/beameval/beameval/blob/main/"

// samplesPage lists the reports that make docs evaluates. Links in HTML are not looked for among the sources.
const samplesPage = `# Sample reports

These pages are what beameval writes, of data in the repository and of data made up. Each is one file that loads nothing else.

| page | what it is |
|---|---|
| <a href="samples/gate.html">Binary</a> | tumours; a gate failed |
| <a href="samples/digits.html">Multiclass</a> | handwritten digits |
| <a href="samples/sets.html">Multiclass, with prediction sets</a> | invented animals by day and night |
| <a href="samples/digits_attributes.html">Multilabel</a> | attributes of digits |
| <a href="samples/digits_retrieval.html">Ranking</a> | retrieval of digits |
| <a href="samples/diabetes.html">Regression</a> | progression of diabetes |
| <a href="samples/preference.html">Preference</a> | invented votes between six systems |
| <a href="samples/grade.html">Grade</a> | attempts of an agent at problems, made up |
| <a href="samples/comparison.html">Comparison</a> | two models of handwritten digits |
| <a href="samples/monitor.html">Monitor</a> | 40 nights of a model that decays in one country |
`

// section is a part of the index of the documentation.
type section struct {
	title string
	pages []page
}

type page struct {
	file, title, about string // the file is relative to docs
}

var rowOfIndex = regexp.MustCompile(`(?m)^\| (\[.*?) \| (.*) \|$`)

var linkOfIndex = regexp.MustCompile(`\[([^\]]*)\]\(([^)]*)\)`)

// readIndex reads docs/README.md: a table for each section.
func readIndex() (index []section, err error) {
	text, err := os.ReadFile("docs/README.md")
	if err != nil {
		return nil, err
	}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		title, _, _ := strings.Cut(part, "\n")
		s := section{title: title}
		for _, row := range rowOfIndex.FindAllStringSubmatch(part, -1) {
			for i, link := range linkOfIndex.FindAllStringSubmatch(row[1]+row[2], -1) {
				about := ""
				if i == 0 {
					about = plain(row[2])
				}
				if name := link[2]; isPage(name) && !s.has(name) {
					s.pages = append(s.pages, page{name, link[1], about})
				}
			}
		}
		index = append(index, s)
	}
	if len(index) == 0 {
		return nil, fmt.Errorf("docs/README.md has no sections with tables of pages")
	}
	return index, nil
}

// isPage reports whether a link of docs/README.md leads to a page of docs as a whole.
func isPage(link string) bool {
	return strings.HasSuffix(link, ".md") && !strings.HasPrefix(link, "..")
}

func (s *section) has(file string) bool {
	for _, p := range s.pages {
		if p.file == file {
			return true
		}
	}
	return false
}

// plain returns a text without its links.
func plain(text string) string { return linkOfIndex.ReplaceAllString(text, "$1") }

// repositoryPages returns the pages of docs by their file in the sources, and the README as the first.
func repositoryPages(index []section, documented []documentedMetric) (map[string]string, error) {
	pages := map[string]string{}
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			name := source(filepath.ToSlash(file))
			pages[name] = linked(string(text), filepath.ToSlash(file))
			if strings.HasPrefix(name, "metrics/") {
				pages[name] = linkNames(pages[name], documented)
			}
		}
	}
	pages["index.md"] += trees(index)
	return pages, nil
}

// source returns the file in the sources of a file of the repository, or "" if it is none of them.
func source(file string) string {
	switch name, within := strings.CutPrefix(file, "docs/"); {
	case file == "README.md":
		return "index.md"
	case name == "search.md":
		return "worst_slices.md" // Sphinx has a page search of its own
	case within:
		return name
	}
	return ""
}

var target = regexp.MustCompile(`(\]\(|<img src=")([^)\s"]+)`)

// linked returns a text with links as the sources need them: to other sources, or to the repository.
func linked(text, file string) string {
	return target.ReplaceAllStringFunc(text, func(found string) string {
		parts := target.FindStringSubmatch(found)
		link, anchor, anchored := strings.Cut(parts[2], "#")
		if link == "" || strings.Contains(link, "://") {
			return found
		}
		to := path.Join(path.Dir(file), link)
		inSources := source(to)
		if inSources == "" || isFolder(to) {
			link = repository + to
		} else {
			link = relative(path.Dir(source(file)), inSources)
		}
		if anchored {
			link += "#" + anchor
		}
		return parts[1] + link
	})
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// relative returns the path to a file from a folder.
func relative(folder, file string) string {
	to, err := filepath.Rel(filepath.FromSlash(folder), filepath.FromSlash(file))
	if err != nil {
		return file // both are relative to the sources
	}
	return filepath.ToSlash(to)
}

// trees returns the contents of the site, for its sidebar.
func trees(index []section) string {
	var out strings.Builder
	write := func(title string, lines ...string) {
		fmt.Fprintf(&out, "\n```{toctree}\n:hidden:\n:caption: %s\n\n%s\n```\n", title, strings.Join(lines, "\n"))
	}
	for _, s := range index {
		var lines []string
		for _, p := range s.pages {
			lines = append(lines, fmt.Sprintf("%s <%s>", p.title, strings.TrimSuffix(source("docs/"+p.file), ".md")))
		}
		switch {
		case strings.HasPrefix(s.title, "Start"):
			lines = append(lines, "Sample reports <samples>")
		case strings.HasPrefix(s.title, "Understand"):
			lines = append(lines, "Every metric <metric/index>")
		}
		if len(lines) > 0 {
			write(s.title, lines...)
		}
	}
	write("All pages", "Documentation <README>")
	return out.String()
}

// llms returns the list of pages that language models look for, with the texts that the pages are made of.
func llms(index []section, documented []documentedMetric) string {
	var out strings.Builder
	fmt.Fprint(&out, "# beameval\n\n> beameval reads the predictions of a machine-learning model and writes a report: every metric, overall and for each slice, with\n"+
		"> confidence intervals, gates, comparisons of models, and a monitor of many nights.\n")
	for _, s := range index {
		if len(s.pages) == 0 {
			continue
		}
		fmt.Fprintf(&out, "\n## %s\n\n", s.title)
		for _, p := range s.pages {
			fmt.Fprintf(&out, "- [%s](_sources/%s.txt)", p.title, source("docs/"+p.file))
			if p.about != "" {
				fmt.Fprintf(&out, ": %s", p.about)
			}
			fmt.Fprintln(&out)
		}
	}
	fmt.Fprint(&out, "\n## Metrics\n\n")
	for _, m := range documented {
		fmt.Fprintf(&out, "- [%s](_sources/%s.txt): %s\n", m.name, m.page(), m.entries[0].about.Definition)
	}
	return out.String()
}
