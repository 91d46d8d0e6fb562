//go:build browser

// Package browser starts the browser in which tests open pages, and has the rules of accessibility.
package browser

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Start returns the context of a headless browser, which ends with the test.
func Start(t *testing.T) context.Context {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.WindowSize(1300, 900))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx))
	return ctx
}

// axeSum is the digest of axe.min.js 4.10.2.
const axeSum = "880970c081707360e64f34cea25ff91892f5bc95675b0776925b9709dd8a68bb"

// Scripts whose values list the rules of accessibility that the page breaks, once [Axe] has run in it: all rules, and the rule
// about colours, which alone can differ in the dark.
const (
	Violations = "axe.run(document, {preload: false})" + listed
	Contrast   = "axe.run(document, {preload: false, runOnly: ['color-contrast']})" + listed

	listed = ".then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 200) + ' ' + n.any.map(a => a.message)).slice(0, 3).join('; ')))"
)

// Axe returns axe-core, which make test-browser downloads into the repository that begins at root.
func Axe(t *testing.T, root string) string {
	path, err := os.ReadFile(filepath.Join(root, "bin/axe.classpath"))
	require.NoError(t, err, "run make test-browser, which gets axe-core")
	jar, err := zip.OpenReader(strings.TrimSpace(string(path)))
	require.NoError(t, err)
	defer jar.Close()
	f, err := jar.Open("axe.min.js")
	require.NoError(t, err)
	script, err := io.ReadAll(f)
	require.NoError(t, err)
	require.Equal(t, axeSum, fmt.Sprintf("%x", sha256.Sum256(script)))
	return string(script)
}
