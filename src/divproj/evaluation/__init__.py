"""Scores that carry their signature: trees, links, and whether one system really is better than another."""
