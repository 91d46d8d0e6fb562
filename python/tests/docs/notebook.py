"""Executes a notebook, and writes the pages that its cells show to a page: notebook.py NOTEBOOK PAGE."""

import pathlib
import sys

import nbclient
import nbformat

notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=300).execute()
shown = [output.data["text/html"] for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]
pathlib.Path(sys.argv[2]).write_text("<!doctype html><title>Notebook</title>\n" + "\n".join(shown), encoding="utf-8")
