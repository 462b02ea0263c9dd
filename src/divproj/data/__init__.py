"""Values without input or output: sentences, trees, links, pairs, interlinear text, errors.

Everything may come in here and nothing of the other rooms does; arrays for kernels are built from these values.
"""
