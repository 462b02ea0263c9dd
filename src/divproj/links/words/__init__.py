"""Word alignment from raw bitext: IBM-1 and HMM by EM, a Bayesian model with fertility by sampling, in both directions.

Tokenised sentence pairs (and what is known beforehand) come in, links with probabilities go out.
"""
