"""Which columns of an edge make features together (`edges.Edges.columns`)."""

from __future__ import annotations

PLAIN = tuple(
    """
side c_tag
far
c_tag h_tag side
c_tag h_tag far
c_tag far
h_tag far
c_tags h_tags side
c_tags far
h_tags side
c_gram h_tag side
c_gram far
c_gram c_tag side
h_gram c_tag side
c_kind h_tag far
c_kind h_kind side
c_kind far c-
c_kind far c+
h_kind c_tag side
c_case h_tag side
c_case c_tag h_tag far
c_case c_tag h_verbal side
h_case c_case side
h_case c_tag h_tag side
c_verbal c_tag h_tag side
c_verbal h_verbal c_tag h_tag
h_verbal c_tag edge side
c_tam h_tam side
c_tam c_tag h_tag h_tam side
c_person c_tag h_tag side
h_person c_tag side
c_stem side
c_stem far
c_stem h_tag side
h_stem c_tag side
c_stem h_stem
c_shape h_shape side
c_shape h_shape far
c_shape h_tag
c_tag h_tag c- side
c_tag h_tag c+ side
c_tag h_tag h- side
c_tag h_tag h+ side
c_tag h_tag c- c+ far
c_tag h_tag h- h+ side
c_tag h_tag c+ h- far
c_tag h_tag c- h+ far
c_kind h_tag h- h+ side
c_tag h_tag nouns verbs side
c_kind nouns verbs side
c_tag nouns verbs far
c_tag h_tag marks side
c_tag h_tag marks nouns verbs
c_kind marks side
c_tag h_tag place edge
c_kind h_kind place edge
c_tag place size side
c_tag c_verbal place side
c_tam place edge side
c_tag verbs side place
order
order side
order far
order c_tag h_tag
order c_kind h_tag
order c_tag h_tag far
order nouns verbs
bits c_tag h_tag side
vo c_tag h_tag side
vo c_tag h_tag far
vo c_kind h_tag side
vo c_tag place side
vo c_tag h_tag edge
vo c_tag h_tag nouns verbs side
vo c_case h_tag side
po c_tag h_tag side
po c_kind h_tag far
na c_tag h_tag side
vo po c_kind far
""".strip().split("\n")
)
"""Without the translation."""

LINKED = tuple(
    """
code
code side
code far
code c_tag h_tag
code c_tag h_tag side
code c_link h_link
code c_link h_link c_tag h_tag
code c_e_rel
code c_e_rel h_tag
code c_e_rel h_tag side
code c_e_rel h_e_rel
code c_e_rel h_e_rel side
code c_kind h_tag
code c_kind h_kind
code c_gram
code c_shape h_shape
code c_stem
code order
code nouns verbs
code marks far
code vo side c_tag
c_e_tag h_e_tag side
c_e_tag h_e_tag far
c_e_rel h_e_rel far
c_e_rel h_tag side
c_e_rel c_tag h_tag side
c_link h_link far
c_link c_kind far
c_e_rel place side
p5
p5 p5rank
p5 p5rank code
p5 code c_tag h_tag
p5 c_tag h_tag
p5 c_kind
p5 c_gram
p5 far
p5 code far
p5 order
p5 c_link h_link
p5 vo c_tag
p5rank c_tag h_tag side
p5rank c_kind h_kind
p5rank c_e_rel
p5rank nouns verbs
p5rank marks
p5 size
p5rank p5 h_kind
pa
pa p5
pa p5 code
pa p5 c_tag
pa p5 c_link
parank p5rank code
parank p5rank c_tag h_tag
parank p5rank far
pa p5rank c_kind
""".strip().split("\n")
)
"""With the translation's tree, what s5 believes (`p5`) and what the model without translation believes (`pa`)."""
