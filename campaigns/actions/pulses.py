"""Signs of life of supervisors and their task clusters."""

from __future__ import annotations

from datetime import datetime, timedelta

from campaigns.models import WorkerPulse

SUPERVISOR, CLUSTER, PURGE = "supervisor", "cluster", "purge"
# A supervisor stamps every few seconds; one that is silent for so long is gone.
ALIVE = timedelta(seconds=30)
KEPT = timedelta(days=1)


def stamp(*, kind: str, name: str, at: datetime) -> None:
    """Note that the supervisor, or its cluster, was alive."""
    WorkerPulse.objects.bulk_create(
        [WorkerPulse(name=f"{kind} {name}", seen_at=at)],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["seen_at"],
    )


def last(*, kind: str, name: str) -> datetime | None:
    """Return when it was last seen alive."""
    return WorkerPulse.objects.filter(name=f"{kind} {name}").values_list("seen_at", flat=True).first()


def any_supervisor(*, at: datetime, but: str = "") -> bool:
    """Return whether a supervisor, other than the named one, was alive just now."""
    live = WorkerPulse.objects.filter(name__startswith=f"{SUPERVISOR} ", seen_at__gte=at - ALIVE)
    return live.exclude(name=f"{SUPERVISOR} {but}").exists()


def forget(*, name: str) -> None:
    """Remove the signs of a supervisor that ends."""
    WorkerPulse.objects.filter(name__in=[f"{SUPERVISOR} {name}", f"{CLUSTER} {name}"]).delete()


def forget_old(*, at: datetime) -> None:
    """Remove what supervisors left behind that never came to an orderly end."""
    WorkerPulse.objects.filter(seen_at__lt=at - KEPT).delete()
