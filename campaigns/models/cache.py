from __future__ import annotations

from django.db import models


class CacheRow(models.Model):
    """The table of Django's database cache, made by `migrate` like every other.

    What all processes must count together (attempts to sign in) lives here. Only the cache reads and writes it; the
    columns are those that `createcachetable` would make.
    """

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "notarius_cache"

    def __str__(self) -> str:
        return self.cache_key
