"""How Sphinx makes the site of the documentation; make docs calls it."""

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
