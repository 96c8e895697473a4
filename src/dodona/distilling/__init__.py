"""TagInventory distillation: teachers annotate raw text, a small student learns from it."""
