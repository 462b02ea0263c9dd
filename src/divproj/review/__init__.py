"""Correcting projected trees in a browser, and learning from the corrections.

A CoNLL-U file comes in; a page on 127.0.0.1 shows it, a journal keeps every change, and the file goes out again with
nothing but the changes. `document` knows bytes, `session` trees and edits, `journal` the disk, `retrain` the learning.
"""
