"""How well artifacts agree with a gold label file. Nothing that extracts may import this."""
