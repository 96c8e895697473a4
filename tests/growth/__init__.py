"""How the work of every operation grows with its input, adversarial inputs included."""
