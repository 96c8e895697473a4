"""The explorer: states of a transition system, the costs of actions, and unreachable arcs."""
