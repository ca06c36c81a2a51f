"""The tensor: a NumPy array that remembers how it was computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import EllipsisType, MappingProxyType
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from edgegen.errors import ModelError
from edgegen.frontend import mode
from edgegen.frontend.tape import Array, Attr, BackwardStep, Pull, Record, backward_steps

Index: TypeAlias = int | slice | EllipsisType | tuple[int | slice | EllipsisType, ...]


class Tensor:
    """An array with a tape.

    Floats default to float32; an array keeps its own type, so float64 works throughout (for gradient checks).
    Operators and functions on tensors give new tensors that know their `record`. After `backward()`, leaves
    with `requires_grad` hold the sum of their gradients in `grad`, a plain array.

    Comparisons are elementwise and tensors hash by identity. NumPy functions do not accept tensors silently
    (their result would have lost its tape): use the functions of `edgegen.frontend.functional`, or read
    the array by `numpy()`, which shares memory.
    """

    # NumPy leaves `array + tensor` to `Tensor.__radd__`, and refuses `np.exp(tensor)`.
    __array_ufunc__ = None
    __slots__ = ("__weakref__", "_data", "_traced", "grad", "name", "record", "requires_grad")

    def __init__(self, data: npt.ArrayLike, *, requires_grad: bool = False, name: str = "") -> None:
        self._data: Array = _as_array(data)
        self._traced = False
        self.requires_grad = requires_grad
        self.grad: Array | None = None
        self.record: Record | None = None
        self.name = name

    # What is known without running: shapes and types.

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of each axis."""
        return self._data.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._data.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._data.size

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy type of an element."""
        return self._data.dtype

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a tensor without axes has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        label = f", name='{self.name}'" if self.name else ""
        grad = ", requires_grad=True" if self.requires_grad else ""
        made = f", from {self.record.op} at {self.record.source}" if self.record else ""
        if self._traced and mode.current().tracing:
            return f"Tensor(traced, shape={self.shape}, dtype={self.dtype}{label}{made})"
        values = np.array2string(
            self._data, precision=4, threshold=64, edgeitems=2, separator=", ", prefix="Tensor("
        )
        return f"Tensor({values}, shape={self.shape}, dtype={self.dtype}{label}{grad}{made})"

    # Reads of the values. While tracing, each is refused for what depends on the input.

    def _read(self, how: str) -> Array:
        if self._traced and mode.current().tracing:
            raise ModelError(_refusal(how))
        return self._data

    @property
    def data(self) -> Array:
        """The values, shared, without the tape."""
        return self._read(".data")

    @data.setter
    def data(self, values: npt.ArrayLike) -> None:
        if mode.current().tracing:
            raise ModelError(
                f"state is assigned while tracing, at {mode.caller()}: a frozen network keeps none"
            )
        array = np.asarray(values, self.dtype)
        if array.shape != self.shape:
            raise ModelError(f"tensor '{self.name}': data takes the shape {self.shape}, got {array.shape}")
        self._data = array

    def numpy(self) -> Array:
        """The values as an array that shares memory with the tensor."""
        return self._read(".numpy()")

    def item(self) -> float | int | bool:
        """The value of a tensor with a single element, as a Python number."""
        value: float | int | bool = self._read(".item()").item()
        return value

    def tolist(self) -> Any:
        """The values as nested lists."""
        return self._read(".tolist()").tolist()

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        array = self._read("NumPy")
        if dtype is not None and np.dtype(dtype) != array.dtype:
            if copy is False:
                raise ValueError(f"a tensor of {array.dtype} cannot become {np.dtype(dtype)} without a copy")
            return array.astype(dtype)
        return array.copy() if copy else array

    def __dlpack__(self, **options: Any) -> Any:
        return self._read("DLPack").__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._data.__dlpack_device__()

    @classmethod
    def from_dlpack(cls, source: Any) -> Self:
        """A tensor that shares memory with `source`, an array in main memory of any library with DLPack.

        No gradient flows back into `source`. Raises ModelError for what gives no such array.
        """
        try:
            return cls(np.from_dlpack(source))
        except (AttributeError, BufferError, RuntimeError, TypeError) as error:
            raise ModelError(
                f"from_dlpack takes an array with DLPack in main memory, got a {type(source).__name__}: "
                f"{error}; move it to the CPU and detach it from its gradients first"
            ) from error

    def __bool__(self) -> bool:
        return bool(self._read("bool()"))

    def __float__(self) -> float:
        return float(self._read("float()").item())

    def __int__(self) -> int:
        return int(self._read("int()").item())

    def __index__(self) -> int:
        return self._read("an index").__index__()

    def __iter__(self) -> Iterator[Tensor]:
        self._read("iteration")
        return (self[i] for i in range(len(self)))

    def __contains__(self, value: object) -> bool:
        return value in self._read("in")

    # The tape.

    def backward(self, gradient: Array | None = None) -> None:
        """Add the gradient of this tensor to `grad` of every leaf that requires one."""
        for _ in backward_steps(self, gradient):
            pass

    def backward_steps(self, gradient: Array | None = None) -> Iterator[BackwardStep]:
        """Like `backward`, one record a step: print each to see the gradients travel."""
        return backward_steps(self, gradient)

    def detach(self) -> Tensor:
        """The same values, through which no gradient flows."""
        return apply("identity", (self,), self._data, None)

    def astype(self, dtype: npt.DTypeLike) -> Tensor:
        """The values in another type; gradients come back in this one."""
        return _shape.cast(self, dtype)

    # Operators and the methods that users expect on an array.

    def __add__(self, other: Operand) -> Tensor:
        return _arithmetic.add(self, other)

    def __radd__(self, other: Operand) -> Tensor:
        return _arithmetic.add(other, self)

    def __sub__(self, other: Operand) -> Tensor:
        return _arithmetic.sub(self, other)

    def __rsub__(self, other: Operand) -> Tensor:
        return _arithmetic.sub(other, self)

    def __mul__(self, other: Operand) -> Tensor:
        return _arithmetic.mul(self, other)

    def __rmul__(self, other: Operand) -> Tensor:
        return _arithmetic.mul(other, self)

    def __truediv__(self, other: Operand) -> Tensor:
        return _arithmetic.div(self, other)

    def __rtruediv__(self, other: Operand) -> Tensor:
        return _arithmetic.div(other, self)

    def __pow__(self, exponent: float) -> Tensor:
        return _arithmetic.power(self, exponent)

    def __neg__(self) -> Tensor:
        return _arithmetic.neg(self)

    def __matmul__(self, other: Tensor) -> Tensor:
        return _matrix.matmul(self, other)

    def __lt__(self, other: Operand) -> Tensor:  # type: ignore[misc]
        return _arithmetic.compare("less", self, other)

    def __le__(self, other: Operand) -> Tensor:  # type: ignore[misc]
        return _arithmetic.compare("less_equal", self, other)

    def __gt__(self, other: Operand) -> Tensor:  # type: ignore[misc]
        return _arithmetic.compare("greater", self, other)

    def __ge__(self, other: Operand) -> Tensor:  # type: ignore[misc]
        return _arithmetic.compare("greater_equal", self, other)

    def __eq__(self, other: object) -> Tensor:  # type: ignore[override]
        return _arithmetic.compare("equal", self, other)

    def __ne__(self, other: object) -> Tensor:  # type: ignore[override]
        return _arithmetic.compare("not_equal", self, other)

    __hash__ = object.__hash__

    def __getitem__(self, index: Index) -> Tensor:
        return _shape.strided_slice(self, index)

    def sum(self, axes: int | Sequence[int] | None = None, *, keepdims: bool = False) -> Tensor:
        """The sum over `axes`, all by default."""
        return _reduce.sum(self, axes, keepdims=keepdims)

    def mean(self, axes: int | Sequence[int] | None = None, *, keepdims: bool = False) -> Tensor:
        """The mean over `axes`, all by default."""
        return _reduce.mean(self, axes, keepdims=keepdims)

    def max(self, axes: int | Sequence[int] | None = None, *, keepdims: bool = False) -> Tensor:
        """The maximum over `axes`, all by default."""
        return _reduce.reduce_max(self, axes, keepdims=keepdims)

    def argmax(self, axis: int = -1) -> Tensor:
        """The position of the first maximum along `axis`."""
        return _reduce.arg_max(self, axis=axis)

    def reshape(self, *shape: int) -> Tensor:
        """The same elements in another shape; one extent may be -1."""
        return _shape.reshape(self, shape)

    def flatten(self, start: int = 1) -> Tensor:
        """All axes from `start` on as one."""
        return _shape.flatten(self, start)

    def transpose(self, *perm: int) -> Tensor:
        """The axes in the order `perm`, reversed by default."""
        return _shape.transpose(self, perm or tuple(reversed(range(self.ndim))))


Operand: TypeAlias = Tensor | npt.NDArray[Any] | float | int


class Parameter(Tensor):
    """A tensor that training changes: a leaf of the tape."""

    __slots__ = ()

    def __init__(self, data: npt.ArrayLike, *, name: str = "", requires_grad: bool = True) -> None:
        super().__init__(data, requires_grad=requires_grad, name=name)


class Buffer(Tensor):
    """State that is saved with the weights and not trained, such as running statistics."""

    __slots__ = ()


def _as_array(data: npt.ArrayLike) -> Array:
    if isinstance(data, np.ndarray | np.generic | Tensor):
        return np.asarray(data)
    array = np.asarray(data)
    return array.astype(np.float32) if array.dtype.kind == "f" else array


def _refusal(how: str) -> str:
    source = mode.caller()
    module = f" in module '{mode.current().module}'" if mode.current().module else ""
    return (
        f"data-dependent control flow at {source}: `{source.text}`{module}: {how} reads a value that is "
        "computed from the input and known only when the network runs. A frozen network does the same for "
        "every input: decide by shapes or constants, or compute both ways and combine them by arithmetic"
    )


def as_tensor(value: object, like: Tensor | None = None) -> Tensor:
    """`value` itself if it is a tensor, else a constant; numbers and arrays take the type of `like`."""
    if isinstance(value, Tensor):
        return value
    array = np.asarray(value)
    return Tensor(array if like is None else array.astype(like.dtype))


def apply(
    op: str,
    inputs: tuple[Tensor, ...],
    data: Array,
    pull: Pull | None,
    attrs: Mapping[str, Attr] | None = None,
) -> Tensor:
    """The result of an operation as a tensor, recorded if a gradient or the freezer will ask for it.

    `data` is the result, `pull` maps its gradient to those of `inputs`.
    """
    now = mode.current()
    output = Tensor(data)
    output.requires_grad = now.grad and pull is not None and any(t.requires_grad for t in inputs)
    if output.requires_grad or now.tracing:
        output.record = Record(
            op, MappingProxyType(dict(attrs or {})), inputs, pull, now.module, mode.caller()
        )
        output._traced = any(t._traced for t in inputs)
    return output


# At the end, because these modules need the class above.
from edgegen.frontend.functional import arithmetic as _arithmetic  # noqa: E402
from edgegen.frontend.functional import matrix as _matrix  # noqa: E402
from edgegen.frontend.functional import reduce as _reduce  # noqa: E402
from edgegen.frontend.functional import shape as _shape  # noqa: E402
