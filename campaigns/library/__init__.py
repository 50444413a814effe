"""What is shown of a campaign, to whom: the one place that decides it. Reads only."""
