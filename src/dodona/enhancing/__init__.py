"""Enhanced graphs from trees: candidate arcs along paths of the tree, chosen by a linear model."""
