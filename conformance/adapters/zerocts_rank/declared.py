"""What a case asks for beyond a subject's capabilities. By it a subject says what it must refuse; no host does so for
it.
"""

from .subject import INVALID_ARGUMENT, UNIMPLEMENTED, Refused

# What is asked for, in words; the capability that lists what is declared; what holds where it is left out.
LISTED = [
    ("stage", "stages", [], lambda case: [case.stage]),
    ("parameters of", "param_dtypes", [], lambda case: sorted({p.precision for p in case.parameters})),
    ("the optimizer", "optimizers", [], lambda case: [case.optimizer]),
    ("the plan", "plans", [], lambda case: [case.plan] if case.plan else []),
    ("the reduction order", "reduction_orders", [], lambda case: _other_than("any", case.reduction_order)),
    (
        "gradient_sync",
        "gradient_sync",
        ["last_micro_batch"],
        lambda case: [case.gradient_sync] if case.micro_batches > 1 else [],
    ),
    ("accumulation in", "accumulation_dtypes", ["fp32"], lambda case: [case.accumulation_dtype]),
    ("reduction in", "reduce_dtypes", ["fp32"], lambda case: [case.reduce_dtype]),
    ("the clip norm", "clip_norms", ["2"], lambda case: [case.clip_norm] if case.max_norm else []),
    ("the clip formula", "clip_formulas", ["min"], lambda case: [case.clip_formula] if case.max_norm else []),
    ("loss scaling", "loss_scaling", [], lambda case: _other_than("none", case.experiment["loss_scaling"]["kind"])),
    ("the loss", "losses", ["linear"], lambda case: ["quadratic" if case.curvature else "linear"]),
    ("tensor ranks:", "tensor_parallel", [1], lambda case: [case.tensor]),
    ("tensor_parts", "tensor_parts", ["even"], lambda case: [case.tensor_parts]),
    ("offload", "offload", ["none"], lambda case: [case.json.get("offload", "none")]),
    ("expert_divisors", "expert_divisors", ["world"], lambda case: [case.expert_divisor] if case.experts > 1 else []),
    ("a parameter that is", "shapes", ["scalar", "empty"], lambda case: _unusual_shapes(case)),
]

# What is asked for, and by which flag it is declared.
FLAGS = [
    ("bucket_cap_bytes", lambda case: case.bucket_cap_bytes > 0),
    ("clip", lambda case: case.max_norm > 0),
    ("accumulation", lambda case: case.micro_batches > 1),
    ("groups", lambda case: len(case.groups) > 1),
    ("set_group", lambda case: bool(case.experiment["changes"])),
    ("replicas", lambda case: case.replicas > 1),
    ("frozen", lambda case: case.freezes),
    ("missing_gradients", lambda case: case.json.get("missing_as_null", True) and case.misses_gradients),
    ("tied", lambda case: any(p.tied_to != index for index, p in enumerate(case.parameters))),
    ("buffers", lambda case: any(p.is_buffer for p in case.parameters)),
    ("mixed_dtypes", lambda case: any(p.precision != case.precision for p in case.parameters)),
    (
        "sgd_variants",
        lambda case: case.optimizer != "muon" and any(g.dampening or g.nesterov for g in _all_groups(case)),
    ),
    ("checkpoint_tensor", lambda case: _has_checkpoints(case) and _is_split(case)),
    ("vocab_parallel", lambda case: case.model_says("vocab_parallel")),
    ("sequence_parallel", lambda case: case.model_says("sequence_parallel")),
    ("kv_heads", lambda case: case.model_says("kv_heads")),
    ("experts", lambda case: case.experts > 1),
    ("expert_replicas", lambda case: case.experts > 1 and case.replicas > 1),
    ("overlap", lambda case: case.json.get("overlap", "any") != "any"),
    ("checkpoint", lambda case: _has_checkpoints(case)),
    ("checkpoint_reshard", lambda case: "other_world_size" in (case.checkpoint or {})),
    ("checkpoint_in_window", lambda case: any(save["micro_batches"] for save in case.extra_saves)),
    (
        "goes_on_after_refusal",
        lambda case: any(
            call["kind"] in ("wrong micro-batch", "repeated micro-batch", "early step") for call in case.extra_calls
        ),
    ),
]


def _has_checkpoints(case):
    return case.checkpoint is not None or bool(case.extra_saves)


def _is_split(case):
    return case.tensor > 1 or (case.checkpoint or {}).get("other_tensor", 0) > 0


def _other_than(usual, asked):
    return [] if asked == usual else [asked]


def _unusual_shapes(case):
    kinds = {"scalar": lambda p: p.shape == (), "empty": lambda p: p.numel == 0}
    return [kind for kind, is_so in kinds.items() if any(is_so(p) for p in case.parameters)]


def _leaves_a_rank_empty(case, granularity):
    """Are there fewer pieces than ranks of a sharding group, here or where its checkpoint is loaded?"""
    sizes = [p.numel for index, p in enumerate(case.parameters) if case.has_state(index) and case.is_dense(index)]
    pieces = sum(min(size, 1) if granularity == "tensor" else size for size in sizes)
    others = (case.checkpoint or {}).get("other_world_size", 0)
    return case.stage > 0 and pieces < max(case.data_ranks // case.replicas, others)


def _all_groups(case):
    return case.groups + [values for step in range(case.steps) for _, values in case.changes(step)]


def undeclared(case, capabilities):
    """Sentences: "stage 3 (declared: 0, 1)", "tied (not declared)"."""
    smallest, largest = capabilities.get("world_sizes", [1, 1])
    if not smallest <= case.world_size <= largest:
        yield f"{case.world_size} ranks (declared: {smallest} to {largest})"
    for words, name, usual, asked_by in LISTED:
        declared = capabilities.get(name, usual)
        for asked in asked_by(case):
            if asked not in declared:
                yield f"{words} {asked} (declared: {', '.join(map(str, declared)) or 'none'})"
    for name, asks in FLAGS:
        if asks(case) and not capabilities.get(name, False):
            yield f"{name} (not declared)"
    if capabilities.get("no_empty_ranks", False) and _leaves_a_rank_empty(case, capabilities.get("granularity")):
        yield "a rank without elements (not declared)"
    if case.replicas < capabilities.get("min_replicas", 1):
        yield f"replicas {case.replicas} (declared: at least {capabilities['min_replicas']})"
    if case.json.get("overlap", "any") not in ("any", "off", "on"):
        yield f"overlap {case.json['overlap']} (known: any, off, on)"


def refuse_undeclared(case, capabilities, options=()):
    """To be called at the beginning of open: raises Refused where the case asks for more than is declared. A subject
    that has no options of its own gives host.options, and is asked for none.
    """
    if options:
        raise Refused(INVALID_ARGUMENT, f"expected no options, got {', '.join(options)}")
    for what in undeclared(case, capabilities):
        raise Refused(UNIMPLEMENTED, what)
