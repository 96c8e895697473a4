"""Online training of linear parsers with oracles, and rollouts for networks in training."""
