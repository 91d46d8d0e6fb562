package reporttest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/beameval/beameval/io/report"
)

// CheckPage parses a page after checking what every page must satisfy. It may have links to other pages.
func CheckPage(t *testing.T, data []byte, pages ...string) *html.Node {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(data))
	require.NoError(t, err)
	ids := map[string]bool{}
	var targets []string
	policy := ""
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		require.Contains(t, pageElements, n.Data)
		for _, a := range n.Attr {
			require.False(t, strings.HasPrefix(a.Key, "on") || slices.Contains([]string{"src", "style", "action", "srcdoc"}, a.Key), "%s=%q", a.Key, a.Val)
			if a.Key == "href" && !slices.Contains(pages, a.Val) {
				require.True(t, strings.HasPrefix(a.Val, "#"), "%q leaves the page", a.Val)
				targets = append(targets, a.Val[1:])
			}
			if a.Key == "id" {
				require.False(t, ids[a.Val], "two elements have the id %s", a.Val)
				ids[a.Val] = true
			}
			if a.Key == "content" && strings.Contains(a.Val, "default-src") {
				policy = a.Val
			}
		}
		allowed := n.DataAtom == atom.Style || n.DataAtom == atom.Script && attribute(n, "type") == ""
		if allowed {
			sum := sha256.Sum256([]byte(n.FirstChild.Data))
			require.Contains(t, policy, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'", "the policy forbids the %s", n.Data)
		}
		if n.Data == "svg" && attribute(n, "aria-hidden") == "" {
			require.NotNil(t, Find(n, "title"))
			require.NotNil(t, Find(n, "desc"))
		}
	}
	RequireAgreement(t, root)
	for _, id := range targets {
		require.True(t, ids[id], "no element has the id %s", id)
	}
	require.True(t, strings.HasPrefix(policy, "default-src 'none'; "))
	for _, c := range string(data) {
		require.False(t, c < ' ' && c != '\n' || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069, "the page has the character %U", c)
	}
	return root
}

// pageElements are the only elements that a page may have.
var pageElements = strings.Fields(`html head meta title style body header nav a main section footer span h1 h2 h3 p dl div dt dd small ul li figure figcaption details
	summary table thead tbody tr th td pre label select datalist output input script svg desc g path circle text option wbr`)

func Find(root *html.Node, name string) *html.Node {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == name {
			return n
		}
	}
	return nil
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func ByID(root *html.Node, id string) *html.Node {
	for n := range root.Descendants() {
		if attribute(n, "id") == id {
			return n
		}
	}
	return nil
}

func TextOf(n *html.Node) string {
	var b strings.Builder
	for n := range n.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// PageOf returns report.html, parsed and checked.
func PageOf(t *testing.T, r *report.Report) (root *html.Node, data []byte) {
	t.Helper()
	data = Write(t, r).Bytes(report.ReportHTML)
	return CheckPage(t, data), data
}
