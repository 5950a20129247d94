from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, TypeAlias

# An object with `__dlpack__` or `__cuda_array_interface__`.
Tensor: TypeAlias = Any
# An integer, or an object with `__cuda_stream__`, `cuda_stream` or `ptr`.
Stream: TypeAlias = Any

HAS_COMPILER: bool
__version__: str

class CompileError(Exception):
    diagnostics: list[Diagnostic]

class OperandError(ValueError):
    function: str
    operand: int | None
    name: str | None
    property: str
    expected: str
    found: str

class DriverError(RuntimeError): ...
class NoGpuError(DriverError): ...

class Diagnostic:
    @property
    def severity(self) -> str: ...
    @property
    def location(self) -> str | None: ...
    @property
    def message(self) -> str: ...
    @property
    def notes(self) -> list[Diagnostic]: ...

class Operand:
    @property
    def name(self) -> str: ...
    @property
    def element(self) -> str: ...
    @property
    def access(self) -> str: ...
    @property
    def shape(self) -> list[str]: ...
    @property
    def strides(self) -> list[str | None]: ...

class Function:
    @property
    def name(self) -> str: ...
    @property
    def __name__(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def operands(self) -> list[Operand]: ...
    @property
    def sizes(self) -> dict[str, tuple[int, int, int]]: ...
    def __call__(
        self,
        *operands: Tensor,
        out: Tensor | Sequence[Tensor] | None = None,
        stream: Stream | None = None,
        sizes: Mapping[str, int] | None = None,
    ) -> Any: ...
    def bind(
        self,
        *operands: Tensor,
        out: Tensor | Sequence[Tensor] | None = None,
        sizes: Mapping[str, int] | None = None,
    ) -> dict[str, int]: ...
    def specialize(self, *operands: Tensor) -> Function: ...
    @property
    def specializations(self) -> dict[tuple[tuple[int, ...], ...], Function]: ...
    def results(
        self, *operands: Tensor, sizes: Mapping[str, int] | None = None
    ) -> list[tuple[str, list[int], list[int]]]: ...

class Module:
    @property
    def chip(self) -> str: ...
    @property
    def diagnostics(self) -> list[Diagnostic]: ...
    @property
    def functions(self) -> dict[str, Function]: ...
    @property
    def kernels(self) -> dict[str, Function]: ...
    @property
    def manifest(self) -> str: ...
    @property
    def ptx(self) -> str | None: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def __getattr__(self, name: str) -> Function: ...
    def __call__(
        self,
        *operands: Tensor,
        out: Tensor | Sequence[Tensor] | None = None,
        stream: Stream | None = None,
        sizes: Mapping[str, int] | None = None,
    ) -> Any: ...

class Array:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> str: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

def compile(
    source: str | bytes | PathLike[str] | object,
    *,
    chip: str | None = None,
    opt_level: int = 3,
    cache: str | PathLike[str] | bool | None = None,
) -> Module: ...
def jit(
    source: str | bytes | PathLike[str] | object,
    *,
    chip: str | None = None,
    opt_level: int = 3,
    cache: str | PathLike[str] | bool | None = None,
    limit: int = 16,
) -> Module: ...
def chips() -> list[str]: ...
def load(path: str | PathLike[str]) -> Module: ...
