"""What the words of a question ask for, in the few wordings that arithmetic has."""

from __future__ import annotations

from mixrag_cli.words import any_of

PERCENT_UNITS = ("%", "pp", "bp")
MAX_PERCENT = 100  # of a part: what is more than its whole is another thing than was asked for

PERCENT = any_of("%, percent, percents, per cent, percentage, percentages, proportion, proportions, share, rate")
COUNT = any_of("how many, how often, number of, count of, count the")
ASKED_FOR = any_of("which, what")
CHANGES = ("change", "increase", "decrease", "growth", "decline", "rise", "drop")
CHANGING = ("increas…", "decreas…", "declin…", "grow…", "rise…", "drop…")
MULTIPLE = any_of("how many times")  # of the greater by the less: so all 13 such ratios of folders to learn from
TOTAL = any_of("total, totals, totally, overall, altogether, all, entire, combined")
IN_ALL = any_of("most, least, fewest, total, altogether, in all")  # of amounts together; "highest" is of one of them
SHARE_WORDS = ("percentage", "percent", "per cent", "share", "proportion", "fraction", "portion", "part")
