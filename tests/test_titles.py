"""What a document is called by its first heading, where that names the document and not a part of it."""

import pytest
from cited_lines import read_document
from stated_facts import stated

CASES = {
    "a heading that opens the document": ("a.md", "# Tool\n\nIt is one.\n\n# Usage\n\nCall it.\n", "Tool"),
    "a heading below a text, with others": ("a.md", "It is one.\n\n# Features\n\nMany.\n\n# Usage\n\nCall it.\n", ""),
    "the one heading below a text": ("a.md", "A badge.\n\n# Tool\n\n## Usage\n\nCall it.\n", "Tool"),
    "parts of a text": ("a.rst", "It is one.\n\nInstall\n=======\n\nSo.\n\nUse\n===\n\nSo.\n", ""),
    "a release to come": ("a.md", "# Unreleased\n\n## New\n\nA.\n\n# 12.3\n\nB.\n\n# 12.2\n\nC.\n", ""),
    "a change log": ("a.md", "# Changes\n\n# 12.3\n\nB.\n\n# 12.2\n\nC.\n", "Changes"),
    "a change log by levels": ("a.md", "# Changes\n\n## v2\n\nB.\n\n# 1.2\n\nC.\n\n# 1.1\n\nD.\n", "Changes"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_first_heading_is_the_title_where_it_names_the_document(case: str) -> None:
    name, text, title = CASES[case]
    assert read_document(name, text.encode()).title == title


def test_a_release_of_one_number_has_its_date() -> None:
    text = "# v12 (2024-Sep-27)\n\nA.\n\n# v12-rc1 (2024-Aug-12)\n\nB.\n\n# 12 (2024-Aug-12)\n\nC.\n"
    assert stated("CHANGES.md", text) == ["version | 12 | date=2024-Sep-27@1", "version | 12-rc1 | date=2024-Aug-12@5"]
