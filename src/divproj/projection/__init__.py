"""Trees for F from trees of E through word links: plain projection, rules learned from gold, and a model that weighs them.

An E tree, links and F words come in; an F tree with the reason and the confidence of each edge goes out.
"""
