#include "impl/device/cublas/library.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "impl/layout/unimplemented.hpp"

namespace zerocts::engine {
namespace {

constexpr const char* kVariable = "ZEROCTS_CUBLAS_LIBRARY";
constexpr int kOldestMajor = 11;

[[noreturn]] void Refuse(const std::string& reason) {
  throw Unimplemented(fmt::format("device cuda, math=fast: {}; expected cuBLAS {} or newer, which {} can name", reason,
                                  kOldestMajor, kVariable));
}

}  // namespace

std::vector<std::string> CublasLibrary::Candidates() {
  if (const char* given = std::getenv(kVariable)) return {given};
  std::vector<std::string> candidates;
  for (const std::string& folder : FoldersOfCudaToolkit()) AddFiles(candidates, folder + "/libcublas.so.??");
  AddFilesOfWheels(candidates, "*/lib/libcublas.so.??");
  for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"}) candidates.emplace_back(name);
  return candidates;
}

const CublasLibrary& CublasLibrary::OfThisProcess() {
  static const CublasLibrary library(Candidates());
  return library;
}

CublasLibrary::CublasLibrary(const std::vector<std::string>& candidates)
    : library_("libcublas.so", candidates, Refuse) {
  Bind();
  RequireVersion();
}

void CublasLibrary::Bind() {
  library_.Bind(GetProperty, "cublasGetProperty");
  library_.Bind(GetStatusString, "cublasGetStatusString");
  library_.Bind(Create, "cublasCreate_v2");
  library_.Bind(Destroy, "cublasDestroy_v2");
  library_.Bind(SetStream, "cublasSetStream_v2");
  library_.Bind(SetWorkspace, "cublasSetWorkspace_v2");
  library_.Bind(SetMathMode, "cublasSetMathMode");
  library_.Bind(SetAtomicsMode, "cublasSetAtomicsMode");
  library_.Bind(GemmStridedBatchedEx, "cublasGemmStridedBatchedEx");
}

void CublasLibrary::RequireVersion() {
  int numbers[3] = {};
  for (int property = 0; property < 3; ++property) {
    if (GetProperty(property, &numbers[property]) != cublas::kSuccess)
      Refuse(fmt::format("{} does not tell its version", library_.path()));
  }
  version_ = fmt::format("{}.{}.{}", numbers[0], numbers[1], numbers[2]);
  if (numbers[0] < kOldestMajor) Refuse(fmt::format("{} is cuBLAS {}", library_.path(), version_));
}

std::string CublasLibrary::name() const { return fmt::format("cuBLAS {} ({})", version_, library_.path()); }

void CublasLibrary::Require(cublas::Status status, const char* call) const {
  if (status == cublas::kSuccess) return;
  const char* text = GetStatusString(status);
  throw std::runtime_error(
      fmt::format("device cuda, math=fast: {}: {} (code {})", call, text ? text : "no text", status));
}

}  // namespace zerocts::engine
