"""The facts that a file states, each as one line of text."""

from cited_lines import read_document


def stated(name: str, text: str) -> list[str]:
    """Each fact of the file as "sort | key > key | column=text@line …"."""
    return [
        " | ".join(
            [
                fact.sort,
                " > ".join(fact.path),
                " ".join(f"{value.column}={value.text}@{value.line}" for value in fact.values),
            ]
        )
        for fact in read_document(name, text.encode()).facts
    ]
