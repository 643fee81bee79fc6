"""Metadata of torch DCP that lie."""

import json
import pickle
from functools import partial

from hostile import CASES, case, dcp
from pickles import METADATA, Properties, dcp_metadata, dcp_tensor, record


HUGE = (10**9, 10**9)


def lying(folder, shape=(4,), chunks=(((0,), (4,)),), file="__0_0.distcp", name="w"):
    return dcp(folder, dcp_metadata({name: dcp_tensor(shape, *chunks)}, [(name, chunks[0][0], file, 0, 16)]))


LIES = {  # what must be said of it
    "with_10_18_elements": ("more than 2^56 elements", {"shape": HUGE, "chunks": (((0, 0), HUGE),)}),
    "with_a_block_of_10_18_elements": ("more than 2^56 elements", {"shape": (4, 4), "chunks": (((0, 0), HUGE),)}),
    "with_a_negative_size": ("expected size as a size of 0 or more, got -4", {"shape": (-4,)}),
    "with_a_size_beyond_64_bits": (
        "expected size as an integer of 64 bits, got an integer beyond 64 bits",
        {"shape": (2**70,)},
    ),
    "with_17_dimensions": ("expected up to 16 sizes", {"shape": (1,) * 17, "chunks": (((0,) * 17, (1,) * 17),)}),
    "of_a_file_above": ("expected the name of a file beside it", {"file": "../__0_0.distcp"}),
    "of_an_absolute_file": ("expected the name of a file beside it", {"file": "/etc/passwd"}),
    "of_a_foreign_file": ("expected a name such as __3_0.distcp", {"file": "passwd"}),
    "of_writer_2_31": ("expected a name such as __3_0.distcp", {"file": "__2147483647_0.distcp"}),
    "with_a_name_of_control_characters": ("printable UTF-8", {"name": "\x1b[2Jw"}),
}
for name, (says, lie) in LIES.items():
    CASES[f"dcp_{name}"] = (says, partial(lying, **lie))


@case
def dcp_with_text_for_sizes(folder):
    """as a list or a tuple, got"""
    tensor = record(METADATA, "TensorStorageMetadata", size="4", chunks=[], properties=Properties())
    metadata = record(METADATA, "Metadata", state_dict_metadata={"w": tensor}, storage_data={})
    return dcp(folder, pickle.dumps(metadata, 4))


@case
def dcp_without_places(folder):
    """with the key storage_data, it has none"""
    metadata = record(METADATA, "Metadata", state_dict_metadata={})
    return dcp(folder, pickle.dumps(metadata, 4))


@case
def megatron_of_an_unknown_backend(folder):
    """expected sharded_backend torch_dist or fsdp_dtensor, got zarr"""
    (folder / "metadata.json").write_text(json.dumps({"sharded_backend": "zarr"}))
    return dcp(folder, dcp_metadata({}, []))
