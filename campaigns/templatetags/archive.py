"""The admin's shared cells, for templates."""

from __future__ import annotations

from django import template

from campaigns.admin import columns

register = template.Library()
register.filter("state_label", columns.state_label)
register.filter("failure", columns.failure)
