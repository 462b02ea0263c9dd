"""Universal Dependencies: tags and relations, which go together, head styles, and the columns of CoNLL-U.

Trees and rows come in; rows that the UD validator accepts, or what is wrong with them, come out.
"""
