"""What DeepSpeed is told of a case; DeepSpeed itself is not needed."""

FP32_BYTES = 4
BUCKET_ELEMENTS = 2**20  # its own 5e8 would be 2 GB, filled with NaN in every case


def of(case, stage):
    return {
        "train_micro_batch_size_per_gpu": 1,
        "gradient_accumulation_steps": case.micro_batches,
        "gradient_clipping": case.max_norm,
        "zero_allow_untested_optimizer": True,
        "zero_force_ds_cpu_optimizer": False,
        "steps_per_print": 10**9,
        **precision(case),
        "zero_optimization": {
            "stage": stage,
            "overlap_comm": False,
            "stage3_param_persistence_threshold": 0,
            "reduce_bucket_size": case.bucket_cap_bytes // FP32_BYTES or BUCKET_ELEMENTS,
        },
    }


def precision(case):
    """fp32 masters, sums and states; in a bf16 case what is gathered and each rank's gradients are bf16."""
    if case.precision == "fp32":
        return {}
    return {"bf16": {"enabled": True}, "communication_data_type": "fp32", "data_types": {"grad_accum_dtype": "fp32"}}
