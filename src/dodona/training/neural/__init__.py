"""Training the neural scorer, with JAX: an extra (`pip install dodona[neural]`)."""
