"""RECAP by a generator: what is asked of it, and what is believed of what it answers.

    packing      evidence ─► passages s1 … sn that fit the window, in the order of their probability
    strategies   the prompt and the schema of each way to ask: recap, direct, cot, eedp, pot
    drafts       the reply ─► a draft: claims, formula, answer; nothing in it is believed yet
    verifying    each claim against the passage it names: quote, number, unit
    choosing     the rule that picks the calculator's number, the model's, another try, the built-in reader or none
    streaming    the answer's words while they come, as far as they are supported
    reader       the story: pack, ask, verify, choose, once more or done

Source: MixRAG, section 4.3.
"""
