// Site writes the sources of the documentation's site, and checks the site that Sphinx builds of them; make docs runs both.
//
//	go run ./internal/release/site write SOURCES
//	go run ./internal/release/site check SITE
//
// Write copies the pages of docs, and the README as the first, and adds a page for each metric, from the catalogue and from
// the cases that tests compare it with; llms.txt, which lists the pages for language models; and the formulas of metrics as
// MathML. It runs in the root of the repository.
//
// Check follows every link within the site, with its anchor, and reports what a page would load from other hosts.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	if err := command(os.Args[1:]); err != nil {
		log.Fatalf("site: %v", err)
	}
}

func command(arguments []string) error {
	if len(arguments) != 2 {
		return errors.New("expected: write SOURCES, or check SITE")
	}
	switch folder := arguments[1]; arguments[0] {
	case "write":
		return write(folder)
	case "check":
		return check(folder)
	}
	return fmt.Errorf("unknown command %q; expected write or check", arguments[0])
}

// write writes the sources of all pages into a folder.
func write(folder string) error {
	index, err := readIndex()
	if err != nil {
		return err
	}
	about, err := readConventions()
	if err != nil {
		return err
	}
	cases, err := readCases("testdata/golden")
	if err != nil {
		return err
	}
	documented, found := documentedMetrics(), byMetric(cases)
	pages, err := repositoryPages(index, documented)
	if err != nil {
		return err
	}
	for _, m := range documented {
		pages[m.page()] = m.text(about, found[m.name])
	}
	pages["metric/index.md"] = metricIndex(documented)
	pages["samples.md"] = samplesPage
	pages["llms.txt"] = llms(index, documented)
	if pages[formulasFile], err = formulasOf(documented); err != nil {
		return err
	}
	for name, text := range pages {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			return err
		}
	}
	fmt.Printf("%d pages, %d of them of metrics\n", len(pages)-2, len(documented))
	return copyFiles(folder, "docs/*.png", "docs/*.svg", "docs/*.yaml", "docs/*.json", "docs/*.ipynb")
}

// copyFiles copies what pages show or link to.
func copyFiles(folder string, patterns ...string) error {
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(folder, filepath.Base(file)), data, 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}
