"""Asks a runtime and its driver every row beside captures, also after rows that end the process.

    python tests/behaviour/captures/collect.py [--store FILE]
    python tests/behaviour/captures/collect.py --compare FILE

Asks what PyGPU loads: the host runtime with PYGPU_BACKEND=host, else a card's. With `--store` the
answers are written to a JSON file; a situation in which call and capture succeed is left out.
With `--compare` they are compared with such a file. For each function that a card refuses and the
host runtime allows, or the other way round, it prints what to change in api_specs/host.toml.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from PyGPU._base.command import run
from tests.behaviour.captures import rows
from tests.behaviour.collect import nvidia_driver

ASK = Path(__file__).resolve().parent / "ask.py"
SUCCESS = {"cuda": "cudaSuccess", "cu": "CUDA_SUCCESS"}
APIS = tuple(SUCCESS)
# Seconds for all rows; after that a row counts as hung.
PATIENCE = int(os.environ.get("BEHAVIOUR_PATIENCE", "240"))

# An answer: the names of the call's status and of the end of the capture, by situation.
Answer = dict[str, list[str]]


def collect(api: str, environment: dict[str, str] | None = None) -> tuple[Any, dict[str, Answer]]:
    """Who answered, and the answers by row. One of "crash" or "hang" stands for all situations."""
    numbers = {row.key: number for number, row in enumerate(rows.load(api))}
    who: Any = None
    answers: dict[str, Answer] = {}
    first = 0
    while first < len(numbers):
        said, hung = _ask(api, first, environment)
        asked = [one["asked"] for one in said if "asked" in one]
        who = who or said[0]
        answers |= {one["key"]: one["answers"] for one in said if "key" in one}
        if not asked or asked[-1] in answers:
            break
        answers[asked[-1]] = {name: ["hang" if hung else "crash"] for name in rows.SITUATIONS}
        first = numbers[asked[-1]] + 1
    return who, answers


def _ask(api: str, first: int, environment: dict[str, str] | None) -> tuple[list[Any], bool]:
    command = [sys.executable, str(ASK), api, str(first)]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=PATIENCE
        )
        output, errors, hung = done.stdout, done.stderr, False
    except subprocess.TimeoutExpired as slow:
        output, errors, hung = (slow.stdout or b"").decode(), str(slow), True
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    if not lines:
        raise RuntimeError(f"{ASK.name} said nothing:\n{errors}")
    return lines, hung


def stored_text(who: Any, answers: dict[str, dict[str, Answer]]) -> str:
    """The answers as JSON, a row on each line."""
    parts = [f'"who": {json.dumps(who)}']
    for api, by_row in answers.items():
        good = [SUCCESS[api]] * 2
        lines = []
        for key, answer in by_row.items():
            kept = {name: said for name, said in answer.items() if said != good}
            lines.append(f"  {json.dumps(key)}: {json.dumps(kept)}")
        joined = ",\n".join(lines)
        parts.append(f'"{api}": {{\n{joined}\n}}')
    return "{" + ",\n ".join(parts) + "}\n"


def load_stored(path: Path) -> tuple[Any, dict[str, dict[str, Answer]]]:
    """Who answered, and the answers, as collect() returns them."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    answers = {}
    for api in APIS:
        good = {name: [SUCCESS[api]] * 2 for name in rows.SITUATIONS}
        answers[api] = {key: good | kept for key, kept in stored[api].items()}
    return stored["who"], answers


def differences(api: str, got: dict[str, Answer], stored: dict[str, Answer]) -> list[str]:
    """Where the runtime that was asked answers unlike the stored one, as text, and what to do.

    Rows that say why they differ are left out.
    """
    texts = []
    for row in rows.load(api):
        if row.key not in got or row.key not in stored or row.differs:
            continue
        unlike = [
            f"    {name}: stored {', '.join(stored[row.key][name])}; got {', '.join(said)}"
            for name, said in got[row.key].items()
            if said != stored[row.key][name]
        ]
        if unlike:
            texts.append("\n".join([row.key + _advice(api, row, got, stored), *unlike]))
    return texts


def _advice(api: str, row: rows.Row, got: dict[str, Answer], stored: dict[str, Answer]) -> str:
    here, there = (_refused(one[row.key]["beside"]) for one in (got, stored))
    place, name = f"host.toml, guard.{api}", row.function.removeprefix(api)
    late = "implicit" in stored[row.key]["legacy"][0].lower()
    if there and not here:
        return f" -> {place}: add {name} to {'unsafe_late' if late else 'unsafe'}"
    if here and not there:
        return f" -> {place}: remove {name}"
    if here and late and not _refused(got[row.key]["legacy"], "implicit"):
        return f" -> {place}: move {name} to unsafe_late"
    return ""


def _refused(answer: list[str], how: str = "unsupported") -> bool:
    return how in answer[0].lower()


def main() -> int:
    """The command; 1 where answers differ from the file's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", help="write all answers to this JSON file")
    parser.add_argument("--compare", help="print where the answers differ from those of this file")
    options = parser.parse_args()
    who: Any = None
    answers: dict[str, dict[str, Answer]] = {}
    for api in APIS:
        who_of_api, answers[api] = collect(api)
        who = who or who_of_api
    if options.store:
        text = stored_text(who | {"nvidia_driver": nvidia_driver()}, answers)
        Path(options.store).write_text(text, encoding="utf-8")
    lost = [
        f"{key}: {said[0]}"
        for by_row in answers.values()
        for key, answer in by_row.items()
        for said in answer.values()
        if len(said) == 1
    ]
    print(*dict.fromkeys(lost), sep="\n")
    differing: list[str] = []
    if options.compare:
        _, stored = load_stored(Path(options.compare))
        for api in APIS:
            differing += differences(api, answers[api], stored[api])
            unasked = [key for key in answers[api] if key not in stored[api]]
            print(f"{api}: {len(unasked)} rows wait for a card's answer")
    print(*differing, sep="\n")
    print(f"{who}\n{sum(map(len, answers.values()))} rows, {len(differing)} differ")
    return 1 if differing or lost else 0


if __name__ == "__main__":
    sys.exit(run(main))
