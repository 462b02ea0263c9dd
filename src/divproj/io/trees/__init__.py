"""Formats of trees, forests and word links, one module a format.

Files come in; sentences, trees, forests or links come out, and the other way round.
"""
