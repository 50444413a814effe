"""Item registry: the individual things of the story that the table tells apart."""
