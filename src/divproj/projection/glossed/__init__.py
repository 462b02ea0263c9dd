"""Trees for glossed text in any language (s6): a tagger and a parser over glosses, learned from treebanks of other languages.

Glossed words, links and a tree of the translation come in; a tree with tags and relations comes out.
"""
