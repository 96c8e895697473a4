"""What tags and relations mean, and the stop words of languages."""
