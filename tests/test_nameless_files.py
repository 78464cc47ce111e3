"""Files whose name says nothing: what they hold is told by their lines."""

import pytest
from cited_lines import read_document
from stated_facts import stated

CHANGES = (
    "Changes of Pool\n\nChanges in 6.0.0\n\n * fixed #2152 double close\n\n * timeout: 30 s\n\n"
    "Changes in 5.1.0\n * added a limit\n\nChanges in 5.0\n\n * first, see 4.9\n\nAs told in 4.0\n"
)
MARKDOWN = (
    "# Change Log\nAll changes of note.\n\n## [0.7.2] - 2025-05-18\n## Added\n- Profiles\n"
    "- A timeout (`ORDER_TIMEOUT`)\n\n"
    "## [0.7.1] - 2022-10-31\n## Changed\n- `--force` no longer forces, it asks\n- **Port**: 80\n"
)


def test_lines_alike_but_for_their_version_are_headings_over_their_lists() -> None:
    document = read_document("CHANGES", CHANGES.encode())
    assert [block.text for block in document.blocks if block.kind == "heading"] == [
        "Changes in 6.0.0",
        "Changes in 5.1.0",
        "Changes in 5.0",
    ]
    assert document.title == ""
    assert stated("CHANGES", CHANGES) == ["label | Changes in 6.0.0 > timeout | value=30 s@7"]


def test_figures_and_sentences_that_name_a_number_are_no_headings() -> None:
    text = "".join(f"Figure {n}.1\n\nWhat it shows in {n}.5 parts,\n\nand {n}.2\n\n" for n in range(2, 6))
    assert [block for block in read_document("notes.txt", text.encode()).blocks if block.kind == "heading"] == []


def test_a_file_without_a_suffix_is_markdown_if_it_is_written_so() -> None:
    document = read_document("CHANGELOG", MARKDOWN.encode())
    assert document.modality == "markdown"
    assert stated("CHANGELOG", MARKDOWN) == [
        "version | Change Log > 0.7.2 | date=2025-05-18@4",
        "version | Change Log > 0.7.1 | date=2022-10-31@9",
        "label | Change Log > Changed > Port | value=80@12",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "# Owners\n\n## Code\n* @a\n/docs/ @b\n\n## Tests\n#/old/ @c\n* @d\n/tests/ @e\n",  # one commented out
        "# The rules\n# of this server\n\n## Ports\nopen 80\n## Users\n- ann\n- bob\n",  # comments stand close
        "Format: x\n\n## Files\n- a\n- b\n\n## Terms\n- c\n\n## Rest\n- d\ne\nf\ng\n",
    ],
)
def test_comments_do_not_make_a_file_markdown(text: str) -> None:
    assert read_document("RULES", text.encode()).modality == "text"


SETTINGS = {
    "config": (
        "####\n# Defaults are in comments  #\n####\n\n# Which user\n#RUN_USER=\n\n# Address of the authority\n"
        '# default: here\n#CA="here"\n\n#RENEW_DAYS="32"\n\n#KEEP="no"\n',
        "default | CA | default=here@10 help=Address of the authority default: here@8",
        "default | RENEW_DAYS | default=32@12",
        "default | KEEP | default=no@14",
    ),
    "defconfig": (
        "CONFIG_A=y\n# what it takes\nCONFIG_B=12\n\nexport CONFIG_C=x\n",
        "setting | CONFIG_A | value=y@1",
        "setting | CONFIG_B | value=12@3 help=what it takes@2",
        "setting | CONFIG_C | value=x@5",
    ),
    "notes": ("a = 5\nb = 6\nc = 7\nwhat else there is\n",),
    "formulas.txt": ("a = 5\nb = 6\nc = 7\n",),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_file_without_a_suffix_holds_settings_if_all_its_lines_assign_something(name: str) -> None:
    text, *expected = SETTINGS[name]
    assert stated(name, text) == expected
