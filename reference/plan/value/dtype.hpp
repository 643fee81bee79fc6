// What one element of a tensor is: how many bytes, and its names in plans and in safetensors files.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace zerocts::plan {

enum class Dtype { kFp64, kFp32, kFp16, kBf16, kFp8E4m3, kFp8E5m2, kInt64, kInt32, kInt16, kInt8, kUint8, kBool };

int BytesOf(Dtype dtype);
const char* NameOf(Dtype dtype);  // "fp32"
/// Reads "fp32", "F32" (safetensors) or "float32" (numpy, torch). Nothing: no name of a dtype.
std::optional<Dtype> DtypeFrom(const std::string& name);
std::string DtypeNames();  // "fp64, fp32, .."

}  // namespace zerocts::plan
