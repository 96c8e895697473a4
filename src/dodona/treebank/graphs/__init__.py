"""Enhanced dependencies: graphs, and how a parser without crossing arcs and cycles sees them."""
