"""The Django admin: one file a noun, every class a few lines; what is written goes through actions."""

from campaigns.admin import archive, campaigns, runs, site

__all__ = ["archive", "campaigns", "runs", "site"]
