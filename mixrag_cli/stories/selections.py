"""The globs that were given with a root when it was indexed, kept in the commit record for all later runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from mixrag_cli.errors import NoIndex, StoreDamaged, StoreMismatch
from mixrag_cli.store import CommitRecord, StoreWriter, read_record
from mixrag_cli.stories.extras import SELECTIONS
from mixrag_cli.stories.roots import IndexPlan
from mixrag_cli.walking import Selection

Selections = Mapping[str, Selection]  # by the root's name in the store


def kept_selections(record: CommitRecord) -> Selections:
    """What the store keeps."""
    found = record.extra.get(SELECTIONS, {})
    return {
        root: Selection(
            tuple(globs["include"]),
            tuple(globs["exclude"]),
            tuple((glob, encoding) for glob, encoding in globs.get("encodings", ())),
        )
        for root, globs in found.items()
    }


def selections_for(plan: IndexPlan, given: Selection | None, *, rebuild: bool = False) -> Selections:
    """What holds in this run: for the planned roots what is given, else what was kept.

    Of what is given, globs replace those kept, none leave them, and an empty one forgets them. rebuild: a store that
    cannot be read is about to be made anew, and keeps none.
    """
    try:
        kept = dict(kept_selections(read_record(plan.store)))
    except (NoIndex, StoreDamaged, StoreMismatch) as error:
        if not rebuild and not isinstance(error, NoIndex):
            raise
        kept = {}
    for root in plan.roots if given else ():
        kept[os.fsdecode(root.name)] = _merged(kept.get(os.fsdecode(root.name), Selection()), given)  # type: ignore[arg-type]
    return {root: selection for root, selection in kept.items() if selection != Selection()}


def _merged(before: Selection, given: Selection) -> Selection:
    """What is given, and of each kind that is not given what was kept; an empty glob is none."""
    return Selection(
        tuple(filter(None, given.include or before.include)),
        tuple(filter(None, given.exclude or before.exclude)),
        tuple(pair for pair in given.encodings or before.encodings if pair[0]),
    )


def are_kept(store: Path, selections: Selections) -> bool:
    """Whether the store already says so; one that is not there keeps none."""
    try:
        return kept_selections(read_record(store)) == selections
    except NoIndex:
        return not selections


def keep_selections(writer: StoreWriter, selections: Selections) -> None:
    """Write them into the record, where they differ from what it says."""
    if kept_selections(writer.record) != selections:
        plain = {
            root: {"include": [*one.include], "exclude": [*one.exclude], "encodings": [*map(list, one.encodings)]}
            for root, one in selections.items()
        }
        writer.put_extra({SELECTIONS: plain})
