"""Triggers that write down who wrote what under which token, and what must hold of it."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from django.db import connection

TABLE = """
CREATE TABLE soak_audit (
    id {key}, what varchar(20) NOT NULL, lane_id bigint NOT NULL, token varchar(32) NOT NULL,
    state varchar(10) NOT NULL, backend bigint NOT NULL
)
"""
SQLITE_TRIGGERS = """
CREATE TRIGGER soak_lane AFTER UPDATE ON campaigns_lanerun BEGIN
    INSERT INTO soak_audit (what, lane_id, token, state, backend) VALUES ('lane', NEW.id, NEW.token, NEW.state, 0);
END;
CREATE TRIGGER soak_exchange AFTER INSERT ON campaigns_exchange BEGIN
    INSERT INTO soak_audit (what, lane_id, token, state, backend)
    SELECT 'exchange', id, token, state, 0 FROM campaigns_lanerun WHERE id = NEW.lane_id;
END;
CREATE TRIGGER soak_version AFTER INSERT ON campaigns_artifactversion BEGIN
    INSERT INTO soak_audit (what, lane_id, token, state, backend)
    SELECT 'version', id, token, state, 0 FROM campaigns_lanerun WHERE id = NEW.lane_run_id;
END;
"""
POSTGRES_TRIGGERS = """
CREATE FUNCTION soak_lane() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO soak_audit (what, lane_id, token, state, backend)
    VALUES ('lane', NEW.id, NEW.token, NEW.state, pg_backend_pid());
    RETURN NULL;
END $$;
CREATE FUNCTION soak_of_lane() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO soak_audit (what, lane_id, token, state, backend)
    SELECT TG_ARGV[0], id, token, state, pg_backend_pid() FROM campaigns_lanerun
    WHERE id = (to_jsonb(NEW) ->> TG_ARGV[1])::bigint;
    RETURN NULL;
END $$;
CREATE TRIGGER soak_lane AFTER UPDATE ON campaigns_lanerun FOR EACH ROW EXECUTE FUNCTION soak_lane();
CREATE TRIGGER soak_exchange AFTER INSERT ON campaigns_exchange
    FOR EACH ROW EXECUTE FUNCTION soak_of_lane('exchange', 'lane_id');
CREATE TRIGGER soak_version AFTER INSERT ON campaigns_artifactversion
    FOR EACH ROW EXECUTE FUNCTION soak_of_lane('version', 'lane_run_id');
"""


def install() -> None:
    """Put table and triggers into the database."""
    postgres = connection.vendor == "postgresql"
    key = "bigserial PRIMARY KEY" if postgres else "integer PRIMARY KEY AUTOINCREMENT"
    with connection.cursor() as cursor:
        cursor.execute(TABLE.format(key=key))
        if postgres:
            cursor.execute(POSTGRES_TRIGGERS)
        else:
            for trigger in SQLITE_TRIGGERS.split("END;\n")[:-1]:
                cursor.execute(f"{trigger}END")


def claims(lane_ids: list[int]) -> int:
    """Return how often the lanes were claimed after the first time."""
    return sum(max(0, len(_tokens(rows)) - 1) for rows in _written(lane_ids).values())


def violations(lane_ids: list[int], *, backends_change: bool) -> list[str]:
    """Return what two holders of one lane would have left behind: none, if the fence holds.

    `backends_change`: the database was restarted, so that a worker may write under its token from a new connection.
    """
    found = []
    for lane_id, rows in _written(lane_ids).items():
        tokens = _tokens(rows)
        if len(tokens) != len(set(tokens)):
            found.append(f"lane {lane_id}: a token came back after another one had taken the lane")
        for what, _, state, _ in rows:
            if what == "exchange" and state != "running":
                found.append(f"lane {lane_id}: an exchange was written while nobody held the lane")
            if what == "version" and state != "succeeded":
                found.append(f"lane {lane_id}: a version was written before the lane ended")
        if not backends_change:
            found += _strangers(lane_id, rows)
    return found


def _strangers(lane_id: int, rows: list[tuple[str, str, str, int]]) -> list[str]:
    """Return writes under a token from another connection than the one that claimed it."""
    owner: dict[str, int] = {}
    found = []
    for what, token, state, backend in rows:
        if token and (state == "running" or what == "version") and owner.setdefault(token, backend) != backend:
            found.append(f"lane {lane_id}: two connections wrote under one token")
    return found


def _tokens(rows: list[tuple[str, str, str, int]]) -> list[str]:
    """Return the tokens in the order in which they held the lane."""
    seen = [token for _, token, state, _ in rows if token and state == "running"]
    return seen[:1] + [after for before, after in pairwise(seen) if after != before]


def _written(lane_ids: list[int]) -> dict[int, list[tuple[str, str, str, int]]]:
    rows: dict[int, list[tuple[str, str, str, int]]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute("SELECT lane_id, what, token, state, backend FROM soak_audit ORDER BY id")
        for lane_id, *row in cursor.fetchall():
            if lane_id in lane_ids:
                rows[lane_id].append((row[0], row[1], row[2], row[3]))
    return rows
