"""Directives of reStructuredText inside the cells of its tables: how a cell is shown is no part of what it says."""

from __future__ import annotations

from tests.evidence_samples import read_bytes

BOXES = """Temperatures
============

+------------------------------+-------------+
| Meat, eggs and fish          | Temperature |
+==============================+=============+
| .. class:: tblsubhead                      |
|                                            |
| Beef, veal and lamb                        |
+------------------------------+-------------+
| Medium-rare                  | 145 °F      |
+------------------------------+-------------+
| Medium                       | 160 °F      |
+------------------------------+-------------+
| .. class:: tblsubhead                      |
|                                            |
| Poultry                                    |
+------------------------------+-------------+
| Pieces                       | 165 °F      |
+------------------------------+-------------+
"""
LIST = """Boards
======

.. list-table::
   :header-rows: 1

   * - Board
     - Command
     - Note
   * - Oak
     - .. code-block:: console
          :linenos:

          flash oak
     - .. note:: Press the button first.
   * - Fir
     - flash fir
     - none
"""


def test_a_class_is_no_part_of_a_label() -> None:
    (table,) = read_bytes("guide.rst", BOXES.encode(), 256)[1].values()
    assert [row.path for row in table.rows] == [
        ("Beef, veal and lamb", "Medium-rare"),
        ("Beef, veal and lamb", "Medium"),
        ("Poultry", "Pieces"),
    ]


def test_what_a_directive_holds_is_kept_and_so_is_one_that_says_a_text() -> None:
    (table,) = read_bytes("boards.rst", LIST.encode(), 256)[1].values()
    texts = [cell.text for cell in table.cells if cell.row == table.rows[0].index]
    assert texts == ["Oak", "flash oak", ".. note:: Press the button first."]
