"""Measurements of Notarius beside the ideal and beside itself; nothing here passes or fails (`make bench`)."""
