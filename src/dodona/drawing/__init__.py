"""Trees and graphs for the eye: SVG, HTML pages, and lines of text in a terminal."""
