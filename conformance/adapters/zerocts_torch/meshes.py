"""Meshes of ranks, whose process groups are made once."""

from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import debug

CACHES_BY_MESH = ("sharding_prop", "python_sharding_prop", "fast_path_sharding_prop")  # one or two of them in a release


class Meshes:
    def __init__(self):
        self._made = {}

    def of(self, device_kind, **axes):
        """`axes`: names and sizes, the outermost first."""
        key = (device_kind, *axes.items())
        if key not in self._made:
            self._made[key] = init_device_mesh(device_kind, tuple(axes.values()), mesh_dim_names=tuple(axes))
        return self._made[key]

    def forget(self):
        """After their process groups are gone: torch takes a mesh for an equal one in its cache."""
        self._made.clear()
        for cache in CACHES_BY_MESH:
            getattr(debug, f"_clear_{cache}_cache", lambda: None)()
