"""Checkpoints on rows of the session."""

from __future__ import annotations

from campaigns.adapters.progress import LaneRecord
from campaigns.models import Checkpoint


class SessionCheckpoints:
    """A CheckpointStore. A checkpoint once written serves every later lane of the session with the same key."""

    def __init__(self, session_id: int, record: LaneRecord) -> None:
        self._session_id, self._record = session_id, record

    def get(self, key: str) -> bytes | None:
        found = Checkpoint.objects.filter(session_id=self._session_id, key=key).values_list("value", flat=True).first()
        return None if found is None else bytes(found)

    def put(self, key: str, value: bytes) -> None:
        """Keep the value in place of an older one, and write what the lane has pending in the same transaction.

        Raises LeaseLost, with nothing written, when another worker holds the lane now.
        """
        with self._record.writing():
            Checkpoint.objects.bulk_create(
                [Checkpoint(session_id=self._session_id, key=key, value=value)],
                update_conflicts=True,
                unique_fields=("session", "key"),
                update_fields=("value",),
            )
