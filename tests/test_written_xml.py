"""Documents written in XML are read as their text, under their titles; settings and records stay lines."""

from __future__ import annotations

import pytest
from cited_lines import read_document

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
