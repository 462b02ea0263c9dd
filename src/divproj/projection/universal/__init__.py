"""Trees for glossed text in any language: a tagger and a parser over glosses, learned from treebanks of other languages.

Comes in: `direct.ProjectionInput`s with glosses, the translation's tree and links. Goes out: projections (`projector.Universal`, system s6), tags
and scores of edges for the chart of s5. The model is the folder `languages/glossed`; `training` learns it, never from F forms.
"""
