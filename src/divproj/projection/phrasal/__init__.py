"""Projection by phrases (system s5): which bracketing of F fits the phrases of the E tree best.

Sentence pairs without any F tree come in (`ProjectionInput`); projections, more links, better E trees and, for the parser of
s5+, probabilities of edges come out. Kernels (`chart`) know arrays only.
"""
