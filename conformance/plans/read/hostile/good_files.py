"""Good files, of which every beginning is bad."""

import pickles
from hostile import dcp, rank_file
from hostile.safetensors_files import entry, safetensors
from hostile.tensors_of_deepspeed import optimizer_file
from pickles import dcp_metadata, dcp_tensor


def good_files(folder):
    """(file, path to read) of one sound checkpoint per kind of file; whatever is missing at its end is found."""
    places = [("w", (0,), "__0_0.distcp", 0, 16)]
    for name in ("dcp", "deepspeed"):
        (folder / name).mkdir()
    metadata = dcp(folder / "dcp", dcp_metadata({"w": dcp_tensor((4,), ((0,), (4,)))}, places)) / ".metadata"
    rank = rank_file(optimizer_file(folder / "deepspeed", pickles.Tensor((4,)), {"0": b"\0" * 16}))
    whole = safetensors(folder, {f"w{i}": entry([4], 16 * i, 16 * i + 16) for i in range(8)}, b"\0" * 128)
    return [(metadata, folder / "dcp"), (rank, folder / "deepspeed"), (whole, whole)]
