"""How Sphinx makes the site of the documentation; make docs calls it."""

import functools
import json
import pathlib

from docutils import nodes

project = "beameval"
author = "the authors of beameval"
extensions = ["myst_parser"]

# Pages are written for GitHub: its anchors of headings, and its images in HTML.
myst_heading_anchors = 6
myst_enable_extensions = ["html_image"]
highlight_language = "text"
suppress_warnings = ["misc.highlighting_failure"]  # an ellipsis in an example is no YAML

html_theme = "furo"  # with dark mode; it loads no fonts and scripts of other hosts
html_title = "beameval"
html_static_path = ["style.css"]
html_css_files = ["style.css"]
html_use_index = False
html_math_renderer = "drawn"

# What the theme and docutils write against the rules of accessibility, and what keeps them: captions are headings of no
# level, both sidebars are landmarks without a name, buttons are in no landmark, the search has no heading, tables without heads
# have empty ones, and code and tables that scroll have no focus.
MENDED = {
    ' role="heading">': ' role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="On this page">',
    '<div class="content-icon-container">': '<div class="content-icon-container" role="region" aria-label="This page">',
    '<div id="search-results">': '<h1>Search</h1><div id="search-results">',
    '<th class="head"><p></p></th>': "<td></td>",
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper ': '<div tabindex="0" class="table-wrapper ',
}


def mend(app, error):
    """Mends the pages once they are written."""
    for page in pathlib.Path(app.outdir).rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for written, mended in MENDED.items():
            text = text.replace(written, mended)
        page.write_text(text, encoding="utf-8")


def draw(translator, node):
    """Writes a formula as the MathML that the writer of the sources has drawn of it."""
    source = node.astext()
    focus = ' tabindex="0"' if len(source) > 35 else ""  # it may have to scroll
    translator.body.append(f'<span class="formula"{focus}>{drawn(translator.builder.srcdir)[source]}</span>')
    raise nodes.SkipNode


@functools.cache
def drawn(sources):
    return json.loads((pathlib.Path(sources) / "formulas.json").read_text(encoding="utf-8"))


def setup(app):
    app.add_html_math_renderer("drawn", inline_renderers=(draw, None))
    app.connect("build-finished", mend)
