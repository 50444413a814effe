"""The Django admin: one file a noun, every class a few lines; what is written goes through actions."""

from campaigns.admin import accounts, archive, campaigns, runs, site

__all__ = ["accounts", "archive", "campaigns", "runs", "site"]
