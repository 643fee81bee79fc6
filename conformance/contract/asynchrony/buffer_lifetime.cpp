#include "conformance/contract/judging.hpp"

namespace zerocts::buffer_lifetime {

const Clause kClause{
    .id = "C-ZERO-074",
    .name = "buffer lifetime",
    .sentence =
        "Memory that an operation under way uses is neither overwritten nor freed nor given to another "
        "one.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Many small buckets under way at once over several steps; a device with delays fills destinations "
        "with NaN until they are written.",
    .bugs = {{"Reduction buffers were freed while queued work used them.",
              "https://github.com/deepspeedai/DeepSpeed/pull/7965"},
             {"A copy of a partition raced with a prefetched gather.",
              "https://github.com/deepspeedai/DeepSpeed/issues/5059"},
             {"A list of reductions was drained by the last group only.", "https://github.com/ROCm/pytorch/pull/3501"}},
    .essential = {{"bucket", "overlap"}},
    .features = {"bucket", "multi_step", "overlap"},
    .revision = 3,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace({GradientSource::kModel, GradientSource::kUniform});
  space.vary = {"tensor", "buckets", "gradient sync", "overlap", "offload", "loss", "steps read"};
  space.stages = {2, 3};
  space.min_steps = 2;
  space.max_steps = 4;
  space.finish = [](Case& c) {
    UseModelWeights(c);
    if (c.overlap != Overlap::kAny) c.overlap = Overlap::kOn;  // where it is declared
    if (c.bucket_cap_bytes != 0) c.bucket_cap_bytes = 8;       // as above: many buckets under way at once
  };
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::buffer_lifetime
