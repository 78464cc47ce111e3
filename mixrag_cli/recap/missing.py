"""What a refusal names: the names, years and words of the question that the documents do not say."""

from __future__ import annotations

import re

from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.restate import Restated
from mixrag_cli.words import terms_of

NOTHING_NEAR = "no passage comes near enough to answer from"
MAX_NAMED = 3


def what_is_missing(restated: Restated, base: EvidenceBase) -> str:
    """What the question speaks of and no document found does, else that nothing found answers it.

    Example: "no passage found speaks of Contoso" where the name stands in none of the documents found.
    """
    if not base.hits:
        return NOTHING_NEAR
    known = frozenset().union(*base.knows.values())
    asked = [(word, stems[0]) for word in re.findall(r"\w+", restated.question) if (stems := terms_of(word))]
    years = {str(year) for operand in (restated.whole, *restated.operands) for year in operand.facets.years}
    unknown = [word for word, term in asked if term not in known and (term in restated.whole.terms or word in years)]
    unknown = [word for word in dict.fromkeys(unknown) if word not in years or word not in known]
    if unknown:
        return f"no passage found speaks of {_listed(unknown[:MAX_NAMED])}"
    return "the passages found speak of it, but none says surely what was asked"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
