"""What fewer bits and fewer tokens cost late interaction: nDCG@10 against eight bits an axis and all tokens.

    python tests/benchmarks/token_bits.py DATA SET [--questions 250] [--distractors 150] [--merged 0.85,0.87,0.9,2]

SET: paper or hetdocqa. The judged documents of the questions and some others are cut as the product cuts them; each
question's candidates by words and meaning are ranked by late interaction alone, and by half of it and half of the
fusion. A merging cosine of 2 merges nothing. Differences with their 95 % interval by paired bootstrap.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from reranker import N_MEANING, N_WORDS, K, Words, best, draw, file_to_texts, interval, thin_out, to_share
from retrieval import read_set

from mixrag_cli.evaluation.measures import ndcg_at
from mixrag_cli.models.minilm import load_minilm
from mixrag_cli.retrieval.fusion import WORDS_WEIGHT, fuse
from mixrag_cli.retrieval.rerank import max_sim
from mixrag_cli.store import quantising

WEIGHTS = (1.0, 0.5)  # of late interaction beside the fusion


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("set")
    parser.add_argument("--questions", type=int, default=250)
    parser.add_argument("--distractors", type=int, default=150)
    parser.add_argument("--merged", default="0.85,0.87,0.9,2")
    options = parser.parse_args()
    found, model = read_set(options.data, options.set), load_minilm()
    queries = draw(found.queries, options.questions)
    judgements = {query: found.judgements[query] for query in queries}
    documents = thin_out(found.documents, judgements, options.distractors)
    passages = [(document, text) for document, body in documents for text in file_to_texts(document, body)]
    texts = [text for _, text in passages]
    vectors, late = model.embed_late(texts)
    words, shortlists = Words(texts), {}
    for query, text in queries.items():
        by_words, ceiling = words.score(text)
        vector, tokens = model.embed_query_late(text)
        by_meaning = vectors @ vector
        wordy = [at for at in best(by_words, N_WORDS) if by_words[at] > 0]
        near = {*best(by_meaning, N_MEANING), *wordy}
        fused = fuse(
            {str(at): float(by_words[at]) for at in wordy},
            {str(at): float(by_meaning[at]) for at in near},
            ceiling=ceiling,
            n_words=N_WORDS,
            words_weight=WORDS_WEIGHT,
        )
        shortlists[query] = tokens, to_share({int(at): score for at, score in fused.items()})

    def measure(kept: list[np.ndarray], weight: float) -> np.ndarray:
        values = []
        for query, (tokens, fused) in shortlists.items():
            late_share = to_share(dict(zip(fused, max_sim(tokens, [kept[at] for at in fused]), strict=True)))
            order = sorted(fused, key=lambda at: -(weight * late_share[at] + (1 - weight) * fused[at]))
            values.append(ndcg_at(list(dict.fromkeys(passages[at][0] for at in order)), judgements[query], K))
        return np.array(values)

    base = {weight: measure(late, weight) for weight in WEIGHTS}
    n_tokens = sum(map(len, late))
    print(f"{options.set}: {len(queries)} questions, {len(texts)} passages, {n_tokens} tokens")
    print("8 bits, all tokens   " + "   ".join(f"weight {each:g}: {base[each].mean():.4f}" for each in WEIGHTS))
    for cosine in map(float, options.merged.split(",")):
        quantising.MERGED_COSINE = cosine
        codes = [quantising.encode_tokens(tokens) for tokens in late]
        kept = [quantising.decode_tokens(each, model.late_dim) for each in codes]
        line = f"2 bits, merged at {cosine:4g}: {sum(each.nbytes for each in codes) / n_tokens:5.1f} bytes a token"
        for weight in WEIGHTS:
            values = measure(kept, weight)
            line += f"   weight {weight:g}: {values.mean():.4f} {interval(values, base[weight])}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
