"""Documents written in XML are read as their text, under their titles; settings and records stay lines."""

from __future__ import annotations

import pytest
from cited_lines import read_document
from stated_facts import stated

from tests.bounded import patience

MANUAL = """<?xml version="1.0"?>
<!-- kept by hand -->
<refentry xmlns:x="http://x">
  <refsect1>
    <title>Options of <command>passwd</command></title>
    <variablelist>
      <varlistentry>
        <term><option>-H</option></term>
        <listitem><para>Choose the hash. Defaults to
          <replaceable>sha512</replaceable>.</para></listitem>
      </varlistentry>
    </variablelist>
    <refsect2><title>Codes</title>
      <para><option>0</option> Success</para>
      <para><option>5</option> Not authorised &amp; refused</para>
    </refsect2>
  </refsect1>
  <section title="Examples">
    <table><title>Ways</title><entry>one <b>way</b></entry></table>
    <screen>  passwd <b>-c</b> file</screen>
  </section>
</refentry>
"""


def test_a_manual_is_its_text_below_its_titles() -> None:
    document = read_document("passwd.1.xml", MANUAL.encode())
    said = [(block.heading_path, block.text) for block in document.blocks if block.kind != "heading"]
    options, codes, examples = ("Options of passwd",), ("Options of passwd", "Codes"), ("Examples",)
    assert said == [
        (options, "-H\nChoose the hash. Defaults to\nsha512."),
        (codes, "0 Success\n5 Not authorised & refused"),
        (examples, "Ways one way\n      passwd -c file"),
    ]
    lines = {block.text[:1]: block.locator.lines for block in document.blocks}
    assert (lines["-"], lines["0"]) == ((8, 10), (14, 15))


def test_the_terms_of_a_manual_are_its_options_and_tags_are_no_settings() -> None:
    facts = stated("passwd.1.xml", MANUAL)
    assert facts[0] == "option | Options of passwd > -H | help=Choose the hash. Defaults to sha512.@9"
    assert not [fact for fact in facts if fact.startswith("setting")]


def test_entities_are_what_is_declared_right_in_the_file() -> None:
    declared = (
        '<!DOCTYPE refentry [\n  <!ENTITY called "passwd">\n  <!ENTITY more SYSTEM "more.xml">\n'
        '  <!ENTITY twice "&called;&called;">\n]>\n<refentry'
    )
    text = MANUAL.replace("<refentry", declared).replace("Choose the", "&called;&mdash;choose &more;&twice; the")
    document = read_document("passwd.1.xml", text.encode())
    block = next(block for block in document.blocks if block.text.startswith("-H"))
    assert block.text == "-H\npasswd\u2014choose  the hash. Defaults to\nsha512."
    assert block.locator.lines == (13, 15)


def test_references_do_not_multiply_a_text() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    text = MANUAL.replace("<refentry", f'<!DOCTYPE d [<!ENTITY l0 "{"ha" * 99}">{laughs}]><refentry')
    text = text.replace("Success", "&l0;&l9;" * 60_000)
    with patience():
        document = read_document("passwd.1.xml", text.encode())
    assert sum(len(block.text) for block in document.blocks) < 5_000_000


@pytest.mark.parametrize(
    "text",
    [
        "<?xml version='1.0'?>\n<resources>\n"
        + "<string name='a'>Text with <b>marks</b> in it</string>\n" * 9
        + "</resources>",
        "<?xml version='1.0'?>\n<project>\n" + "<module>a</module>\n" * 9 + "</project>",
        "<?xml version='1.0'?>\n<doc>\n" + "<p>Text with <b>marks</b> in it</p>\n" * 9,
    ],
    ids=["named texts", "settings", "not closed"],
)
def test_other_xml_stays_as_it_is_written(text: str) -> None:
    document = read_document("a.xml", text.encode())
    assert [block.text for block in document.blocks] == [text.rstrip()]
