"""A form that was filled in on one version, carried to the one that somebody else made meanwhile.

What the person changed is kept; what they left as it was takes the newer version's value, so that saving it again
undoes nothing of the other's.
"""

from __future__ import annotations

from campaigns.act_forms import Posted, Seen
from campaigns.actions.comparing import partners
from campaigns.actions.nodes import Node
from campaigns.errors import ActionError
from campaigns.record_fields import SPECS, read_fields, show_ranges

PLACES = ("record", "canonical", "other", "to")
WITHIN = ("refs", "members", "member", "going")


def carried(posted: Posted, before: Seen, after: Seen) -> Posted | None:
    """Return the form as it would be on the newer version; None where a record that it is about is not there."""
    where = partners(before.version, after.version)
    data = posted.data.copy()
    data["expected_version"] = str(after.version.number)
    data.pop("confirmed", None)
    for name in PLACES:
        if (number := posted.number(name)) is not None:
            if number not in where:
                return None
            data[name] = str(where[number])
    if "records" in data:
        numbers = posted.numbers("records")
        if any(number not in where for number in numbers):
            return None
        data.setlist("records", [str(where[number]) for number in numbers])
    now = Posted(data)
    node, other = before.node(posted.number("record")), after.node(now.number("record"))
    if node is not None and other is not None:
        _leave_what_is_theirs(now, before.family, node, other)
    return now


def _leave_what_is_theirs(posted: Posted, family: str, before: Node, after: Node) -> None:
    """Take out of the form what the person did not change, and choices by place within a record that is another now."""
    data = posted.data
    if before.as_json() != after.as_json():
        for name in WITHIN:
            data.pop(name, None)
    cited = show_ranges(before.record.get("source_refs", ()))
    told = str(before.record.get("summary", ""))
    for name, text in (("ranges", cited), ("kept", cited), ("kept_summary", told)):
        # A form's own line breaks are of two signs.
        if data.get(name, "").replace("\r\n", "\n") == text:
            data.pop(name, None)
    try:
        changed = read_fields(family, data, before.record)
    except ActionError:
        # Nothing changed, or what was written is not readable yet: it stands as it was written.
        return
    for spec in SPECS[family]:
        if spec.name not in changed:
            data.pop(spec.name, None)
    if "actions" not in changed:
        for name in [name for name in data if name == "actions" or name.startswith("action-")]:
            del data[name]
