#include "reference/plan/value/dtype.hpp"

namespace zerocts::plan {
namespace {

struct Entry {
  Dtype dtype;
  int bytes;
  const char* name;
  const char* safetensors;
  const char* numpy;
};

constexpr Entry kEntries[] = {
    {Dtype::kFp64, 8, "fp64", "F64", "float64"},
    {Dtype::kFp32, 4, "fp32", "F32", "float32"},
    {Dtype::kFp16, 2, "fp16", "F16", "float16"},
    {Dtype::kBf16, 2, "bf16", "BF16", "bfloat16"},
    {Dtype::kFp8E4m3, 1, "fp8_e4m3", "F8_E4M3", "float8_e4m3fn"},
    {Dtype::kFp8E5m2, 1, "fp8_e5m2", "F8_E5M2", "float8_e5m2"},
    {Dtype::kInt64, 8, "int64", "I64", "int64"},
    {Dtype::kInt32, 4, "int32", "I32", "int32"},
    {Dtype::kInt16, 2, "int16", "I16", "int16"},
    {Dtype::kInt8, 1, "int8", "I8", "int8"},
    {Dtype::kUint8, 1, "uint8", "U8", "uint8"},
    {Dtype::kBool, 1, "bool", "BOOL", "bool"},
};

}  // namespace

int BytesOf(Dtype dtype) { return kEntries[static_cast<int>(dtype)].bytes; }
const char* NameOf(Dtype dtype) { return kEntries[static_cast<int>(dtype)].name; }

std::optional<Dtype> DtypeFrom(const std::string& name) {
  for (const Entry& entry : kEntries) {
    if (name == entry.name || name == entry.safetensors || name == entry.numpy) return entry.dtype;
  }
  return std::nullopt;
}

std::string DtypeNames() {
  std::string names;
  for (const Entry& entry : kEntries) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

}  // namespace zerocts::plan
