"""Weights, thresholds and shares of the systems that are set by hand, system by system.

Each has a sentence below it: what it is, its unit, and where it was chosen. Where that is not said, it was set when the code was
written and no table records a search.
The same values hold for every language; nothing here is learned from trees of F.
"""

from __future__ import annotations

from typing import Any

# Which system
ENOUGH_GOLD = 20
"""Gold sentences from which a parser learns more than rules do: below, s2+ is the safer choice (learning curves of ODIN)."""
ENOUGH_GLOSSED_GOLD = 5
"""The same on glossed text, where parsers start from s6; chosen on draws 2 and 3 of 17 treebanks (bench/RESULTS.md)."""

# Correction rules (s2-1 to s2-3) and the log-linear system (s2+)
MIN_SENTENCES, MIN_SHARE = 0.10, 0.70
"""A swap rule is kept when its pair of tags is in so many training sentences, and swapped so often (§3.5.3)."""
PENALTY = 2.0
"""Of the squared weights (L2); where it was chosen is not recorded."""
NEGLIGIBLE = 0.001
"""Weights of features below this are not kept: they choose no other head."""
ITERATIONS = 60
"""Steps of L-BFGS at most."""
MIN_COUNT = 2
"""Words of training data in which a feature must occur."""
JACKKNIFE_PARTS = 5
"""Parts of the training sentences; which roots are likely in one is learned from the others."""
CHANCE_BINS = (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.97)
"""Borders of the bins into which probabilities are put, for features."""

# Parser systems (s4+, s5+)
TRAINING_PARTS, FEWER_PARTS_FROM = 10, 300
"""Parts of the training sentences that s2+ projects in turn, learning from the others; half as many from `FEWER_PARTS_FROM` sentences on."""
PARSER_ORDERS = (2, 3, 2, 3)
"""Parsers of s4+, which also differ in the order of their sentences."""
PHRASE_VOTE, WORSE = 0.25, 0.1
"""Votes of the phrase aligner in s5+, where s2+ has one: fewer the worse its trees are than those of s2+, none from `WORSE` on."""

FULL_VOTE = 20
"""Gold trees from which the parsers of s4+ and s5+ have their whole vote beside s6+; with fewer, as much less. At 5 trees a whole vote lost up to 5 points."""
NAMER: dict[str, Any] = {"order": 1, "epochs": 1, "bits": 12}
"""The parser whose relations s4+ and s5+ may take on glossed text; its edges are not asked for."""

# Phrasal projection (s5)
GIVEN_LINKS = {
    "mother": 0.0, "out": -0.6, "same": 0.0, "above": -5.0, "sister": -5.0, "kid": -6.0, "far": -7.5,
    "loose": -6.0, "gap": -3.0, "top": 0.0, "top-out": -0.6, "root": -7.5,
}  # fmt: skip
"""Log weights of the relation of two paired phrases, by relation, for words whose links came with the text; set once by hand, see `Weights`."""
INDUCED_LINKS = {
    "mother": 0.0, "out": -0.6, "same": 0.0, "above": -4.0, "sister": -3.5, "kid": -4.5, "far": -5.0,
    "loose": -5.0, "gap": -3.0, "top": 0.0, "top-out": -0.6, "root": -6.5,
}  # fmt: skip
"""The same for words whose links the observed text suggests: what departs from E's tree costs less."""
UNLINKED_WORDS = {"mother": 0.0, "loose": -2.5, "root": -4.0}
"""The same for words without a link."""
OBSERVING_ROUNDS = 4
"""Passes over a text in which links for unlinked words and word order are learned from each other."""
PARSE_SHARE = 0.5
"""How much the parser's probabilities count against the alignment where E has a forest."""
SURE_LINK = 0.3
"""Probability from which a link found for an unlinked word counts."""
POSSIBLE_LINK = 0.1
"""Probability from which a link is kept in mind, for phrases to confirm."""
WORD_TRUST, TAG_TRUST, DISTANCE_TRUST = 12.0, 20.0, 20.0
"""Pseudo-counts with which the heads that a word chooses are drawn to those of its tag, those of a tag to those of all words, and the distances
of a word's heads to those of all."""
DISTANCE_COUNT = 0.1
"""Pseudo-count of each distance, over all words."""
UNKNOWN_EDGE = 0.01
"""Probability of an edge that a forest or a model does not know."""
EVIDENCE_SHARE = 1.0
"""What the logarithm of such a probability counts beside the weights of the chart."""
CROSSED_BORDER = 0.1
"""Cost of each phrase border that an edge crosses, where phrases do not know their heads."""
PAIR_SHARE = 1.0
"""What the logarithm of a head's probability counts beside the weights of the chart; not tuned."""
BARE_PAIR_SHARE = 0.02
"""The same where no tree or forest of F vouches for its phrases: the chart of s5 weighs all bracketings by itself, so that the pairs
only break ties (bench/RESULTS.md)."""
UNKNOWN_PAIR = 0.5
"""Probability of a pair that comes without one."""
OTHER_HEAD = 0.05
"""Probability that a word heads a phrase of which another word is known to be the head."""
LEAST_TREES = 20
"""Trees from which a parser is worth learning."""
F_PARSER_EPOCHS = 5
"""Passes over the trees in learning that parser."""
SAME_STYLE = 0.7
"""Share of heads from which the language's parser has the style of E's trees; two parsers of one style agree in 0.85 and more."""
COMMON_WORDS = 0.7
"""Share of F's words that E must have, too: the language of a text that no table knows is sometimes taken for another.
Edinburgh's paraphrases have 0.82 to 0.92, Naija beside English 0.65, other languages less than 0.12."""
USUAL_CONFIDENCE = 0.6
"""Confidence of an edge whose system does not say how sure it is."""
UNLINKED_VOTE = 0.5
"""What the vote of a word without a link counts, where that of a linked one counts 1."""

# Glossed text (s6, s6+)
CAPITALS = 0.7
"""Share of glosses in capitals from which all capitals of a text mean nothing."""
LOWEST_LOG = 6.0
"""Logarithms of s5's probabilities down to minus this are distinguished."""
EDGE_BINS = (0.005, 0.02, 0.06, 0.15, 0.3, 0.45, 0.6, 0.75, 0.88, 0.96)
"""Borders of the bins into which probabilities of edges are put."""
ORDER_BINS = (0.1, 0.25, 0.4, 0.6, 0.75, 0.9)
"""Borders of the bins into which shares of word orders are put."""
SMALL_WEIGHT = 2e-3
"""Weights nearer to zero are left out."""
GLOSS_PARSER_SHARE = 0.7
"""What the gloss parser's logarithm counts in the chart of s5, where the chart's own weights count 1; the only value tried."""
ATTACHMENT_SHARE = 1.0
"""What the logarithm of an attachment's probability by other languages counts in the chart of s5 as users ask for it; 0.7 did less on
four banks with and without glosses."""
UD_SHARE = 0.9
"""Share of E's relations that are UD's from which its trees are taken for UD; the only value tried."""
PHRASAL_VOTE = 0.05
"""Vote of s5 beside the linked model, which sees s5 already. Not tuned: 0.15 and 0.3 did worse than none."""
LINEAR_SHARE = 0.45
"""What the linear models count beside the networks, in tags, edges and relations; of 0, 0.15, 0.3 and 0.45, chosen with Chadic, Sinitic,
Chibchan, Athabaskan, Uto-Aztecan, Turkic and Uralic banks held out."""
NEAR_SHARE = 0.25
"""What the log ratio of near treebanks to all counts beside the logarithm of an edge's probability."""
NEAR_TEMPERATURE = 0.03
"""Mean squared difference of two word orders (sides from -1 to 1) that divides the weight of a treebank by e."""
NEAR_TRUST, NEAR_COUNT = 50.0, 0.5
"""Pseudo-counts with which attachments in near treebanks are drawn to those in all, and those in all to even. Share (0.15 to 0.8), temperature (0.01
to 0.2) and trust (5 to 300) chosen with Chadic, Sinitic, Chibchan, Athabaskan, Uto-Aztecan, Turkic and Uralic banks held out."""
NEAR_EVIDENCE = 1.0
"""Evidence (logarithms of counts, added up over relations) at which half of the difference of two word orders counts; the only value tried."""
GIVEN_TAG = 0.98
"""Probability of a tag that the user has given."""
LABEL_TRUST = 0.95
"""Probability that a word has one of the tags that its part-of-speech label allows; set by hand, not tuned."""
KNOWN_LABELS = 0.5
"""Share of the part-of-speech labels of a text that must be known for any of them to be used; set by hand, not tuned."""
PUNCTUATION_HEAD = 0.8
"""Confidence of the head that the rule for punctuation gives."""
NOT_READ = -10.0
"""Log weight of a head that the gloss parser does not see."""
TAGGER_STEPS: dict[str, Any] = {"passes": 4, "rate": 0.06, "decay": 3e-2}
"""Passes, step and decay of the step in learning the tagger."""
EDGE_STEPS: dict[str, Any] = {"passes": 3, "rate": 0.015, "decay": 0.1}
"""Passes, step and decay of the step in learning the edges."""
RELATION_STEPS: dict[str, Any] = {"passes": 4, "rate": 0.06, "decay": 3e-2}
"""How the models learn; tags and edges chosen with five groups of families held out, relations as tags."""
FULL_WORDS = 1000
"""Words of a bank from which each further word counts less: none must drown the rest."""
CORRECTION_PENALTY = 6.0
"""Of the weights; s2+, which has no prior, has 2."""
FEW_TREES = 10
"""So many gold trees double the penalty, half as many treble it; chosen after a look at 15 and 40 for 5 and 20 trees."""
LEAST_HEAD = 0.02
"""Probability from which a head that s6 weighs is a candidate."""
HEAD_FLOOR = 1e-3
"""Probability that a candidate has at least before anything is learned."""
KNOWN_FORMS, KNOWN_SHARE = 2, 0.8
"""Gold words of a form, and the share of them, that make its tag or relation usual."""
CORRECTION_FOLDS = 5
"""Parts of the gold trees that are judged by what the others teach."""
TRIED_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Parts of the learned weights that are tried; 0 is s6."""
TRIED_TIMES = (1, 2, 3, 5, 10)
"""How often a form was seen: values that are tried for its tag and its relation to count."""

# Confidences and expected accuracy
SURE_GUESS = 0.5
"""Probability from which a head is no guess; and the most that a guess of a sentence without links may have."""
CLIP = 0.9995
"""Probabilities are taken to lie between this and its complement."""
KNOTS = (-1.0, 1.0, 3.0, 5.0)
"""Log odds at which the slope of the map may change."""
STRENGTH = 0.005
"""Inverse strength of the fit's penalty on standardised features; of 0.05, 0.005 and 0.0005 the one with the best likelihood on families held out."""
SAMPLES = 60
"""Samples with replacement behind an error."""
WIDE_ERROR = 0.15
"""Standard error of a share that one sentence or none speaks for."""
RECALIBRATION = (0.25, 4.0)
"""Penalties that draw the shift and the slope of a recalibration from gold sentences to 0 and 1."""
