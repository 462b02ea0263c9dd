"""Grammar induction: binary trees over tags, from one language alone (CCM) or from bitext (Snyder et al. 2009).

Tag sequences and word links come in; bracketings, charts and a model of each language go out. No gold tree is needed.
"""
