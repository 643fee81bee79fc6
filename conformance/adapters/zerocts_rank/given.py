"""Arrays that a subject is given to read."""

import numpy


class Given:
    """Read-only while the subject has them. What gets around numpy's flag, as torch.from_numpy does, is found by
    comparing.
    """

    def __init__(self, arrays, names):
        """`names`: "the gradient of parameter 3". An array may be None."""
        self._arrays = {name: array for name, array in zip(names, arrays) if array is not None}
        self._bytes = {name: array.tobytes() for name, array in self._arrays.items()}
        for array in self._arrays.values():
            array.setflags(write=False)

    def written(self):
        """The names of those that are no longer what they were."""
        return [name for name, array in self._arrays.items() if array.tobytes() != self._bytes[name]]

    def poison(self):
        """After the call: the subject had to copy them."""
        for array in self._arrays.values():
            array.setflags(write=True)
            array.fill(numpy.nan)
