"""What at least two families do in exactly the same way."""
