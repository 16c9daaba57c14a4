"""Asks all rows of the behaviour table, also after rows that end the process, and compares.

    python tests/behaviour/collect.py cuda [--store FILE]
    python tests/behaviour/collect.py cuda --unanswered

Prints each row whose answer differs from the table, and how many rows do. Runs on the runtime that
PyGPU loads: the host runtime with PYGPU_BACKEND=host, else a card's. With `--unanswered` it asks
nothing and lists the rows without a stored answer of a card, which need the next --store.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import table

from PyGPU._base.command import run

ASK = Path(__file__).resolve().parent / "ask.py"
# Seconds for all rows; after that a row counts as hung.
PATIENCE = int(os.environ.get("BEHAVIOUR_PATIENCE", "120"))


def collect(api: str, environment: dict[str, str] | None = None) -> dict[str, Any]:
    """The runtime's answers: `who`, and `answers` by key (the code may be "crash" or "hang").

    `skipped` are the keys of the rows that need more devices or a newer runtime.
    """
    rows = table.load(api)
    numbers = {row.key: number for number, row in enumerate(rows)}
    who: dict[str, Any] = {}
    answers: dict[str, Any] = {}
    skipped: set[str] = set()
    first = 0
    while first < len(rows):
        asked, said, hung = _ask(api, first, environment)
        for one in said:
            if "driver" in one:
                who = one
            elif "key" in one:
                answers[one["key"]] = {k: v for k, v in one.items() if k != "key"}
            elif "skipped" in one:
                skipped.add(one["skipped"])
        if not asked:
            break
        last = asked[-1]
        if last in answers:
            break
        answers[last] = {"code": "hang" if hung else "crash"}
        first = numbers[last] + 1
    return {"who": who, "answers": answers, "skipped": skipped}


def _ask(
    api: str, first: int, environment: dict[str, str] | None
) -> tuple[list[str], list[Any], bool]:
    command = [sys.executable, str(ASK), api, str(first)]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=PATIENCE
        )
        output, errors, hung = done.stdout, done.stderr, False
    except subprocess.TimeoutExpired as slow:
        output = (slow.stdout or b"").decode()
        errors, hung = (slow.stderr or b"").decode(), True
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    asked = [one["asked"] for one in lines if "asked" in one]
    if not lines:
        raise RuntimeError(f"ask.py said nothing:\n{errors}")
    return asked, lines, hung


def differences(api: str, answers: dict[str, Any], on_card: bool) -> list[str]:
    """The rows that were answered unlike the table, as text."""
    matches = []
    for row in table.load(api):
        got = answers.get(row.key)
        if got is None:
            continue
        if on_card and row.card == "varies":
            continue
        expected = row.card if on_card and row.card is not None else row.code
        good = got["code"] == expected and got.get("holds") is not False
        if not good or got.get("after") is False:
            text = f"{row.key} {'; '.join((*row.before, row.call))}: expected {expected}"
            matches.append(f"{text}, got {got}{' (in doubt)' if row.doubt else ''}")
    return matches


def unanswered(api: str) -> list[table.Row]:
    """The rows for which no stored file of a card has an answer."""
    stored: set[str] = set()
    for path in sorted((table.FOLDER / "answers").glob(f"{api}-*.json")):
        stored |= set(json.loads(path.read_text(encoding="utf-8"))["answers"])
    return [row for row in table.load(api) if row.key not in stored]


def nvidia_driver() -> str:
    """The version of the kernel driver; empty where there is none."""
    try:
        text = Path("/proc/driver/nvidia/version").read_text(encoding="utf-8")
    except OSError:
        return ""
    match = re.search(r"\d+\.\d+(\.\d+)?", text)
    return match.group(0) if match else ""


def stored_text(who: dict[str, Any], answers: dict[str, Any], rows: Sequence[table.Row]) -> str:
    """The answers as JSON, one per line, without empty values."""
    lines = []
    for row in rows:
        if row.key in answers:
            kept = {
                what: answers[row.key].get(what) for what in ("code", "values", "holds", "after")
            }
            present = {what: value for what, value in kept.items() if value not in (None, [])}
            lines.append(f"  {json.dumps(row.key)}: {json.dumps({'call': row.call} | present)}")
    joined = ",\n".join(lines)
    return f'{{"who": {json.dumps(who)},\n "answers": {{\n{joined}\n}}}}\n'


def main() -> int:
    """The command; 1 when an answer differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("api", choices=("cuda", "hip", "cu"))
    parser.add_argument("--store", help="write all answers to this JSON file")
    parser.add_argument("--unanswered", action="store_true", help="list rows without stored answer")
    options = parser.parse_args()
    if options.unanswered:
        waiting = unanswered(options.api)
        print(*(f"{row.key} {'; '.join((*row.before, row.call))}" for row in waiting), sep="\n")
        print(f"{len(waiting)} rows wait for a card's answer")
        return 0
    result = collect(options.api)
    rows = table.load(options.api)
    if options.store:
        text = stored_text(
            result["who"] | {"nvidia_driver": nvidia_driver()}, result["answers"], rows
        )
        Path(options.store).write_text(text, encoding="utf-8")
    on_card = not result["who"]["device"].startswith("PyGPU host device")
    differing = differences(options.api, result["answers"], on_card)
    print(*differing, sep="\n")
    pairs = {(row.function, row.code) for row in rows}
    functions = {function for function, _ in pairs if function}
    print(
        f"{result['who']}\n{len(rows)} rows, {len(result['answers'])} asked, "
        f"{len(differing)} differ; {len(functions)} functions, {len(pairs)} functions with code"
    )
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(run(main))
