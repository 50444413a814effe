from __future__ import annotations

from django.apps import apps
from django.db import connection
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.questioner import NonInteractiveMigrationQuestioner
from django.db.migrations.state import ProjectState


def test_models_and_migrations_agree(db: None) -> None:
    loader = MigrationLoader(connection)
    detector = MigrationAutodetector(
        loader.project_state(),
        ProjectState.from_apps(apps),
        NonInteractiveMigrationQuestioner(specified_apps={"campaigns"}, dry_run=True),
    )

    missing = detector.changes(graph=loader.graph, trim_to_apps={"campaigns"}, convert_apps={"campaigns"})

    assert missing == {}


def test_migrations_have_one_leaf(db: None) -> None:
    leaves = MigrationLoader(connection).graph.leaf_nodes("campaigns")

    assert len(leaves) == 1
