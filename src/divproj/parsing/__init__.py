"""Parsing: trees from words and tags, and from what a projection says of them.

Sentences come in as columns of words, tags and edge codes (`columns`), are hashed to atoms once (`atoms`) and go through
array kernels (`features`, `decode`, `marginals`, `labels`, `learn`); `parser.MstParser` is the face of it all.
"""
