// cuBLAS as this process finds it at run time, behind a table of its functions.
#pragma once
#include <string>
#include <vector>

#include "impl/device/cublas/interface.hpp"
#include "impl/device/loaded_library.hpp"

namespace zerocts::engine {

class CublasLibrary {
 public:
  /// Loads the first of `candidates` that the loader takes: absolute paths of files, or names for the loader's own
  /// path. Throws Unimplemented when there is none, when it lacks a function, or when it is older than 11.
  explicit CublasLibrary(const std::vector<std::string>& candidates);

  /// ZEROCTS_CUBLAS_LIBRARY alone where that is set; else the CUDA toolkit, Python wheels, the loader's path.
  static std::vector<std::string> Candidates();

  /// Loaded from Candidates() at the first call; it stays loaded.
  static const CublasLibrary& OfThisProcess();

  std::string name() const;  // "cuBLAS 13.1.0 (/usr/local/cuda/lib64/libcublas.so.13)"

  /// Throws std::runtime_error "device cuda, math=fast: cublasSetStream: .. (code 13)" unless `status` is success.
  void Require(cublas::Status status, const char* call) const;

  cublas::GetProperty* GetProperty;
  cublas::GetStatusString* GetStatusString;
  cublas::Create* Create;
  cublas::Destroy* Destroy;
  cublas::SetStream* SetStream;
  cublas::SetWorkspace* SetWorkspace;
  cublas::SetMathMode* SetMathMode;
  cublas::SetAtomicsMode* SetAtomicsMode;
  cublas::GemmStridedBatchedEx* GemmStridedBatchedEx;

 private:
  void Bind();
  void RequireVersion();

  const LoadedLibrary library_;
  std::string version_;
};

}  // namespace zerocts::engine
