"""What happens to hostile creatures: they appear, are hurt, healed, hindered, flee, surrender, fall."""
