"""Tensors beyond their storage, in files of DeepSpeed."""

import pickles
from hostile import case, rank_file
from pickles import torch_save


def optimizer_file(folder, tensor, storages):
    state = {
        "optimizer_state_dict": {
            "zero_stage": 3,
            "partition_count": 1,
            "fp32_flat_groups": [tensor],
            "optimizer_state_dict": {"state": {}},
        }
    }
    torch_save(rank_file(folder), state, storages)
    return folder


@case
def tensor_beyond_its_storage(folder):
    """reaches element 3 of a storage of 2"""
    return optimizer_file(folder, pickles.Tensor((4,), numel=2), {"0": b"\0" * 8})


@case
def tensor_of_10_18_elements_by_stride_0(folder):
    """more than 2^56 elements"""
    return optimizer_file(folder, pickles.Tensor((10**9, 10**9), numel=1, strides=(0, 0)), {"0": b"\0" * 4})


@case
def storage_of_2_62_elements(folder):
    """storage 0 has 16 bytes: expected 18446744073709551616"""
    return optimizer_file(folder, pickles.Tensor((4,), numel=2**62), {"0": b"\0" * 16})


@case
def storage_that_is_cut_off(folder):
    """storage 0 has 12 bytes: expected 16"""
    return optimizer_file(folder, pickles.Tensor((4,)), {"0": b"\0" * 12})


@case
def storage_that_is_missing(folder):
    """storage 0 is missing"""
    return optimizer_file(folder, pickles.Tensor((4,)), {})


@case
def universal_parameter_of_a_folder_above(folder):
    """expected the name of a file beside it"""
    (folder / "zero").mkdir()
    model = {"param_shapes": [{"../../x": pickles.size(4)}], "dp_world_size": 1, "ds_config": {"zero_optimization": {}}}
    torch_save(folder / "mp_rank_00_model_states.pt", model)
    return folder
