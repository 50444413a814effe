"""Where the session meets the items of its registry, and who gets, uses, gives, loses or breaks them."""
