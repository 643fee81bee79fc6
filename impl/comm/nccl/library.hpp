// NCCL as this process finds it at run time, behind a table of its functions: a build needs only nccl.h.
#pragma once
#include <nccl.h>

#include <string>
#include <vector>

#include "impl/device/loaded_library.hpp"

namespace zerocts::engine {

class NcclLibrary {
 public:
  /// Loads the first of `candidates` that the loader takes: absolute paths of files, or names for the loader's own
  /// path. Throws Unimplemented when there is none, when it lacks a function, or when it is older than 2.27.
  explicit NcclLibrary(const std::vector<std::string>& candidates);

  /// ZEROCTS_NCCL_LIBRARY alone where that is set; else the CUDA toolkit, Python wheels, the loader's path.
  static std::vector<std::string> Candidates();

  /// Loaded from Candidates() at the first call. It stays loaded: NCCL has threads of its own.
  static const NcclLibrary& OfThisProcess();

  const std::string& version() const { return version_; }  // "2.28.9"
  std::string name() const;                                // "NCCL 2.28.9 (/usr/lib/libnccl.so.2)"

  /// "unhandled system error (code 2); NCCL says: ..". Knows no code by itself: newer versions have more of them.
  std::string Explain(ncclResult_t code, ncclComm_t comm) const;

  decltype(&ncclGetVersion) GetVersion;
  decltype(&ncclGetErrorString) GetErrorString;
  decltype(&ncclGetLastError) GetLastError;
  decltype(&ncclGetUniqueId) GetUniqueId;
  decltype(&ncclCommInitRankConfig) CommInitRankConfig;
  decltype(&ncclCommSplit) CommSplit;
  decltype(&ncclCommRegister) CommRegister;
  decltype(&ncclCommDeregister) CommDeregister;
  decltype(&ncclCommGetAsyncError) CommGetAsyncError;
  decltype(&ncclCommFinalize) CommFinalize;
  decltype(&ncclCommDestroy) CommDestroy;
  decltype(&ncclCommAbort) CommAbort;
  decltype(&ncclGroupStart) GroupStart;
  decltype(&ncclGroupEnd) GroupEnd;
  decltype(&ncclSend) Send;
  decltype(&ncclRecv) Recv;
  decltype(&ncclAllGather) AllGather;
  decltype(&ncclReduce) Reduce;
  decltype(&ncclReduceScatter) ReduceScatter;

 private:
  void Bind();
  void RequireVersion();

  const LoadedLibrary library_;
  std::string version_;
};

}  // namespace zerocts::engine
