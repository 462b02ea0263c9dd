"""Correct projected trees in a browser, and learn from the corrections.

`proj review FILE` serves a page on 127.0.0.1 on which a person corrects the trees of a CoNLL-U file. Every change is written
to a journal, and the file that comes out differs from the one that went in by these changes alone. Modules: `document` (the
file as bytes, the journal, saving), `edits` (columns, words and sentences of CoNLL-U changed), `session` (what a person may do,
undo), `learning` (new trees from gold ones), `server` and `http` (the page), `workbench` (a page for a whole folder).
"""
