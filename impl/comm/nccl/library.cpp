#include "impl/comm/nccl/library.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "impl/layout/unimplemented.hpp"

namespace zerocts::engine {
namespace {

constexpr const char* kVariable = "ZEROCTS_NCCL_LIBRARY";
constexpr const char* kFile = "libnccl.so.2";
constexpr int kOldestMajor = 2, kOldestMinor = 27;

[[noreturn]] void RefuseLibrary(const std::string& reason) {
  throw Unimplemented(fmt::format("comm nccl: {}; expected NCCL {}.{} or newer, which {} can name", reason,
                                  kOldestMajor, kOldestMinor, kVariable));
}

/// 22809 is 2.28.9. (Before 2.9 it was written otherwise; those are refused all the same.)
std::string VersionText(int code) { return fmt::format("{}.{}.{}", code / 10000, code / 100 % 100, code % 100); }

}  // namespace

std::vector<std::string> NcclLibrary::Candidates() {
  if (const char* given = std::getenv(kVariable)) return {given};
  std::vector<std::string> candidates;
  for (const std::string& folder : FoldersOfCudaToolkit()) candidates.push_back(fmt::format("{}/{}", folder, kFile));
  AddFilesOfWheels(candidates, std::string("nccl/lib/") + kFile);
  candidates.push_back(kFile);  // of the build's own programs: beside the header that they were built with
  return candidates;
}

const NcclLibrary& NcclLibrary::OfThisProcess() {
  static const NcclLibrary library(Candidates());
  return library;
}

NcclLibrary::NcclLibrary(const std::vector<std::string>& candidates) : library_(kFile, candidates, RefuseLibrary) {
  Bind();
  RequireVersion();
}

void NcclLibrary::Bind() {
  library_.Bind(GetVersion, "ncclGetVersion");
  library_.Bind(GetErrorString, "ncclGetErrorString");
  library_.Bind(GetLastError, "ncclGetLastError");
  library_.Bind(GetUniqueId, "ncclGetUniqueId");
  library_.Bind(CommInitRankConfig, "ncclCommInitRankConfig");
  library_.Bind(CommSplit, "ncclCommSplit");
  library_.Bind(CommRegister, "ncclCommRegister");
  library_.Bind(CommDeregister, "ncclCommDeregister");
  library_.Bind(CommGetAsyncError, "ncclCommGetAsyncError");
  library_.Bind(CommFinalize, "ncclCommFinalize");
  library_.Bind(CommDestroy, "ncclCommDestroy");
  library_.Bind(CommAbort, "ncclCommAbort");
  library_.Bind(GroupStart, "ncclGroupStart");
  library_.Bind(GroupEnd, "ncclGroupEnd");
  library_.Bind(Send, "ncclSend");
  library_.Bind(Recv, "ncclRecv");
  library_.Bind(AllGather, "ncclAllGather");
  library_.Bind(Reduce, "ncclReduce");
  library_.Bind(ReduceScatter, "ncclReduceScatter");
}

void NcclLibrary::RequireVersion() {
  int code = 0;
  const ncclResult_t result = GetVersion(&code);
  if (result != ncclSuccess)
    RefuseLibrary(fmt::format("{} does not tell its version: {}", library_.path(), Explain(result, nullptr)));
  version_ = VersionText(code);
  if (code < NCCL_VERSION(kOldestMajor, kOldestMinor, 0))
    RefuseLibrary(fmt::format("{} is NCCL {}", library_.path(), version_));
}

std::string NcclLibrary::name() const { return fmt::format("NCCL {} ({})", version_, library_.path()); }

std::string NcclLibrary::Explain(ncclResult_t code, ncclComm_t comm) const {
  const char* text = GetErrorString(code);
  std::string sentence = fmt::format("{} (code {})", text ? text : "no text", static_cast<int>(code));
  const char* last = GetLastError(comm);
  if (last && *last) sentence += fmt::format("; NCCL says: {}", last);
  return sentence;
}

}  // namespace zerocts::engine
