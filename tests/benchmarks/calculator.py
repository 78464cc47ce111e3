"""Random formulas against exact fractions: python tests/benchmarks/calculator.py [--trees 100000] [--seed 1]

Prints how many agree within the bound on rounding, and how much processor time one evaluation takes.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from test_calculator import Expected, call, combine, fits

from mixrag_cli.quantities.calculator import CalculationError, evaluate


def random_tree(chance: random.Random, depth: int) -> Expected:
    if depth == 0 or chance.random() < 0.2:
        number = Decimal(chance.randint(-(10 ** chance.randint(1, 15)), 10 ** chance.randint(1, 15))).scaleb(-2)
        return Expected(f"({number:f})", Fraction(number))
    if chance.random() < 0.2:
        name = chance.choice(["sum", "mean", "average", "min", "max"])
        return call(name, [random_tree(chance, depth - 1) for _ in range(chance.randint(1, 4))])
    left, right = random_tree(chance, depth - 1), random_tree(chance, depth - 1)
    divisible = abs(right.value) > max(2 * right.slack, Fraction(1, 10**6))
    return combine(chance.choice("+-*/" if divisible else "+-*"), left, right)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    agreed, refused, seconds, wrong = 0, 0, [], []
    while agreed + refused + len(wrong) < options.trees:
        expected = random_tree(chance, chance.randint(1, 4))
        started = time.thread_time()
        try:
            value = evaluate(expected.text, {})
        except CalculationError:
            refused += 1
            if fits(expected):
                wrong.append(expected.text)
            continue
        finally:
            seconds.append(time.thread_time() - started)
        if abs(Fraction(value) - expected.value) <= expected.slack:
            agreed += 1
        else:
            wrong.append(expected.text)
    seconds.sort()
    print(f"seed {options.seed}: {agreed:,} agree, {refused:,} refused as too large, {len(wrong)} wrong")
    print(
        f"p50 {seconds[len(seconds) // 2] * 1e3:.3f} ms, p99 {seconds[len(seconds) * 99 // 100] * 1e3:.3f} ms, ", end=""
    )
    print(f"max {seconds[-1] * 1e3:.1f} ms")
    for formula in wrong[:5]:
        print("wrong:", formula)


if __name__ == "__main__":
    main()
