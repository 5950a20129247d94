"""Every mainloop with every tile scheduler and every epilogue: tiled and run on the CPU against float64, or refused for the reason in the table.

    combinations.py FOLDER
    combinations.py FOLDER MAINLOOP SCHEDULER EPILOGUE [HALVED...]    one of them; the last are how often M, N and K are halved

FMA, `mma.sync` and `wgmma`; data-parallel blocks, split-K, stream-K, a raster order, groups, batches and a second B, alone and in pairs; no
epilogue, a bias, an activation, a residual, a conversion, or all of that. Prints what is neither right nor refused as the table says, and of the first of those
the smallest combination that is.
"""

import concurrent.futures
import itertools
import os
import pathlib
import subprocess
import sys

# Imports leave nothing beside the sources.
sys.dont_write_bytecode = True

import shrink
from gemms import CHIPS, grouped, program

# The elements, the result of a conversion, the tile, and the tiles of C along M and N at this size.
SIZE, OTHER_SIZE = (72, 48, 100), (33, 17, 50)
# A second B is not copied first: TMA loads it as it is.
DUAL_SIZE, OTHER_DUAL_SIZE = (72, 48, 104), (33, 17, 56)
MAINLOOPS = {
    "fma": ("f32", "bf16", f'tile = (32,32,16), warps = (1,2), stages = 2, chip = "{CHIPS[0]}"', (3, 2)),
    "mma.sync": ("bf16", "f8E4M3FN", f'tile = (32,32,32), warps = (1,2), stages = 2, chip = "{CHIPS[0]}"', (3, 2)),
    "wgmma": ("bf16", "f8E4M3FN", f'tile = (64,32,32), warps = (4,1), stages = 2, chip = "{CHIPS[1]}"', (2, 2)),
}
KEYS = {
    "split_k": "split_k = 2",
    "stream_k": "stream_k = 5",
    "cluster": "cluster = (2,1)",
    "ping_pong": "ping_pong = true",
    "two_level_accumulation": "two_level_accumulation = true",
    "epilogue_stages": "epilogue_stages = 1",
    "swap_ab": "swap_ab = true",
}
# Deviations from a data-parallel kernel of one GEMM: keys of the schedule, a group, a batch, a second B.
SCHEDULERS = ["", "split_k", "stream_k", "raster", "grouped", "batch", "dual"]
PAIRS = [" ".join(pair) for pair in itertools.combinations(SCHEDULERS[1:], 2)]
OTHERS = ["cluster", "ping_pong", "two_level_accumulation", "epilogue_stages"]
# With a second B on warpgroups.
DUAL = ["cluster dual", "ping_pong dual", "two_level_accumulation dual", "epilogue_stages dual", "swap_ab dual"]
# The epilogue, and whether the result has another type.
EPILOGUES = {"none": ("", False), "bias": ("bias_gelu", False), "activation": ("relu", False), "residual": ("scales_residual", False), "conversion": ("", True), "all": ("everything", True)}
WARPS = "in a schedule without warpgroups, which have a multiple of 4 warps along M, found 1"
SEVERAL = "where a function has several matmuls, found "
ONLY_WARPGROUPS = "expected a warpgroup schedule for a matmul with a second B"
# Refusals with any epilogue: the mainloops, and the reason.
REFUSED = {
    "split_k stream_k": ("fma mma.sync wgmma", "expected no 'split_k' in a schedule with 'stream_k', found split_k = 2"),
    "split_k grouped": ("fma mma.sync wgmma", f"expected no 'split_k' {SEVERAL}"),
    "stream_k grouped": ("fma mma.sync wgmma", f"expected no 'stream_k' {SEVERAL}"),
    "raster grouped": ("fma mma.sync wgmma", f"expected no 'raster' {SEVERAL}"),
    **{key: ("fma mma.sync", f"expected no '{key}' {WARPS}") for key in OTHERS},
    **{f"{key} dual": ("wgmma", f"expected no '{key}' in the schedule of a matmul with a second B, found {key} = ") for key in ["split_k", "stream_k", "swap_ab"]},
}


def source(mainloop, scheduler, epilogue, *halved):
    """A program. `halved` is how often each extent is halved."""
    element, converted, schedule, (rows, columns) = MAINLOOPS[mainloop]
    name, converts = EPILOGUES[epilogue]
    words = scheduler.split()
    keys = [KEYS[word] for word in words if word in KEYS]
    if "raster" in words:
        many = (",2", f",{rows * columns}") if "batch" in words else ("", "")
        keys.append(f'raster = "({rows},{columns}{many[0]}):({columns},1{many[1]})"')
    schedule = ", ".join([*schedule.split(", chip")[:1], *keys, f"chip{schedule.split(', chip')[1]}"])
    elements = f"{element}>{converted}" if converts else element
    batch = (2, ("packed", "gap", "packed")) if "batch" in words else None
    dual = "dual" in words
    size, other = (DUAL_SIZE, OTHER_DUAL_SIZE) if dual else (SIZE, OTHER_SIZE)
    size = tuple(extent >> times for extent, times in zip(size, halved or (0, 0, 0)))
    if "grouped" in words:
        sizes = [(*size, *([batch] if batch else [])), other]
        return grouped(sizes, elements, "tn", [name, name], schedule, dual)
    return program(*size, elements, "tn", schedule, name, batch, dual=dual)


def refused_for(mainloop, scheduler):
    """The mainloops that a request is refused of, one of which this is, and why."""
    mainloops, reason = REFUSED.get(scheduler, ("", ""))
    if "dual" in scheduler.split() and mainloop != "wgmma":
        return mainloop, ONLY_WARPGROUPS
    return mainloops, reason


def wrong(folder, case):
    """None where a combination is right, or refused as the table says; else the output."""
    mainloop, scheduler, *_ = case
    path = folder / ("_".join(map(str, case)).replace(" ", "_") + ".mlir")
    path.write_text(source(*case))
    done = subprocess.run(["layout-translate", path, "--pipeline", "--run-on-cpu"], capture_output=True, text=True)
    mainloops, reason = refused_for(mainloop, scheduler)
    if mainloop in mainloops.split():
        return None if reason in done.stderr else f"expected {reason}, found {done.stdout + done.stderr}"
    return None if done.returncode == 0 and ": right" in done.stdout else done.stdout + done.stderr


def simpler(case):
    """Combinations without a word of the scheduler or the epilogue, and with smaller extents."""
    mainloop, scheduler, epilogue, *halved = case
    words, halved = scheduler.split(), halved or [0, 0, 0]
    for word in words:
        yield (mainloop, " ".join(other for other in words if other != word), epilogue, *halved)
    for other in list(EPILOGUES)[: list(EPILOGUES).index(epilogue)]:
        yield (mainloop, scheduler, other, *halved)
    for place, extent in enumerate(SIZE):
        if extent >> halved[place] > 1:
            yield (mainloop, scheduler, epilogue, *(times + (at == place) for at, times in enumerate(halved)))


def smallest(folder, case, message):
    """The smallest combination that is wrong as this one is."""
    kind = shrink.kind_of(message)
    return shrink.descend(case, simpler, lambda other: other if shrink.kind_of(wrong(folder, other)) == kind else None)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    if len(sys.argv) > 2:
        case = (*sys.argv[2:5], *map(int, sys.argv[5:]))
        message = wrong(folder, case)
        print(f"{source(*case)}{message or 'right, or refused as the table says'}")
        return 1 if message else 0
    alone = itertools.product(MAINLOOPS, SCHEDULERS, EPILOGUES)
    together = itertools.product(MAINLOOPS, [*PAIRS, *OTHERS], ["all"])
    cases = [*alone, *together, *itertools.product(["wgmma"], DUAL, ["all"])]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = list(pool.map(lambda case: wrong(folder, case), cases))
    for case, text in zip(cases, found):
        if text:
            print(" ".join(case) + ": " + text)
    for case, text in [(case, text) for case, text in zip(cases, found) if text][: shrink.PROGRAMS]:
        small = smallest(folder, case, text)
        words = " ".join(f"'{word}'" for word in small)
        print(f"{' '.join(case)}: the smallest that is wrong in this way, run again by python3 {sys.argv[0]} {folder} {words}\n{source(*small)}", end="")
    refused = sum(mainloop in refused_for(mainloop, scheduler)[0].split() for mainloop, scheduler, _ in cases)
    failed = sum(text is not None for text in found)
    print(f"{len(cases) - refused - failed} combinations are right, {refused} are refused, {failed} are neither")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
