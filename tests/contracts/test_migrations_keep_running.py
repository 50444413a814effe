"""Migrations that may run while the release before still serves: they add, and take nothing away that it uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.models.fields import NOT_PROVIDED

# The last migration from before the rule.
BEFORE_THE_RULE = 3
ADDING = (
    migrations.AddIndex,
    migrations.RemoveIndex,
    migrations.RenameIndex,
    migrations.RunPython,
    migrations.AlterModelOptions,
    migrations.AlterModelManagers,
)


def breaking(operations: Sequence[Operation]) -> Iterator[str]:
    """Yield what the running code could trip over."""
    for operation in operations:
        if isinstance(operation, migrations.SeparateDatabaseAndState):
            yield from breaking(operation.database_operations)
        elif isinstance(operation, migrations.AddField):
            field = operation.field
            if not (field.null or field.many_to_many or field.db_default is not NOT_PROVIDED):
                yield f"{operation.describe()}: it must be nullable or have a default in the database"
            yield from insisting(operation, [field])
        elif isinstance(operation, migrations.CreateModel):
            yield from insisting(operation, [field for _, field in operation.fields])
        elif not isinstance(operation, ADDING):
            yield operation.describe()


def insisting(operation: Operation, fields: Sequence[models.Field[Any, Any]]) -> Iterator[str]:
    """Yield the references that the database enforces: code that knows no such rows deletes what they refer to."""
    for field in fields:
        relation = field.remote_field if field.many_to_many else field
        if field.is_relation and getattr(relation, "db_constraint", True):
            yield f"{operation.describe()}: its reference {field.name} must have no constraint in the database"


def test_migrations_after_the_rule_keep_the_running_code_working() -> None:
    loader = MigrationLoader(None, ignore_no_migrations=True)
    own = [each for (app, _), each in loader.disk_migrations.items() if app == "campaigns"]
    numbered = {each.name: int(each.name[:4]) for each in own}
    found = {each.name: list(breaking(each.operations)) for each in own if numbered[each.name] > BEFORE_THE_RULE}

    assert max(numbered.values()) >= BEFORE_THE_RULE
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(
    ("operation", "allowed"),
    [
        (migrations.AddField("run", "x", models.IntegerField(null=True)), True),
        (migrations.AddField("run", "x", models.IntegerField(db_default=0)), True),
        (migrations.AddField("run", "x", models.IntegerField(default=0)), False),
        (migrations.AddField("run", "x", models.ForeignKey("Run", models.CASCADE, null=True)), False),
        (
            migrations.AddField("run", "x", models.ForeignKey("Run", models.CASCADE, null=True, db_constraint=False)),
            True,
        ),
        (migrations.AddField("run", "x", models.ManyToManyField("Run")), False),
        (migrations.CreateModel("Tag", [("run", models.ForeignKey("Run", models.CASCADE))]), False),
        (migrations.CreateModel("Tag", [("name", models.TextField())]), True),
        (migrations.RemoveField("run", "plan"), False),
        (migrations.RenameField("run", "plan", "steps"), False),
        (migrations.AlterField("run", "plan", models.IntegerField()), False),
        (migrations.DeleteModel("Run"), False),
        (migrations.AddIndex("run", models.Index(fields=["state"], name="x")), True),
        (migrations.AddConstraint("run", models.UniqueConstraint(fields=["state"], name="x")), False),
        (migrations.RunSQL("select 1"), False),
    ],
    ids=lambda value: value.describe() if isinstance(value, Operation) else "",
)
def test_rule_tells_what_adds_from_what_takes_away(operation: Operation, allowed: bool) -> None:
    assert (list(breaking([operation])) == []) is allowed
