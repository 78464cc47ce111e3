"""Walking: which files are there, which of them are wanted, which have changed; and opening one safely."""

from mixrag_cli.walking.changes import (
    Change,
    Changes,
    detect_changes,
    document_id,
    guard_removals,
    has_content,
    has_same_status,
    is_reread,
)
from mixrag_cli.walking.events import may_matter
from mixrag_cli.walking.rules import HEAD_BYTES, IMAGE, NO_READER_CODES, Rule, find_secret, judge_head
from mixrag_cli.walking.selection import Selection
from mixrag_cli.walking.sources import ensure_unchanged, hash_file, judge_content, look_again, open_source
from mixrag_cli.walking.walk import WalkLimits, walk_root

__all__ = [
    "HEAD_BYTES",
    "IMAGE",
    "NO_READER_CODES",
    "Change",
    "Changes",
    "Rule",
    "Selection",
    "WalkLimits",
    "detect_changes",
    "document_id",
    "ensure_unchanged",
    "find_secret",
    "guard_removals",
    "has_content",
    "has_same_status",
    "hash_file",
    "is_reread",
    "judge_content",
    "judge_head",
    "look_again",
    "may_matter",
    "open_source",
    "walk_root",
]
