#include "conformance/plans/read/pickle/pickle_globals.hpp"

#include <algorithm>

#include "reference/plan/value/dtype.hpp"

namespace zerocts::read {
namespace {

struct Global {
  std::string_view module, name;
  friend bool operator==(const Global&, const Global&) = default;
};

constexpr Global kKnown[] = {
    // Python
    {"_codecs", "encode"},
    {"argparse", "Namespace"},
    {"builtins", "bytearray"},
    {"builtins", "complex"},
    {"builtins", "dict"},
    {"builtins", "frozenset"},
    {"builtins", "int"},
    {"builtins", "list"},
    {"builtins", "set"},
    {"__builtin__", "bytearray"},
    {"__builtin__", "dict"},
    {"__builtin__", "frozenset"},
    {"__builtin__", "list"},
    {"__builtin__", "set"},
    {"collections", "Counter"},
    {"collections", "OrderedDict"},
    {"collections", "defaultdict"},
    {"pathlib", "Path"},
    {"pathlib", "PosixPath"},
    {"pathlib._local", "PosixPath"},
    // numpy: scalars of random states and step counts
    {"numpy", "dtype"},
    {"numpy", "ndarray"},
    {"numpy.core.multiarray", "_reconstruct"},
    {"numpy.core.multiarray", "scalar"},
    {"numpy._core.multiarray", "_reconstruct"},
    {"numpy._core.multiarray", "scalar"},
    // torch
    {"torch", "Size"},
    {"torch", "Tensor"},
    {"torch", "device"},
    {"torch._tensor", "_rebuild_from_type_v2"},
    {"torch._utils", "_rebuild_parameter"},
    {"torch._utils", "_rebuild_parameter_with_state"},
    {"torch._utils", "_rebuild_tensor"},
    {"torch._utils", "_rebuild_tensor_v2"},
    {"torch.nn.parameter", "Parameter"},
    {"torch.serialization", "_get_layout"},
    {"torch.storage", "UntypedStorage"},
    // torch.distributed.checkpoint
    {"torch.distributed.checkpoint.filesystem", "_StorageInfo"},
    {"torch.distributed.checkpoint.filesystem", "_StoragePrefix"},
    {"torch.distributed.checkpoint.metadata", "BytesStorageMetadata"},
    {"torch.distributed.checkpoint.metadata", "ChunkStorageMetadata"},
    {"torch.distributed.checkpoint.metadata", "Metadata"},
    {"torch.distributed.checkpoint.metadata", "MetadataIndex"},
    {"torch.distributed.checkpoint.metadata", "StorageMeta"},
    {"torch.distributed.checkpoint.metadata", "TensorProperties"},
    {"torch.distributed.checkpoint.metadata", "TensorStorageMetadata"},
    {"torch.distributed.checkpoint.metadata", "_MEM_FORMAT_ENCODING"},
    // what Megatron adds: who wrote what
    {"torch.distributed.checkpoint.planner", "BytesIOWriteData"},
    {"torch.distributed.checkpoint.planner", "SavePlan"},
    {"torch.distributed.checkpoint.planner", "TensorWriteData"},
    {"torch.distributed.checkpoint.planner", "WriteItem"},
    {"torch.distributed.checkpoint.planner", "WriteItemType"},
    // DeepSpeed
    {"deepspeed.checkpoint.ds_to_universal", "fragment_address"},
    {"deepspeed.runtime.fp16.loss_scaler", "DynamicLossScaler"},
    {"deepspeed.runtime.fp16.loss_scaler", "LossScaler"},
    {"deepspeed.runtime.zero.config", "ZeroStageEnum"},
    {"deepspeed.utils.tensor_fragment", "fragment_address"},
};

constexpr std::string_view kStorageEnd = "Storage";
constexpr std::string_view kStorageKinds[] = {"BFloat16",     "Bool",   "Byte",          "Char",       "ComplexDouble",
                                              "ComplexFloat", "Double", "Float",         "Half",       "Int",
                                              "Long",         "Short",  "Float8_e4m3fn", "Float8_e5m2"};

/// "torch.FloatStorage"
bool IsStorage(const Global& global) {
  if (global.module != "torch" || !global.name.ends_with(kStorageEnd)) return false;
  const std::string_view kind = global.name.substr(0, global.name.size() - kStorageEnd.size());
  return std::find(std::begin(kStorageKinds), std::end(kStorageKinds), kind) != std::end(kStorageKinds);
}

/// "torch.float32"
bool IsDtype(const Global& global) {
  constexpr std::string_view kOthers[] = {"complex64", "complex128", "uint16", "uint32", "uint64"};
  return global.module == "torch" &&
         (plan::DtypeFrom(std::string(global.name)) ||
          std::find(std::begin(kOthers), std::end(kOthers), global.name) != std::end(kOthers));
}

}  // namespace

bool IsKnownGlobal(std::string_view module, std::string_view name) {
  const Global global{module, name};
  return std::find(std::begin(kKnown), std::end(kKnown), global) != std::end(kKnown) || IsStorage(global) ||
         IsDtype(global);
}

}  // namespace zerocts::read
