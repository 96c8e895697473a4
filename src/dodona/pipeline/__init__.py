"""All that leads from text to trees, trained together."""
