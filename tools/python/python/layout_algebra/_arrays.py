"""numpy arrays in and out. numpy is imported by the first call that needs it, not with the package."""

import numpy as np

from ._native import Layout, LayoutError


def offsets(layout):
    data, extents = layout._offsets()
    return np.frombuffer(bytearray(data), dtype=np.int64).reshape(extents, order="F")


def mapped(layout, coordinates):
    """The offsets at an array of indices, or at arrays of coordinates in each mode, which are broadcast."""
    arrays = [_integers(coordinate) for coordinate in coordinates]
    if len(arrays) == 1:
        return _at(layout, arrays[0])
    if len(arrays) != len(layout):
        raise LayoutError(f"expected a coordinate in each of {len(layout)} modes of {layout}, found {len(arrays)}")
    index, step = 0, 1
    for mode, (array, part) in enumerate(zip(np.broadcast_arrays(*arrays), layout)):
        extent = part.size()
        if array.size and not (0 <= array.min() and array.max() < extent):
            raise LayoutError(f"expected coordinates of mode {mode} from 0 to {extent - 1}, found {array.min()} to {array.max()}")
        index = index + array * step
        step *= extent
    return _at(layout, index)


def layout_of(values, shape):
    if shape is None and getattr(values, "ndim", 1) > 1:
        shape = tuple(values.shape)
    array = _integers(np.asarray(values))
    if shape is not None:
        return Layout._of_offsets(array.tobytes(order="F"), shape)
    from ._native import layout_of as found

    return found(tuple(array.tolist()))


def _integers(array):
    array = np.asarray(array)
    if array.dtype.kind not in "iu":
        raise TypeError(f"expected an array of integers, found one of {array.dtype}")
    return array.astype(np.int64)


def _at(layout, indices):
    data = layout._mapped(indices.tobytes())
    return np.frombuffer(bytearray(data), dtype=np.int64).reshape(indices.shape)
