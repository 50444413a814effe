"""Source documents and everything that is known of order, ranges and windows in them."""
