"""Metadata of torch DCP that lie."""

import json
import pickle

import pickles
from hostile import case, dcp
from pickles import dcp_metadata, dcp_tensor


def lying(folder, shape=(4,), chunks=(((0,), (4,)),), file="__0_0.distcp", name="w", begin=0, count=16):
    return dcp(folder, dcp_metadata({name: dcp_tensor(shape, *chunks)}, [(name, chunks[0][0], file, begin, count)]))


@case
def dcp_with_10_18_elements(folder):
    """more than 2^56 elements"""
    return lying(folder, (10**9, 10**9), (((0, 0), (10**9, 10**9)),))


@case
def dcp_with_a_block_of_10_18_elements(folder):
    """more than 2^56 elements"""
    return lying(folder, (4, 4), (((0, 0), (10**9, 10**9)),))


@case
def dcp_with_a_negative_size(folder):
    """expected size as a size of 0 or more, got -4"""
    return lying(folder, (-4,))


@case
def dcp_with_a_size_beyond_64_bits(folder):
    """expected size as an integer of 64 bits, got an integer beyond 64 bits"""
    return lying(folder, (2**70,))


@case
def dcp_with_17_dimensions(folder):
    """expected up to 16 sizes"""
    return lying(folder, (1,) * 17, (((0,) * 17, (1,) * 17),))


@case
def dcp_of_a_file_above(folder):
    """expected the name of a file beside it"""
    return lying(folder, file="../__0_0.distcp")


@case
def dcp_of_an_absolute_file(folder):
    """expected the name of a file beside it"""
    return lying(folder, file="/etc/passwd")


@case
def dcp_of_a_foreign_file(folder):
    """expected a name such as __3_0.distcp"""
    return lying(folder, file="passwd")


@case
def dcp_of_writer_2_31(folder):
    """expected a name such as __3_0.distcp"""
    return lying(folder, file="__2147483647_0.distcp")


@case
def dcp_with_a_name_of_control_characters(folder):
    """printable UTF-8"""
    return lying(folder, name="\x1b[2Jw")


@case
def dcp_with_text_for_sizes(folder):
    """as a list or a tuple, got"""
    return dcp(
        folder,
        pickle.dumps(
            pickles.record(
                pickles.METADATA,
                "Metadata",
                state_dict_metadata={
                    "w": pickles.record(
                        pickles.METADATA, "TensorStorageMetadata", size="4", chunks=[], properties=pickles.Properties()
                    )
                },
                storage_data={},
            ),
            4,
        ),
    )


@case
def dcp_without_places(folder):
    """with the key storage_data, it has none"""
    metadata = pickles.record(pickles.METADATA, "Metadata", state_dict_metadata={})
    return dcp(folder, pickle.dumps(metadata, 4))


@case
def megatron_of_an_unknown_backend(folder):
    """expected sharded_backend torch_dist or fsdp_dtensor, got zarr"""
    (folder / "metadata.json").write_text(json.dumps({"sharded_backend": "zarr"}))
    return dcp(folder, dcp_metadata({}, []))
