"""The bridge: phrases of the two languages, aligned, tell projection where words belong.

Comes in: `projection.s1.ProjectionInput`s without any F tree. Goes out: projections (`PhraseProjector`, system s5), better links, better
E trees, codes for the parser (s5+), votes of several sources. Kernels (`chart`) know arrays only.
"""
