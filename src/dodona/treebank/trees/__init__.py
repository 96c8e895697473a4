"""Trees: projectivity, pseudo-projective parsing, and the rules of Universal Dependencies."""
