"""Functions of f64 as kernels compute them, on the CPU, against libm's functions of long double, rounded to f64.

    doubles.py FOLDER [COUNT [SEED]]    prints the greatest distance of each function in units of the last place, over COUNT random
                                        arguments and special ones, and exits with 1 where one is above 2, with the simplest
                                        argument found whose distance is
    doubles.py show                     the functions
"""
import ctypes, itertools, math, pathlib, struct, subprocess, sys
import shrink
from linalg import BUFFERISE, LOOPS, library, run

LIMIT = 2
LIBM = ctypes.CDLL("libm.so.6")
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308,
           -1.7976931348623157e308, 709.782712893384, 709.782712893385, -745.1332191019411, -745.1332191019412, 1024.0, -1074.0, -1075.0, 2.0, 10.0, 1000.0, 0.84375, 1.25,
           1 / 0.35, 6.0, 22.0, 0.5, 40.0, math.pi, math.pi / 2, math.pi / 4, 1e15]


def anywhere(dice):
    """Each exponent as often as others."""
    return math.ldexp(dice.uniform(1.0, 2.0), dice.randint(-1074, 1023))


def signed(dice):
    return dice.choice([-1, 1]) * anywhere(dice)


def near(low, high):
    return lambda dice: dice.uniform(low, high)


DOMAINS = {
    "exp": [near(-750, 712), near(-1, 1), signed], "exp2": [near(-1100, 1026), near(-1, 1), signed], "expm1": [near(-50, 712), near(-1, 1), signed],
    "log": [anywhere, near(0.5, 2.0)], "log2": [anywhere, near(0.5, 2.0)], "log10": [anywhere, near(0.5, 2.0)], "log1p": [anywhere, near(-1, 3), signed],
    "tanh": [near(-23, 23), near(-1, 1), signed], "sinh": [near(-711, 711), near(-1.5, 1.5), signed], "cosh": [near(-711, 711), near(-1.5, 1.5), signed],
    "erf": [near(-7, 7), near(-1.5, 1.5), signed],
    "acos": [near(-1.001, 1.001), signed], "acosh": [near(0.9, 3), anywhere], "asin": [near(-1.001, 1.001), signed], "asinh": [near(-3, 3), signed],
    "atan": [near(-3, 3), signed], "atanh": [near(-1.001, 1.001), signed], "cbrt": [near(-10, 10), signed],
    "erfc": [near(-7, 28), near(-1.5, 1.5), signed], "tan": [near(-10, 10), near(-1e15, 1e15), near(-1e5, 1e5)],
    "sin": [near(-10, 10), near(-1e15, 1e15), near(-1e5, 1e5)], "cos": [near(-10, 10), near(-1e15, 1e15), near(-1e5, 1e5)],
}

# Pairs of arguments: of any size, and of results that are finite and, for remainders, take few and many rounds.
PAIRS = {
    "atan2": [lambda dice: (signed(dice), signed(dice)), lambda dice: (dice.uniform(-2, 2), dice.uniform(-2, 2))],
    "powf": [lambda dice: (signed(dice), signed(dice)), lambda dice: (dice.uniform(0, 3), dice.uniform(-600, 600)), lambda dice: (anywhere(dice), dice.uniform(-1, 1)),
             lambda dice: (signed(dice), float(dice.randint(-5, 5))), lambda dice: (1 + dice.uniform(-1, 1) * 2.0 ** -dice.randint(1, 50), signed(dice) % 2.0 ** 50)],
    "remf": [lambda dice: (signed(dice), signed(dice)), lambda dice: (dice.uniform(-100, 100), dice.uniform(-10, 10)), lambda dice: (signed(dice), math.ldexp(dice.randint(1, 9), -1074))],
}

# Names of libm.
OF_LIBM = {"powf": "pow", "remf": "fmod"}

# From here on they are no numbers.
CIRCULAR_BELOW = 2.0 ** 50


def function(name, count):
    of = f"tensor<{count}xf64>"
    names = ["%x", "%y"] if name in PAIRS else ["%x"]
    operation = f"arith.{name}" if name == "remf" else f"math.{name}"
    return f"""func.func @{name}({", ".join(f"{one}: {of}" for one in names)}) -> {of} {{
  %e = tensor.empty() : {of}
  %z = linalg.map {{ {operation} }} ins({", ".join(names)} : {", ".join([of] * len(names))}) outs(%e : {of})
  return %z : {of}
}}
"""


def order(value):
    """Neighbours have neighbouring integers; both zeros are 0."""
    bits = struct.unpack("<q", struct.pack("<d", value))[0]
    return bits if bits >= 0 else -(bits & (2 ** 63 - 1))


def distance(name, x, found, expected):
    if name in ("sin", "cos", "tan") and abs(x[0]) >= CIRCULAR_BELOW:
        return 0 if math.isnan(found) else math.inf
    if math.isnan(found) or math.isnan(expected):
        return 0 if math.isnan(found) and math.isnan(expected) else math.inf
    if found == expected == 0.0:
        return 0 if math.copysign(1, found) == math.copysign(1, expected) else math.inf
    return abs(order(found) - order(expected))


def computed(code, total):
    """The results of a compiled function of `total` elements for up to as many arguments."""
    code.restype = None

    def compute(values):
        rest = [values[-1]] * (total - len(values))
        memory = [(ctypes.c_double * total)(*column) for column in zip(*values, *rest)] + [(ctypes.c_double * total)()]
        passed = []
        for one in memory:
            pointer = ctypes.cast(one, ctypes.c_void_p)
            passed += [pointer, pointer, ctypes.c_int64(0), ctypes.c_int64(total), ctypes.c_int64(1)]
        code(*passed)
        return memory[-1][: len(values)]

    return compute


def simpler(x):
    """Arguments with an exponent nearer to 0 or with fewer digits."""
    for place, value in enumerate(x):
        if math.isfinite(value):
            significand, exponent = math.frexp(value)
            lower = [0.0, abs(value), math.ldexp(significand, int(exponent / 2))]
            lower += [math.ldexp(math.trunc(significand * 2.0**bits) / 2.0**bits, exponent) for bits in range(1, 53)]
            for other in lower:
                if other != value:
                    yield (*x[:place], other, *x[place + 1 :])


def main():
    names = [*DOMAINS, *PAIRS]
    if sys.argv[1] == "show":
        print("".join(function(name, 64) for name in names))
        return 0
    folder = pathlib.Path(sys.argv[1])
    count, seed = int(sys.argv[2]) if len(sys.argv) > 2 else 3000, sys.argv[3] if len(sys.argv) > 3 else "1"
    folder.mkdir(parents=True, exist_ok=True)
    arguments = {}
    for name in names:
        dice = shrink.dice(f"{seed} {name}")
        domains = DOMAINS.get(name) or PAIRS[name]
        values = [domains[i % len(domains)](dice) for i in range(count)]
        arguments[name] = [*itertools.product(SPECIAL, SPECIAL), *values] if name in PAIRS else [(x,) for x in SPECIAL + values]
    module = "".join(function(name, len(arguments[name])) for name in names)
    taken = subprocess.run(["layout-opt", "--layout-from-linalg"], input=module, capture_output=True, text=True)
    if taken.returncode or "remark" in taken.stderr:
        sys.exit(taken.stderr)
    code = library(run(["layout-opt", *BUFFERISE, *LOOPS, "--layout-to-host"], taken.stdout), folder, "doubles")
    wrong = False
    for name in names:
        values = arguments[name]
        compute = computed(getattr(code, name), len(values))
        own = getattr(LIBM, f"{OF_LIBM.get(name, name)}l")
        own.argtypes, own.restype = [ctypes.c_longdouble] * len(values[0]), ctypes.c_longdouble
        worst, x = max((distance(name, x, found, own(*x)), x) for x, found in zip(values, compute(values)))
        if worst <= LIMIT:
            print(f"{name}: right within {LIMIT} units")
            continue
        wrong = True
        x = shrink.descend(x, simpler, lambda other: other if distance(name, other, compute([other])[0], own(*other)) > LIMIT else None)
        print(f"{name}: at most {worst} units; {compute([x])[0]!r} at {x!r}, libm {own(*x)!r}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
