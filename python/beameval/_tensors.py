"""Takes what Arrow does not know for an array: tensors of torch, jax, TensorFlow and CuPy, and iterators."""

import importlib
import sys
from collections.abc import Iterator
from typing import Any

from beameval._program import Error


def plain(name: str, values: Any) -> Any:
    """Returns a tensor as an array of NumPy, a list of tensors as one of numbers or of such arrays, and what can be read
    once as a list; anything else as it is. What has no rows in an order, or more than rows and columns, is an Error."""
    if isinstance(values, str | bytes):
        raise Error(f"{name} is one text: pass an array, or name a column of data, as in label={values!r}")
    if isinstance(values, set | frozenset):
        raise Error(f"{name} is a set, which has no order: pass a list")
    if isinstance(values, Iterator) and not hasattr(values, "__arrow_c_stream__"):
        values = list(values)
    if isinstance(values, list | tuple):
        first: Any = next((one for one in values if one is not None), None)
        if len(getattr(first, "shape", ())) == 2:
            raise Error(f"{name} is a list of matrices, as predict_proba returns for several outputs: "
                        f"pass one with a column for each output, as in numpy.column_stack([p[:, 1] for p in {name}])")  # fmt: skip
        return [_one(one) for one in values] if _is_tensor(first) or _is_array(first) and first.shape == () else values
    shape = () if isinstance(values, int | float) else tuple(getattr(values, "shape", (None,)))
    if shape == ():
        raise Error(f"{name} is one value: pass an array with one for each row, as in reshape(1)")
    if len(shape) > 2:
        raise Error(f"{name} has {len(shape)} dimensions, of {' by '.join(map(str, shape))}: pass one or two, as in reshape(len({name}), -1)")
    return _as_numpy(values) if _is_tensor(values) else values


def _one(value: Any) -> Any:
    """Returns a row of a list: a number, or an array of NumPy."""
    if _is_tensor(value):
        value = _as_numpy(value)
    return value.item() if _is_array(value) and value.shape == () else value


def _is_array(values: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(values, numpy.ndarray)


def _is_tensor(values: Any) -> bool:
    """Reports whether values are an array of a library that Arrow does not know."""
    known = _is_array(values) or type(values).__module__.partition(".")[0] in ("numpy", "pandas", "scipy")
    if known or not (hasattr(values, "shape") and hasattr(values, "dtype")):
        return False
    if any(hasattr(values, name) for name in ("iloc", "columns", "__arrow_c_stream__", "__arrow_c_array__", "__arrow_array__")):
        return False
    return any(hasattr(values, name) for name in ("detach", "__array__", "__dlpack__"))


def _as_numpy(values: Any) -> Any:
    """Returns a tensor as an array. Types that NumPy lacks, such as bfloat16, become float32, which has all of their numbers."""
    if hasattr(values, "detach"):  # of torch
        values = values.detach().cpu()
        if values.is_sparse:
            values = values.to_dense()
        return (values.float() if str(values.dtype).startswith(("torch.bfloat", "torch.float8")) else values).numpy()
    numpy = importlib.import_module("numpy")
    try:
        found = numpy.asarray(values) if hasattr(values, "__array__") else numpy.from_dlpack(values)
    except TypeError:
        if not hasattr(values, "get"):
            raise
        found = values.get()  # of CuPy, from another device
    return found.astype("float32") if found.dtype.kind == "V" else found
