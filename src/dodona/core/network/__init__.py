"""The neural scorer: words in their context, and the slots of a state."""
