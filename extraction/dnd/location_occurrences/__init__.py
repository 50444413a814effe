"""Where the session meets the locations of its registry: the party arrives, is there, leaves, or speaks of them."""
