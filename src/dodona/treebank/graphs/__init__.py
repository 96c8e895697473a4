"""Enhanced dependencies: graphs, and their transformation for parsers."""
