"""Combat turns: who did what in a fight, in the order it was played."""
