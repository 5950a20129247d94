"""From JAX to a C library: JAX lowers a function to StableHLO, iree-compile lowers it to linalg, and layout-compile builds the library.

    pip install jax==0.10.2 iree-base-compiler==3.13.0
    python from_jax.py jax_mlp.mlir
    layout-compile jax_mlp.mlir -o jax_mlp.so
"""

import re
import subprocess
import sys
import tempfile

import jax
import jax.numpy as jnp


def mlp(x, w1, b1, w2):
    h = jnp.matmul(x, w1, preferred_element_type=jnp.float32) + b1
    return jnp.matmul(jax.nn.gelu(h).astype(x.dtype), w2)


def linalg(function, *arguments):
    """The text of a function on these arguments, in linalg on tensors."""
    stablehlo = str(jax.jit(function).lower(*arguments).compiler_ir("stablehlo"))
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(stablehlo)
        file.flush()
        command = ["iree-compile", "--iree-input-type=stablehlo", "--compile-to=input", file.name]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # IREE has functions and returns of its own.
    return re.sub(r"\butil\.(func|return|call)\b", r"func.\1", text)


def main(output):
    tensor = lambda *shape, dtype=jnp.bfloat16: jax.ShapeDtypeStruct(shape, dtype)
    text = linalg(mlp, tensor(128, 256), tensor(256, 512), tensor(512, dtype=jnp.float32), tensor(512, 256))
    with open(output, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
