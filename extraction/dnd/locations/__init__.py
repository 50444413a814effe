"""Location registry: the places of the story, where two places of one name are two."""
