"""Reduces a random program that fails to a small one that fails in the same way.

A generator takes its random numbers from `dice(key)` in place of `random.Random(key)`: the numbers are the same, and each draw is recorded.
`smallest` removes draws and lowers them, builds the program again, and keeps it where it is smaller and fails in the same way. Every such program is one
that the generator could have made, so that it is valid without a check. `report` writes the smallest program and its draws to a folder and prints how
to run it again.

A program that is no random one has its own simpler ones: `descend` takes the function that lists them.
"""

import contextlib
import json
import pathlib
import random
import re
import time

# Seconds that the reduction of one program may take, and programs of a run that are reduced: others have the same cause more often than not.
SECONDS = 90
PROGRAMS = 2
# Draws beyond those of a record: a generator that draws until something fits ends.
MORE = 2000


class NoProgram(Exception):
    """Draws that make no program."""


class Dice(random.Random):
    """`random.Random(key)` whose draws are recorded. Draws are replaced by those of `given`, and are 0 after its end."""

    def __init__(self, key, given):
        super().__init__(key)
        self.given, self.taken = given, []

    def drawn(self, value, fits):
        """A draw: what was given at its place, or the random value where there is no record or another kind of number in it."""
        place = len(self.taken)
        if self.given is not None:
            if place > len(self.given) + MORE:
                raise NoProgram
            other = self.given[place] if place < len(self.given) else type(value)(0)
            value = fits(other) if type(other) is type(value) else value
        self.taken.append(value)
        return value

    def random(self):
        return self.drawn(super().random(), lambda other: other)

    def _randbelow(self, n):
        # All of choice, randrange, randint, shuffle and sample draw by it.
        return self.drawn(self._randbelow_with_getrandbits(n), lambda other: min(other, n - 1))


# The records that replace draws, and those of what is being built, by their keys; none outside of `built`.
GIVEN, TAKEN = None, {}


def dice(key):
    """Random numbers of a key."""
    own = Dice(key, None if GIVEN is None else GIVEN.get(key))
    TAKEN[key] = own.taken
    return own


@contextlib.contextmanager
def replayed(given):
    global GIVEN, TAKEN
    GIVEN, TAKEN = given, {}
    try:
        yield TAKEN
    finally:
        GIVEN, TAKEN = None, {}


def built(make, given=None):
    """A program and the draws that it took; none where these draws make no program."""
    with replayed(given) as taken:
        try:
            return make(), taken
        # Draws that no seed gives may break a generator anywhere: an empty choice, a size of 0.
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, NoProgram):
            return None, taken


def size(text):
    """The order of programs: fewer lines, then smaller numbers, then fewer letters."""
    return text.count("\n"), sum(min(int(number), 1 << 20) for number in re.findall(r"(?<![\w.%@])\d+", text)), len(text)


def simpler(record):
    """Records with fewer draws, the largest parts first, and with smaller ones."""
    for key, draws in record.items():
        length = len(draws)
        while length:
            for begin in range(len(draws) - length, -1, -length):
                yield {**record, key: draws[:begin] + draws[begin + length :]}
            length //= 2
        for place, draw in enumerate(draws):
            for lower in [0.0, 0.999] if isinstance(draw, float) else [0, draw // 2, draw - 1]:
                if lower != draw and lower >= 0:
                    yield {**record, key: draws[:place] + [lower] + draws[place + 1 :]}


def descend(start, simpler, accept, seconds=SECONDS):
    """The end of a chain of cases: `accept` makes the next one of a simpler case of the last, or none of one that is not smaller or does not fail."""
    ends, case, known = time.monotonic() + seconds, start, set()
    while True:
        for other in simpler(case):
            if time.monotonic() > ends:
                return case
            key = repr(other)
            if key in known:
                continue
            known.add(key)
            accepted = accept(other)
            if accepted is not None:
                case = accepted
                break
        else:
            return case


def smallest(make, text_of, failure, seconds=SECONDS):
    """The smallest program that fails as the one of `make` does, its draws, and how many were run. `failure` gives the kind of a failure, or none."""
    best, first = built(make)
    kind, texts = failure(best), {text_of(best)}

    def accept(record):
        nonlocal best
        program, taken = built(make, record)
        text = "" if program is None else text_of(program)
        if not text or text in texts or size(text) >= size(text_of(best)):
            return None
        texts.add(text)
        if failure(program) != kind:
            return None
        best = program
        return taken

    taken = descend(first, simpler, accept, seconds)
    return best, taken, len(texts)


def kind_of(message):
    """A message without its numbers, paths and names: the kind of a failure; none of no message."""
    if not message:
        return None
    lines = message.splitlines()
    line = next((line for line in lines if "error" in line or "panicked" in line), lines[0])
    return re.sub(r"[-+]?\d[\d.e+-]*|\b(nan|inf)\b|\S*/\S*|[%@]\w+", "#", line)


def report(script, folder, name, of, make, text_of, failure):
    """Reduces a program, whose words for the script are `of`; writes it and its draws to the folder, and prints it with the command that runs it again."""
    program, taken, tried = smallest(make, text_of, failure)
    folder.mkdir(parents=True, exist_ok=True)
    draws = folder / f"{name}.smallest.json"
    draws.write_text(json.dumps({"of": of, "draws": taken}))
    draws.with_suffix(".mlir").write_text(text_of(program))
    print(f"{name}: the smallest of {tried} programs that fails in this way, run again by python3 {script} again {draws}\n{text_of(program)}", flush=True)


def read(file):
    """The words and the draws of a program that `report` wrote."""
    kept = json.loads(pathlib.Path(file).read_text())
    return kept["of"], kept["draws"]
