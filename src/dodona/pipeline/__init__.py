"""Training of all that turns raw text into trees."""
