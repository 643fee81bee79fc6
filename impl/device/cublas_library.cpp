#include "impl/device/cublas_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <cstdlib>
#include <stdexcept>
#include <type_traits>

#include "impl/layout/unimplemented.hpp"

namespace zerocts {
namespace {

constexpr const char* kVariable = "ZEROCTS_CUBLAS_LIBRARY";
constexpr int kOldestMajor = 11;

[[noreturn]] void Refuse(const std::string& reason) {
  throw Unimplemented(fmt::format("device cuda, math=fast: {}; expected cuBLAS {} or newer, which {} can name", reason,
                                  kOldestMajor, kVariable));
}

void AddMatches(std::vector<std::string>& candidates, const std::string& pattern) {
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    candidates.insert(candidates.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
}

}  // namespace

std::vector<std::string> CublasLibrary::Candidates() {
  if (const char* given = std::getenv(kVariable)) return {given};
  std::vector<std::string> candidates;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* toolkit = std::getenv(variable))
      AddMatches(candidates, fmt::format("{}/lib64/libcublas.so.??", toolkit));
  }
  AddMatches(candidates, "/usr/local/cuda/lib64/libcublas.so.??");
  if (const char* environment = std::getenv("VIRTUAL_ENV")) {
    AddMatches(candidates, fmt::format("{}/lib/python3*/site-packages/nvidia/*/lib/libcublas.so.??", environment));
  }
  for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"}) candidates.emplace_back(name);
  return candidates;
}

const CublasLibrary& CublasLibrary::OfThisProcess() {
  static const CublasLibrary library(Candidates());
  return library;
}

CublasLibrary::CublasLibrary(const std::vector<std::string>& candidates) {
  std::vector<std::string> reasons;
  for (const std::string& path : candidates) {
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_) {
      path_ = path;
      Bind();
      RequireVersion();
      return;
    }
    reasons.emplace_back(dlerror());  // begins with the path
  }
  Refuse(fmt::format("no libcublas.so could be loaded ({})", fmt::join(reasons, "; ")));
}

void CublasLibrary::Bind() {
  const auto bind = [this](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle_, name));
    if (!function) Refuse(fmt::format("{} has no function {}", path_, name));
  };
  bind(GetProperty, "cublasGetProperty");
  bind(GetStatusString, "cublasGetStatusString");
  bind(Create, "cublasCreate_v2");
  bind(Destroy, "cublasDestroy_v2");
  bind(SetStream, "cublasSetStream_v2");
  bind(SetWorkspace, "cublasSetWorkspace_v2");
  bind(SetMathMode, "cublasSetMathMode");
  bind(SetAtomicsMode, "cublasSetAtomicsMode");
  bind(GemmStridedBatchedEx, "cublasGemmStridedBatchedEx");
}

void CublasLibrary::RequireVersion() {
  int numbers[3] = {};
  for (int property = 0; property < 3; ++property) {
    if (GetProperty(property, &numbers[property]) != cublas::kSuccess)
      Refuse(fmt::format("{} does not tell its version", path_));
  }
  version_ = fmt::format("{}.{}.{}", numbers[0], numbers[1], numbers[2]);
  if (numbers[0] < kOldestMajor) Refuse(fmt::format("{} is cuBLAS {}", path_, version_));
}

std::string CublasLibrary::name() const { return fmt::format("cuBLAS {} ({})", version_, path_); }

void CublasLibrary::Require(cublas::Status status, const char* call) const {
  if (status == cublas::kSuccess) return;
  const char* text = GetStatusString(status);
  throw std::runtime_error(
      fmt::format("device cuda, math=fast: {}: {} (code {})", call, text ? text : "no text", status));
}

}  // namespace zerocts
