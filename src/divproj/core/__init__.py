"""Values without files: sentences, trees, links, pairs, options and errors.

Nothing here reads or writes; every other package takes and returns these.
"""
