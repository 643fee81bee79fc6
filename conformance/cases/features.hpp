// Features of a case, by which coverage floors are counted.
#pragma once
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/cases/case.hpp"

namespace zerocts {

/// Names of the features that this case has. The full list, with the meaning of each, is FeatureMeanings().
///   uneven            total numel is not a multiple of W (W > 1)
///   numel_below_w     some parameter has fewer elements than there are ranks, but at least one
///   empty_rank        total numel < W: some rank owns nothing
///   zero_numel        a parameter without elements
///   scalar            a parameter with ndim 0
///   one_parameter     the model has one parameter
///   boundary_inside   W equal contiguous shards have a boundary inside a parameter
///   boundary_on_edge  .. on the edge between two parameters
///   multi_group       two or more groups with parameters;    empty_group   a group without
///   accumulation      K >= 2                                  multi_step    two or more steps
///   multi_window      accumulation and two or more steps
///   clip_active       max_norm > 0 and the reference clips in some step;  clip_inactive  max_norm > 0 and it does not
///   lr_change, hyper_change   a change of lr / of another hyper-parameter
///   bf16, sgd, momentum, adamw, weight_decay, stage0, stage1, ...
///   bucket            bucket_cap_bytes is set
///   bucket_partial / bucket_exact / bucket_oversize   the last is not full / some parameter fills one / is larger
///   adam, lamb, nesterov, dampening; clip_norm_one, clip_norm_infinity
///   clip_formula_torch, clip_formula_above, clip_formula_deepspeed, clip_formula_deepspeed_fp64
///   mesh, sync_each, overlap, offload; bf16_accumulation, bf16_reduction
///   frozen, thawed, missing_some, missing_all, tied, buffer, mixed_precisions
///   loss_scaling, dynamic_scale, overflow
///   save, resume, resumed_change, resumed_frozen, resumed_scale, damaged, loaded_by_more, loaded_by_fewer,
///   loaded_on_mesh
///   subnormal, huge   some numbers of the case are
///   model_on_text, random_gradients, one_hot, read_reversed, read_shuffled, read_before_step, read_twice
std::set<std::string> FeaturesOf(const Case& c);

/// Has it a group without parameters?
bool HasEmptyGroup(const Experiment& experiment);

/// name -> what it means, for `zerocts explain`.
const std::vector<std::pair<std::string, std::string>>& FeatureMeanings();

}  // namespace zerocts
