"""HTTP/1.1: parsing of requests, connections and their limits, and the loop that serves them."""
