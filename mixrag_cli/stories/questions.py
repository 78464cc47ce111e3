"""What a text must be to be put as a question: of a command line, a chat, a batch, a file of labels, an agent."""

from __future__ import annotations

from mixrag_cli.cleaning import safe_text
from mixrag_cli.errors import WrongUsage
from mixrag_cli.settings import MAX_QUESTION_CHARACTERS


def checked_question(text: str, what: str = "question", hint: str = "") -> str:
    """The text as it is put and printed again, cleaned. hint: for one that is empty.

    Raises WrongUsage where nothing is left of it, or more than MAX_QUESTION_CHARACTERS.
    """
    cleaned = safe_text(text).strip()
    if not cleaned:
        raise WrongUsage(f"the {what} is empty", hint)
    if len(cleaned) > MAX_QUESTION_CHARACTERS:
        raise WrongUsage(f"the {what} has {len(cleaned):,} characters; at most {MAX_QUESTION_CHARACTERS:,} are read")
    return cleaned
