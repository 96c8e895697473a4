"""What the packages of the core share: nodes, hashes, random numbers, the innermost loops."""
