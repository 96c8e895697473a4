"""Trees: projectivity, and crossing arcs for projective parsers."""
