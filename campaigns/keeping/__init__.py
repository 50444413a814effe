"""Keeping the archive whole: digests of all that it holds, backups, and the way from one database to another."""
