// The table that the native engine exports. Each function checks its arguments, calls the engine, and turns what it
// throws into a status.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "conformance/abi/zerocts_subject.h"
#include "impl/subject/open_engine.hpp"
#include "impl/subject/status.hpp"

namespace zerocts {
namespace {

constexpr const char* kCapabilities = R"({
  "stages": [0, 1],
  "param_dtypes": ["fp32", "bf16"],
  "optimizers": ["sgd", "adamw"],
  "world_sizes": [1, 64],
  "ranks_as_threads": true,
  "reduction_orders": ["rank", "ring"],
  "plans": ["contiguous", "padded"],
  "bucket_cap_bytes": false,
  "clip": true,
  "accumulation": true,
  "groups": true,
  "set_group": true,
  "states": ["master", "momentum", "exp_avg", "exp_avg_sq", "gradient"],
  "models": ["mlp", "gpt"],
  "optimizer_slack_bytes": 0
})";

template <class Args>
void RequireKnown(const Args* args) {
  if (!args) throw std::invalid_argument("the arguments are NULL");
  if (args->struct_size < sizeof(Args)) {
    throw std::invalid_argument(
        fmt::format("struct_size is {}: expected at least {}", args->struct_size, sizeof(Args)));
  }
}

template <class Args>
Engine& EngineOf(const Args* args) {
  RequireKnown(args);
  if (!args->engine) throw std::invalid_argument("engine is NULL");
  return *args->engine->engine;
}

zerocts_status* Open(zerocts_open_args* args) {
  return StatusOf([=] {
    RequireKnown(args);
    args->engine = OpenEngine(*args).release();
  });
}

zerocts_status* Accumulate(zerocts_accumulate_args* args) {
  return StatusOf([=] {
    Engine& engine = EngineOf(args);
    const std::vector<const void*> gradients(args->gradients, args->gradients + args->n_gradients);
    engine.Accumulate(static_cast<int64_t>(args->step), args->micro_batch, gradients);
  });
}

zerocts_status* Step(zerocts_step_args* args) {
  return StatusOf([=] {
    const StepResult result = EngineOf(args).Step(static_cast<int64_t>(args->step));
    args->grad_norm = result.grad_norm;
    args->clip_coefficient = result.clip_coefficient;
  });
}

zerocts_status* SetGroup(zerocts_set_group_args* args) {
  return StatusOf([=] {
    Engine& engine = EngineOf(args);
    RequireKnown(args->values);
    engine.SetGroup(static_cast<int>(args->group), HyperParametersOf(*args->values));
  });
}

zerocts_status* ReadParameter(zerocts_read_parameter_args* args) {
  return StatusOf([=] {
    EngineOf(args).ReadParameter(static_cast<int>(args->parameter), args->data, static_cast<int64_t>(args->bytes));
  });
}

zerocts_status* Owned(zerocts_owned_args* args) {
  return StatusOf([=] {
    const std::vector<ElementRange> ranges = EngineOf(args).Owned(static_cast<int>(args->parameter));
    args->count = static_cast<uint32_t>(ranges.size());
    for (uint32_t i = 0; i < std::min(args->count, args->capacity); ++i)
      args->intervals[i] = {ranges[i].begin, ranges[i].end};
  });
}

zerocts_status* ReadState(zerocts_read_state_args* args) {
  return StatusOf([=] {
    EngineOf(args).ReadState(args->state, static_cast<int>(args->parameter), {args->begin, args->end}, args->data);
  });
}

zerocts_status* Memory(zerocts_memory_args* args) {
  return StatusOf([=] {
    const MemoryLedger held = EngineOf(args).Memory();
    args->parameter_bytes = static_cast<uint64_t>(held[MemoryKind::kParameter]);
    args->gradient_bytes = static_cast<uint64_t>(held[MemoryKind::kGradient]);
    args->optimizer_bytes = static_cast<uint64_t>(held[MemoryKind::kOptimizer]);
    args->buffer_bytes = static_cast<uint64_t>(held[MemoryKind::kBuffer]);
  });
}

zerocts_status* ForwardBackward(zerocts_forward_backward_args* args) {
  return StatusOf([=] {
    args->loss = EngineOf(args).ForwardBackward(static_cast<int64_t>(args->step), args->micro_batch, args->inputs,
                                                args->targets, args->batch, args->context);
  });
}

constexpr zerocts_model_extension kModelExtension = {sizeof(zerocts_model_extension), ForwardBackward};

const void* GetExtension(const char* id) {
  return std::string_view(id) == ZEROCTS_MODEL_EXTENSION ? &kModelExtension : nullptr;
}

}  // namespace
}  // namespace zerocts

extern "C" const zerocts_subject zerocts_subject_v1 = {
    .struct_size = sizeof(zerocts_subject),
    .abi_major = ZEROCTS_ABI_MAJOR,
    .abi_minor = ZEROCTS_ABI_MINOR,
    .name = "native",
    .version = ZEROCTS_VERSION,
    .description = "the ZeRO engine of ZeRO-CTS: stages 0 and 1 over threads, shared memory or MPI",
    .capabilities = zerocts::kCapabilities,
    .open = zerocts::Open,
    .accumulate = zerocts::Accumulate,
    .step = zerocts::Step,
    .set_group = zerocts::SetGroup,
    .read_parameter = zerocts::ReadParameter,
    .owned = zerocts::Owned,
    .read_state = zerocts::ReadState,
    .memory = zerocts::Memory,
    .close = [](zerocts_engine* engine) { delete engine; },
    .shutdown = zerocts::ShutDownCommunicators,
    .get_extension = zerocts::GetExtension,
    .status_code = zerocts::CodeOf,
    .status_message = zerocts::MessageOf,
    .status_free = zerocts::FreeStatus,
};
