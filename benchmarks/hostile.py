"""The worst files of a megabyte with every command that reads one: processor time and peak memory, a process each.

Run with a Python that can import attncalc. It answers or refuses; the aims are 2 s and 300 MB either way.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

MEGABYTE = 1_000_000
MOST_SECONDS, MOST_MB = 2.0, 300
TIMES = 3
"""How often a command is tried that takes too long: the same work takes longer while a machine has other work."""
ENDED = 20
"""Seconds of processor time after which a process is ended."""

Text = Callable[[int], str]


def many(part: str, size: int, between: str = ",", least: int = 1) -> str:
    """A part as often as it goes into so many bytes; `{i}` in it counts."""
    counted = "{i}" in part
    count = max(least, size // (len(part) + len(between) + (4 if counted else 0)))
    return between.join(part.replace("{i}", str(i)) for i in range(count)) if counted else between.join([part] * count)


def repeated(part: str, count: int) -> str:
    """A part so many times, with commas between."""
    return ",".join([part] * count)


def row_of(number: str, count: int) -> str:
    """A list of one number so many times."""
    return f"[{repeated(number, count)}]"


def square(size: int, settings: str = "") -> str:
    """Scores of as many queries as keys."""
    side = int((size // 2) ** 0.5)
    return f'{{"scores":[{repeated(row_of("1", side), side)}]{settings}}}'


def sequence(tokens: int, width: int = 1, settings: str = "", number: str = "1") -> str:
    """Queries, keys and values of so many tokens."""
    array = f"[{repeated(row_of(number, width), tokens)}]"
    return f'{{"q":{array},"k":{array},"v":{array}{settings}}}'


def ended_in(text: str, start: str, end: str, size: int) -> str:
    """A text between a start and an end, the part of it repeated."""
    return start + many(text, size - len(start) - len(end)) + end


EXACT, BY_HAND, FLOATS = ',"arithmetic":"exact"', ',"by_hand":2', ',"arithmetic":"float64"'
DIGITS = "0." + "123456789" * 130
LABEL, FLAG, ESCAPE, LINE = '"{i}"', "\U0001f3f3\ufe0f\u200d\U0001f308", "\\u001b", "\\n"

SHAPES: dict[str, Text] = {
    "a row": lambda n: ended_in("1", '{"scores":[', "]}", n),
    "a row with values": lambda n: f'{{"scores":{row_of("1", n // 6)},"v":{row_of("[1]", n // 6)}}}',
    "a row with values, exact": lambda n: f'{{"scores":{row_of("1", n // 6)},"v":{row_of("[1]", n // 6)}{EXACT}}}',
    "a row, exact": lambda n: ended_in("1", '{"scores":[', f"]{EXACT}}}", n),
    "a row, by hand": lambda n: ended_in("1", '{"scores":[', f"]{BY_HAND}}}", n),
    "a row of weights": lambda n: ended_in("1", '{"weights":[', "]}", n),
    "queries of one key": lambda n: ended_in("[1]", '{"scores":[', "]}", n),
    "queries, exact": lambda n: ended_in("[1]", '{"scores":[', f"]{EXACT}}}", n),
    "heads": lambda n: ended_in("[[1]]", '{"scores":[', "]}", n),
    "1,024 heads": lambda n: ended_in(f"[[{many('1', n // 1030)}]]", '{"scores":[', "]}", n),
    "batches": lambda n: ended_in("[[[1]]]", '{"scores":[', "]}", n),
    "batches of weights": lambda n: ended_in("[[[1]]]", '{"weights":[', "]}", n),
    "square": square,
    "square, exact": lambda n: square(n, EXACT),
    "square, by hand": lambda n: square(n, BY_HAND),
    "220 tokens, exact": lambda n: square(2 * 220 * 220, EXACT),
    "60 tokens, wide, exact": lambda n: sequence(60, n // 60 // 6 - 2, EXACT),
    "200 tokens, wide, exact": lambda n: sequence(200, n // 200 // 6 - 2, EXACT),
    "wide": lambda n: sequence(2, n // 2 // 6),
    "wide, many tokens": lambda n: sequence(700, n // 700 // 6 - 2),
    "1,000 tokens": lambda n: sequence(1000),
    "1,400 tokens": lambda n: sequence(1400),
    "1,400 tokens, causal": lambda n: sequence(1400, 1, ',"mask":"causal","alibi":true'),
    "1,400 tokens, exact": lambda n: sequence(1400, 1, EXACT),
    "3,000 tokens": lambda n: sequence(3000),
    "80,000 tokens": lambda n: sequence(n // 12 - 10),
    "hidden keys": lambda n: f'{{"scores":[{many("1", n // 4)}],"mask":{{"hide":[{many("{i}", n * 3 // 4)}]}}}}',
    "hidden labels": lambda n: _named(n, '"mask":{{"hide":[{}]}}'),
    "queries by label": lambda n: _named(n, '"mask":"none","query":[{}]', rows=True),
    "kept keys": lambda n: f'{{"scores":[{many("1", n // 2)}],"mask":{{"keep":[{many("1", n // 2)}]}}}}',
    "key lengths": lambda n: f'{{"scores":[[[[1]]]],"mask":{{"key_lengths":[{many("1", n)}]}}}}',
    "labels": lambda n: _labelled(n, LABEL),
    "labels of one kind": lambda n: _labelled(n, '"a"'),
    "labels, wrong": lambda n: ended_in('"a"', '{"scores":[1,2],"tokens":[', "]}", n),
    "labels that differ unseen": lambda n: _labelled(n, '"a\\u200b"'),
    "a label": lambda n: f'{{"scores":[1,2],"tokens":["{"a" * n}","b"]}}',
    "wide label": lambda n: f'{{"scores":[1,2],"tokens":["{FLAG * (n // 14)}","b"]}}',
    "a label of signs": lambda n: f'{{"scores":[1,2],"tokens":["{"<" * n}","b"]}}',
    "a label of TeX": lambda n: f'{{"scores":[1,2],"tokens":["{"$" * n}","b"]}}',
    "a label of escapes": lambda n: f'{{"scores":[1,2],"tokens":["{ESCAPE * (n // 6)}","b"]}}',
    "a title": lambda n: f'{{"scores":[1,2],"title":"{"a" * n}"}}',
    "a title of blanks": lambda n: f'{{"scores":[1,2],"title":"{" a" * (n // 2)}"}}',
    "an about": lambda n: f'{{"scores":[1,2],"about":"{many("a" * 30, n, LINE)}"}}',
    "queries asked for": lambda n: f'{{"scores":[[1],[2]],"query":[{many("1", n)}]}}',
    "all queries asked for": lambda n: f'{{"scores":[{many("[1]", n // 2)}],"query":[{many("{i}", n // 3)}]}}',
    "a hidden key, again": lambda n: f'{{"scores":[1,2],"mask":{{"hide":[{many("0", n)}]}}}}',
    "a wide output": lambda n: f'{{"scores":[1,2],"v":[[1],[2]],"w_o":[{row_of("1", n // 2)}]}}',
    "wide output of many": lambda n: _wide_output(30, n // 110),
    "100 tokens, wide": lambda n: sequence(100, n // 100 // 6 - 2),
    "deep": lambda n: "[" * (n // 2) + "]" * (n // 2),
    "deep scores": lambda n: f'{{"scores":{"[" * (n // 2)}1{"]" * (n // 2)}}}',
    "deep objects": lambda n: '{"a":' * (n // 6) + "1" + "}" * (n // 6),
    "lists in lists": lambda n: f'{{"scores":[{many("[" * 40 + "]" * 40, n)}]}}',
    "not JSON": lambda n: "[" + "1," * (n // 2),
    "blanks": lambda n: " " * n,
    "commas": lambda n: "," * n,
    "digits": lambda n: f'{{"scores":[{"1" * n},2]}}',
    "digits of a fraction": lambda n: f'{{"scores":[0.{"1" * n},2]}}',
    "long numbers": lambda n: ended_in(DIGITS, '{"scores":[', "]}", n),
    "long numbers, exact": lambda n: ended_in(DIGITS, '{"scores":[', f"]{EXACT}}}", n),
    "long numbers, exact, 50 places": lambda n: ended_in(DIGITS, '{"scores":[', f'],"places":50{EXACT}}}', n),
    "long numbers, by hand": lambda n: ended_in(DIGITS, '{"scores":[', f'],"by_hand":50,"places":50{EXACT}}}', n),
    "long queries, exact": lambda n: sequence(12, n // 3 // 12 // 1173 - 1, EXACT, DIGITS),
    "huge exponents": lambda n: ended_in("1e400000", '{"scores":[', "]}", n),
    "tiny exponents": lambda n: ended_in("1e-400000", '{"scores":[', "]}", n),
    "an endless exponent": lambda n: f'{{"scores":[1e{"9" * n},2]}}',
    "large numbers, exact": lambda n: ended_in("1e300,-1e300", '{"scores":[', f"]{EXACT}}}", 40_000),
    "large and small, exact": lambda n: ended_in("1e300,1e-300,-1e9", '{"scores":[', f"]{EXACT}}}", 2000),
    "large and small queries, exact": lambda n: sequence(20, 20, EXACT, "1e150") if n else "",
    "large numbers, by hand": lambda n: ended_in("1e300,-1e300", '{"scores":[', f"]{BY_HAND}}}", 40_000),
    "large base, exact": lambda n: ended_in("1e5,7", '{"scores":[', f'],"base":1.000001,"places":50{EXACT}}}', 100_000),
    "unknown keys": lambda n: f'{{"scores":[1],{many(LABEL + ":1", n)}}}',
    "unknown keys, long": lambda n: f'{{"scores":[1],{many(chr(34) + "k{i}" + "x" * 300 + chr(34) + ":1", n)}}}',
    "unknown keys of one letter each": lambda n: f'{{"scores":[1],"{"scale" * (n // 5)}":1}}',
    "repeated keys": lambda n: ended_in('"scores":[1]', "{", "}", n),
    "wrong numbers": lambda n: ended_in('"a"', '{"scores":[', "]}", n),
    "ragged": lambda n: ended_in("[1],[1,2]", '{"scores":[', "]}", n),
    "wrong rows": lambda n: ended_in("[1],1", '{"scores":[', "]}", n),
    "wrong query": lambda n: f'{{"scores":[1],"query":[{many(LABEL, n)}]}}',
    "printed": lambda n: f'{{"scores":[{many("1", n // 2)}],"expect":{{"weights":[{many("1", n // 2)}]}}}}',
    "printed under labels": lambda n: f'{{"scores":[1],"expect":{{"weights":{{{many(LABEL + ":[1]", n)}}}}}}}',
    "printed by query": lambda n: _printed(n),
    "printed digits": lambda n: f'{{"scores":[1,2],"expect":{{"weights":[0.{"1" * n},0.9]}}}}',
    "made up": lambda n: f'{{"scores":[1],"made_up":[{many(LABEL, n)}]}}',
    "blocks": lambda n: f'{{"scores":[{many("1", n)}],"algorithm":"online","block":1}}',
    "blocks, exact": lambda n: f'{{"scores":[{many("1", 40_000)}],"algorithm":"online","block":1{EXACT}}}',
    "identifiers": lambda n: f'{{"ids":[{many("0", n)}],"embedding":[[1,1]]}}',
    "a past": lambda n: f'{{"q":[[1]],"k":[[1]],"past":{{"k":[{many("[1]", n)}]}}}}',
    "a trace": lambda n: f'{{"format":"attncalc-trace/1","scenario":{square(n)}}}',
    "places by step": lambda n: f'{{"scores":[1],"by_hand":{{{many(LABEL + ":1", n)}}}}}',
    "references": lambda n: f'{{"scores":{{"npy":"{"a/" * (n // 2)}"}}}}',
}  # fmt: skip
"""Texts of about so many bytes, or of fewer where a small file takes more."""


def _labelled(size: int, label: str) -> str:
    labels = many(label, size * 2 // 3)
    count = labels.count(",") + 1
    return f'{{"scores":[{",".join(["1"] * count)}],"tokens":[{labels}]}}'


def _named(size: int, where: str, rows: bool = False) -> str:
    """Every label named once more."""
    count = size // 20
    labels = ",".join(f'"t{i}"' for i in range(count))
    scores = repeated("[1]" if rows else "1", count)
    names = f'"{"query_tokens" if rows else "tokens"}":[{labels}]'
    return f'{{"scores":[{scores}],{names},{where.format(labels)}}}'


def _wide_output(tokens: int, width: int) -> str:
    scores, values = repeated(row_of("1", tokens), tokens), repeated("[1]", tokens)
    return f'{{"scores":[{scores}],"v":[{values}],"w_o":[{row_of("1", width)}]}}'


def _printed(size: int) -> str:
    count = size // 24
    rows = ",".join(f'"{i}":[1]' for i in range(count))
    return f'{{"scores":[{many("[1]", 4 * count)}],"expect":{{"weights":{{{rows}}}}}}}'


class Case(NamedTuple):
    """A command line: N stands for the file, D/ for a folder to write into; and what is typed."""

    words: str
    typed: str = ""


FIRST = "weights 0 0"
CASES = (
    Case("explain N"), Case("explain N --format html -o D/a.html"), Case("run N"), Case("run N --plain"),
    *(Case(f"run N -o D/a.{suffix}") for suffix in ("json", "csv", "npz", "md", "tex", "html", "svg", "png", "xlsx")),
    *(Case(f"run N --picture {picture} -o D/a.svg") for picture in ("flow", "weights", "bars")),
    Case("run N --summary"), Case("run N --picture map -o D/a.svg"), Case("run --jsonl", "N"),
    Case("run N --all"), Case("run N --token 0"), Case("run N --by-hand 2"), Case("run N --arithmetic exact"),
    Case(f"why N {FIRST}"), Case(f"why N {FIRST} --json"), Case(f"why N {FIRST} -o D/a.html"),
    Case(f"why N {FIRST} -o D/a.tex"), Case(f"why N {FIRST} --sensitivity"),
    Case("step N --plain", "show\nnext\nnext\nset temperature=2\nwhy\nq\n"),
    Case("compare N --set temperature=2"), Case("compare N --set temperature=2 --json"),
    Case("compare N --set temperature=2 -o D/a.html"),
    Case("check N --answer weights=1"), Case("check N N"), Case("check draw N"), Case("check N --code"),
    Case("verify N"), Case("verify N --json"), Case("verify N --update"),
    Case("sweep N temperature 1 4"), Case("sweep N temperature 1 4 --json"),
    Case("sweep N temperature 1 4 -o D/a.svg"),
    Case("quiz N", "1\n\n1\n"), Case("quiz draw --answers N"), Case("quiz --resume N", "1\n"),
    Case("show N"), Case("show N --set temperature=2"), Case("new --from N"),
)  # fmt: skip


class Taken(NamedTuple):
    """Seconds of processor time, MB at the peak, the exit code, the first words that were said on standard error."""

    seconds: float
    megabytes: float
    code: int
    said: str


def taken(case: Case, file: Path, folder: Path, limit: int = 0) -> Taken:
    """What a command takes; `limit` is the address space in KB, as `ulimit -v` has it."""
    words = [str(file) if word == "N" else word.replace("D/", f"{folder}/") for word in case.words.split()]
    typed = file.read_bytes() if case.typed == "N" else case.typed.encode()

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (ENDED, ENDED))
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit * 1024, limit * 1024))

    (folder / "typed").write_bytes(typed)
    opened = [(folder / name).open(mode) for name, mode in (("typed", "rb"), ("out", "wb"), ("said", "wb"))]
    given, out, err = opened
    with given, out, err:
        process = subprocess.Popen(
            [sys.executable, "-m", "attncalc", *words], stdin=given, stdout=out, stderr=err, preexec_fn=limited,
            env={**os.environ, "ATTNCALC_LANG": "en", "COLUMNS": "80"},
        )  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    said = (folder / "said").read_text(encoding="utf-8", errors="replace")
    return Taken(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, process.returncode, said)


def over(found: Taken) -> bool:
    """Whether it took too much, or ended in another way than with an answer or a refusal."""
    return found.seconds > MOST_SECONDS or found.megabytes > MOST_MB or found.code not in (0, 1, 2)


def afresh(shape: str, case: Case, limit: int, size: int) -> Taken:
    """What a command takes with a file of one shape in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "worst.json"
        file.write_text(SHAPES[shape](size), encoding="utf-8")
        return taken(case, file, Path(name), limit)


def tried(shape: str, cases: Sequence[Case], limit: int, size: int = MEGABYTE) -> list[tuple[Case, str, Taken]]:
    """A file of one shape and so many bytes with the commands; what takes too long is tried again, the least counts."""
    found = []
    for case in cases:
        results = [afresh(shape, case, limit, size)]
        while results[-1].seconds > MOST_SECONDS and results[-1].code in (0, 1, 2) and len(results) < TIMES:
            results.append(afresh(shape, case, limit, size))
        result = min(results, key=lambda one: one.seconds)
        found.append((case, shape, result))
        if over(result):
            print(f"{result.seconds:6.2f} s  {result.megabytes:4.0f} MB  {result.code:3}  {case.words:45} {shape}: "
                  f"{result.said[:120].strip()}", flush=True)  # fmt: skip
    return found


def main() -> int:
    """Prints what is over the aims, then the worst of each command; 1 where anything is over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], help="command lines that hold one of these words")
    parser.add_argument("--shapes", nargs="+", default=[], help="shapes whose names hold one of these words")
    parser.add_argument("--limit", type=int, default=0, help="address space in KB, as `ulimit -v` takes it")
    parser.add_argument("--size", type=int, default=MEGABYTE, help="bytes of a file: fewer may be what is not refused")
    options = parser.parse_args()
    cases = [case for case in CASES if not options.only or any(word in case.words for word in options.only)]
    shapes = [name for name in SHAPES if not options.shapes or any(word in name for word in options.shapes)]
    found = [row for shape in shapes for row in tried(shape, cases, options.limit, options.size)]
    print()
    for case in cases:
        rows = [row for row in found if row[0] == case]
        slow = max(rows, key=lambda row: row[2].seconds)
        large = max(rows, key=lambda row: row[2].megabytes)
        print(f"{case.words:45} {slow[2].seconds:6.2f} s ({slow[1]})  {large[2].megabytes:4.0f} MB ({large[1]})")
    return int(any(over(row[2]) for row in found))


if __name__ == "__main__":
    sys.exit(main())
