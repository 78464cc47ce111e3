"""What `mixrag show FILE#PLACE` shows, and where it says that this stands."""

from __future__ import annotations

from pathlib import Path

from mixrag_cli.stories.showing import show_passage
from tests.evidence_samples import opened

RULES = "\n\n".join(
    f"# Rule {number}\n\n{' '.join(f'Gate {number} is closed in hour {hour} of the day.' for hour in range(24))}"
    for number in range(1, 7)
)


def test_several_passages_stand_from_the_first_line_to_the_last(tmp_path: Path) -> None:
    session = opened(tmp_path, {"rules.md": RULES})
    one, other, all_three = (
        show_passage(session.reader, session.document_rows, f"rules.md#{place}", tmp_path).locator.lines
        for place in ("L3", "L11", "L3-11")
    )
    assert one is not None and other is not None and one[1] < other[0]
    assert all_three == (one[0], other[1])
