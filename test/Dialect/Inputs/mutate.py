"""Mutates the suites' inputs and runs them through parsing, verifying, folding, simplifying and lowering.

    mutate.py path/to/layout-opt COUNT [--seed N] [--keep FOLDER] [--seconds N] [--repeats N] [--all-passes]

Each input must be read or refused: a signal, a panic, an internal error, more than LIMIT seconds or more
than MEMORY bytes of addresses is a finding. Inputs run in batches, split by `// -----`; a batch with a
finding is run again one input at a time. What is found is written to FOLDER, and the first findings of a run
are reduced to texts that fail in the same way (`N.smallest.mlir`). A third of the inputs are changed as operations in generic form (`structured.py`), the others as text. Samples are run `--repeats`
times in one process and then three times as often, whose memory must not differ by more than LEAK bytes.
With `--all-passes` each batch goes through one of PIPELINES.

With `--seconds`, goes on with further seeds of COUNT inputs each until that time has passed, which is
checked before each batch: the last seed's inputs are then fewer. Two samples at least are run for leaks. The same
seed gives the same inputs. Exits 1 if anything was found.
"""

import argparse
import itertools
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

# The suites' folder is no place for what Python compiles.
sys.dont_write_bytecode = True
SUITES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(SUITES, "Pipeline", "Inputs"))
import shrink
import structured

BATCH = 100
# Seconds that one input may take, and a batch.
LIMIT = 20
BATCH_LIMIT = 180
# Bytes of addresses that a process may take, so that no input takes the machine's.
MEMORY = 12 << 30
# Inputs of a sample that is run for leaks, and the bytes that a process may hold more where it runs them
# more often: what it holds goes up and down by some pages of 2 MiB.
SAMPLE = 20
LEAK = 16 << 20

SEPARATOR = "\n// -----\n"
PIPELINE = (
    "builtin.module(canonicalize,layout-fold,"
    "layout-simplify{max-nodes=300 max-iterations=4},layout-tile-matmul,layout-lower,canonicalize)"
)
PIPELINES = [
    PIPELINE,
    "builtin.module(layout-decompose-extensions,layout-propagate,layout-from-linalg,canonicalize)",
    "builtin.module(layout-from-linalg{chip=sm_80},canonicalize,cse)",
    "builtin.module(canonicalize,layout-verify)",
    "builtin.module(layout-bufferize,layout-expand-memrefs,canonicalize)",
    "builtin.module(layout-pipeline-loops,layout-lower)",
    "builtin.module(layout-to-nvvm)",
]
LIST = r"\s*=\s*\[\s*\d{1,18}(?:\s*,\s*\d{1,18})*\s*\]"
# Errors of MLIR itself: its parser makes as many values as the number after '#' or the type of `tensor.from_elements` says, and ends by a
# signal where a dense array is of indices and where lists of `linalg` are none; so do the verifier of `linalg.pack` without numbers as
# tiles, and the canonicalizer of `gpu` on dimensions below 0.
UPSTREAM = re.compile(
    r"%[\w$.-]*[#:]\s*\d{5,}|\barray\s*<\s*index\b"
    rf"|\b(?:permutation|dimensions)\b(?!{LIST})|\biterator_types\b(?!\s*=\s*\[)"
    r"|from_elements\b[^\n]*tensor<[^>\n]*\d{7}"
    rf"|linalg\.(?:un)?pack\b[^\n]*inner_tiles(?!{LIST}\s+into\b)"
    r"|constant -\d+ : index(?s:.*)memref\.dim|memref\.dim(?s:.*)constant -\d+ : index"
)
TOKEN = re.compile(r"[A-Za-z_][\w.]*|-?\d+|[%!#@^][\w.$-]*|->|\s+|.", re.S)
NUMBERS = [
    "0", "-1", "1", "2", "3", "7", "64", "65535", "65536", "2147483647", "2147483648", "4294967296",
    "4611686018427387904", "9223372036854775807", "-9223372036854775808", "18446744073709551616",
]
WORDS = [
    "_", "?", "(", ")", "<", ">", ":", ",", "o", "S<3,4,3>", "S<0,0,0>", "coalesce(", "composition(",
    "complement(", "right_inverse(", "logical_divide(", "((", "))", "(1,1)", "<_, _>", "1@0",
    "linear<{lane = [1,2]} -> {row = 4}>", "{div=8}", "coordinate", "register", "index", "f16", "bf16",
    "\u00e9", "\0", '"', "//",
]


def seeds(root):
    """The inputs of all suites, one for each part of a file."""
    parts = []
    for folder, _, files in sorted(os.walk(root)):
        if os.sep + "Inputs" in folder or "Plugin" in folder:
            continue
        for name in sorted(files):
            if name.endswith(".mlir"):
                with open(os.path.join(folder, name)) as file:
                    parts.extend(re.split(r"^// -----.*$", file.read(), flags=re.M))
    # Comments are not tested; they have the commands of lit.
    parts = [re.sub(r"^\s*//.*\n", "", part, flags=re.M).strip() for part in parts]
    return sorted({part for part in parts if part})


def nudge(rng, text):
    """Replaces every occurrence of one number, so that types still fit each other."""
    tokens = TOKEN.findall(text)
    for _ in range(rng.choice([1, 1, 2, 3])):
        numbers = sorted({token for token in tokens if token.isdigit()})
        if not numbers:
            break
        old = rng.choice(numbers)
        near = [int(old) + 1, max(int(old) - 1, 0), int(old) * 2, int(old) // 2, 1, 0, 3]
        new = str(rng.choice(near + [int(rng.choice(numbers))]))
        tokens = [new if token == old else token for token in tokens]
    return "".join(tokens)


def mutate(rng, parts, text):
    if rng.random() < 0.6:
        return nudge(rng, text)
    tokens = TOKEN.findall(text)
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 5, 8])):
        if not tokens:
            return ""
        i = rng.randrange(len(tokens))
        numbers = [k for k, token in enumerate(tokens) if re.fullmatch(r"-?\d+", token)]
        match rng.randrange(10):
            case 0 | 1 | 2 if numbers:
                tokens[rng.choice(numbers)] = rng.choice(NUMBERS)
            case 3:
                tokens[i] = rng.choice(WORDS)
            case 4:
                tokens.insert(i, rng.choice(WORDS + NUMBERS))
            case 5:
                del tokens[i : i + rng.choice([1, 1, 2, 5])]
            case 6:
                j = rng.randrange(len(tokens))
                tokens[i], tokens[j] = tokens[j], tokens[i]
            case 7:
                other = TOKEN.findall(rng.choice(parts))
                j = rng.randrange(len(other))
                tokens[i : i + rng.choice([0, 1, 4])] = other[j : j + rng.choice([1, 3, 8])]
            case 8:
                tokens[i:i] = tokens[i : i + rng.choice([1, 2, 8])] * rng.choice([1, 1, 2, 40])
            case _:
                tokens[i:] = tokens[i + rng.choice([1, 3, 20]) :]
    return "".join(tokens).replace("// -----", "")


def inputs(rng, parts, right, generic, count):
    """Mutants, most of them of inputs that are right: theirs reach the passes."""
    known = sorted(set(re.findall(r'"(layout\.\w+)"', "\n".join(generic))))
    while count > 0:
        if generic and rng.random() < 0.33:
            text = structured.mutate(rng, rng.choice(generic), known)
        else:
            text = mutate(rng, parts, rng.choice(right if right and rng.random() < 0.8 else parts))
        if not UPSTREAM.search(text):
            yield text
            count -= 1


def generic_forms(tool, parts):
    """The inputs that are read without an error, in generic form, each in its part's place; nothing for others."""
    command = [tool, "-", "--split-input-file", "--mlir-print-op-generic"]
    done = subprocess.run(command, input=SEPARATOR.join(parts), capture_output=True, text=True, errors="replace")
    forms = [form.strip() for form in re.split(r"^// -----$", done.stdout, flags=re.M)]
    if len(forms) == len(parts):
        return forms
    # One that ends the process is alone in the end, and is a finding of the runs.
    half = len(parts) // 2
    return generic_forms(tool, parts[:half]) + generic_forms(tool, parts[half:]) if half else [""]


def limited():
    """In a process that is about to start."""
    # Whoever started this may have set a lower limit, which is not to be raised.
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = MEMORY if most == resource.RLIM_INFINITY else min(MEMORY, most)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def held(tool, texts):
    """The most bytes of memory that a run of inputs held."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir", errors="surrogateescape") as file:
        file.write(SEPARATOR.join(texts))
        file.flush()
        command = [tool, file.name, "--split-input-file", f"--pass-pipeline={PIPELINE}"]
        command += ["--mlir-disable-threading", "-o", os.devnull]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, preexec_fn=limited)
        _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_maxrss * 1024


def leak(tool, texts, repeats):
    """Nothing, or the bytes that each input leaks, beyond its own text."""
    few, many = held(tool, texts * repeats), held(tool, texts * repeats * 3)
    left = many - few - 2 * repeats * sum(len(text) + len(SEPARATOR) for text in texts)
    count = 2 * repeats * len(texts)
    return f"{left // count} bytes leaked by each of {count} inputs" if left > LEAK else None


def run(tool, text, limit, pipeline=PIPELINE):
    """Nothing, or what is wrong."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir", errors="surrogateescape") as file:
        file.write(text)
        file.flush()
        command = [tool, file.name, "--split-input-file", f"--pass-pipeline={pipeline}"]
        command += ["--mlir-print-op-on-diagnostic=false", "-o", os.devnull]
        environment = dict(os.environ, LLVM_DISABLE_SYMBOLIZATION="1", RUST_BACKTRACE="0")
        try:
            done = subprocess.run(
                command,
                stderr=subprocess.PIPE,
                timeout=limit,
                env=environment,
                errors="replace",
                preexec_fn=limited,
            )
        except subprocess.TimeoutExpired:
            return f"more than {limit} s"
    if done.returncode < 0:
        return f"ended by {signal.Signals(-done.returncode).name}"
    if done.returncode not in (0, 1):
        return f"exit code {done.returncode}"
    wrong = re.search(r"panicked at.*|.*internal error.*", done.stderr)
    return wrong.group(0) if wrong else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tool")
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default=os.path.join(tempfile.gettempdir(), "layout-mutants"))
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--all-passes", action="store_true")
    arguments = parser.parse_args()
    parts = seeds(SUITES)
    forms = generic_forms(arguments.tool, parts)
    right = [part for part, form in zip(parts, forms) if form]
    generic = sorted({form for form in forms if form and '"layout.' in form})
    found, count, samples, seed, started = 0, 0, 0, arguments.seed, time.monotonic()

    def is_over():
        return time.monotonic() - started >= arguments.seconds

    while samples == 0 or not is_over():
        rng = random.Random(seed)
        texts = inputs(rng, parts, right, generic, arguments.count)
        first, begin = [], 0
        # A round without a time goes through all of its inputs.
        while begin == 0 or not (arguments.seconds and is_over()):
            batch = list(itertools.islice(texts, BATCH))
            if not batch:
                break
            found += findings(arguments, seed, begin, batch)
            first = first or batch[:SAMPLE]
            begin += len(batch)
        count += begin
        # Valid inputs, and mutants.
        chosen = random.Random(f"{seed} samples").sample(right, min(SAMPLE, len(right)))
        for sample in () if samples and is_over() else (chosen, first):
            samples += 1
            if wrong := leak(arguments.tool, sample, arguments.repeats):
                found += 1
                path = keep(arguments, f"{seed}-leak-{samples}", SEPARATOR.join(sample))
                print(f"{path}: {wrong}", flush=True)
        seed += 1
    seconds = time.monotonic() - started
    seeds_text = f"{len(parts)} seeds, {len(right)} of them right"
    leaks = f"{samples} samples run for leaks"
    print(f"{count} inputs from {seeds_text}, {leaks}, in {seconds:.0f} s: {found} findings")
    sys.exit(1 if found else 0)


def findings(arguments, seed, begin, batch):
    """How many inputs of a batch are wrong, counted from `begin`; each is written to the folder."""
    found = 0
    place = seed + begin // BATCH if arguments.all_passes else 0
    pipeline = PIPELINES[place % len(PIPELINES)]
    if run(arguments.tool, SEPARATOR.join(batch), BATCH_LIMIT, pipeline) is None:
        return found
    for k, text in enumerate(batch):
        if wrong := run(arguments.tool, text, LIMIT, pipeline):
            found += 1
            name = f"{seed}-{begin + k}"
            print(f"{keep(arguments, name, text)}: {wrong} in {pipeline}", flush=True)
            if next(REDUCED) < shrink.PROGRAMS:
                small = reduced(arguments.tool, text, wrong, pipeline)
                print(f"{keep(arguments, f'{name}.smallest', small)} fails in the same way:\n{small}", flush=True)
    return found


# Counts the findings of a run.
REDUCED = itertools.count()


def reduced(tool, text, wrong, pipeline):
    """A small text that fails as this one does: without lines, without tokens, and with 1 for numbers."""
    kind = shrink.kind_of(wrong)

    def accept(other):
        return other if shrink.kind_of(run(tool, "".join(other), LIMIT, pipeline)) == kind else None

    lines = shrink.descend(text.splitlines(keepends=True), without, accept)
    return "".join(shrink.descend(TOKEN.findall("".join(lines)), fewer, accept))


def without(parts):
    """Lists without a run of their parts, the longest runs first."""
    length = len(parts)
    while length:
        for begin in range(len(parts) - length, -1, -length):
            yield parts[:begin] + parts[begin + length :]
        length //= 2


def fewer(tokens):
    """Lists without a run of tokens, and with a lower number."""
    yield from without(tokens)
    for place, token in enumerate(tokens):
        if token.isdigit() and int(token) > 1:
            yield tokens[:place] + ["1"] + tokens[place + 1 :]


def keep(arguments, name, text):
    """Writes an input to the folder of findings, and says where."""
    os.makedirs(arguments.keep, exist_ok=True)
    path = os.path.join(arguments.keep, f"{name}.mlir")
    with open(path, "w", errors="surrogateescape") as file:
        file.write(text)
    return path


if __name__ == "__main__":
    main()
