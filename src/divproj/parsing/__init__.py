"""Parsing: taggers, lemmatisers and dependency parsers, and the language packs that hold one of each.

`language.Language` parses plain sentences. Its parser is a `parser.MstParser`, which learns from trees, or a network
(`network`). Sentences come in as `features.ParserInput`: words, tags, and codes of edges that a projection gives. The array
kernels are in `features`, `decode` and `learn`.
"""
