"""Whether a change on the disk can change what a walk lists: judged by the path alone, before anything is walked."""

from __future__ import annotations

from mixrag_cli.walking.ignores import IGNORE_FILES
from mixrag_cli.walking.rules import IMAGE, judge_file_name, judge_folder_name


def may_matter(path: bytes) -> bool:
    """Whether a change of this file or folder can matter to an index. path: relative to the indexed folder.

    What tools and editors keep for themselves never matters; a file without a reader may, since it is listed.
    Example: may_matter(b"notes.md") -> True; may_matter(b".git/index") -> False; may_matter(b".gitignore") -> True.
    """
    *folders, name = path.split(b"/")
    if any(judge_folder_name(folder) for folder in folders):
        return False
    if name in IGNORE_FILES:
        return True
    rule = judge_file_name(name)
    return (rule is None or rule.code == IMAGE.code) and not _is_tools_folder(name)


def _is_tools_folder(name: bytes) -> bool:
    return judge_folder_name(name) is not None
