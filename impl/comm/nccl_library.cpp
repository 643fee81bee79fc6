#include "impl/comm/nccl_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <cstdlib>
#include <type_traits>

#include "impl/layout/unimplemented.hpp"

namespace zerocts {
namespace {

constexpr const char* kVariable = "ZEROCTS_NCCL_LIBRARY";
constexpr const char* kFile = "libnccl.so.2";
constexpr int kOldestMajor = 2, kOldestMinor = 27;

[[noreturn]] void Refuse(const std::string& reason) {
  throw Unimplemented(fmt::format("comm nccl: {}; expected NCCL {}.{} or newer, which {} can name", reason, kOldestMajor,
                                  kOldestMinor, kVariable));
}

void AddWheels(std::vector<std::string>& candidates, const std::string& environment) {
  const std::string pattern = environment + "/lib/python3*/site-packages/nvidia/nccl/lib/" + kFile;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    candidates.insert(candidates.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
}

/// 22809 is 2.28.9. (Before 2.9 it was written otherwise; those are refused all the same.)
std::string VersionText(int code) { return fmt::format("{}.{}.{}", code / 10000, code / 100 % 100, code % 100); }

}  // namespace

std::vector<std::string> NcclLibrary::Candidates() {
  if (const char* given = std::getenv(kVariable)) return {given};
  std::vector<std::string> candidates;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* toolkit = std::getenv(variable)) candidates.push_back(fmt::format("{}/lib64/{}", toolkit, kFile));
  }
  candidates.push_back(fmt::format("/usr/local/cuda/lib64/{}", kFile));
  if (const char* environment = std::getenv("VIRTUAL_ENV")) AddWheels(candidates, environment);
  candidates.push_back(ZEROCTS_NCCL_BESIDE_HEADER);  // where the build found the header
  candidates.push_back(kFile);
  return candidates;
}

const NcclLibrary& NcclLibrary::OfThisProcess() {
  static const NcclLibrary library(Candidates());
  return library;
}

NcclLibrary::NcclLibrary(const std::vector<std::string>& candidates) {
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
  Refuse(fmt::format("no {} could be loaded ({})", kFile, fmt::join(reasons, "; ")));
}

void NcclLibrary::Bind() {
  const auto bind = [this](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle_, name));
    if (!function) Refuse(fmt::format("{} has no function {}", path_, name));
  };
  bind(GetVersion, "ncclGetVersion");
  bind(GetErrorString, "ncclGetErrorString");
  bind(GetLastError, "ncclGetLastError");
  bind(GetUniqueId, "ncclGetUniqueId");
  bind(CommInitRankConfig, "ncclCommInitRankConfig");
  bind(CommSplit, "ncclCommSplit");
  bind(CommRegister, "ncclCommRegister");
  bind(CommDeregister, "ncclCommDeregister");
  bind(CommGetAsyncError, "ncclCommGetAsyncError");
  bind(CommFinalize, "ncclCommFinalize");
  bind(CommDestroy, "ncclCommDestroy");
  bind(CommAbort, "ncclCommAbort");
  bind(GroupStart, "ncclGroupStart");
  bind(GroupEnd, "ncclGroupEnd");
  bind(Send, "ncclSend");
  bind(Recv, "ncclRecv");
  bind(AllGather, "ncclAllGather");
  bind(Reduce, "ncclReduce");
  bind(ReduceScatter, "ncclReduceScatter");
}

void NcclLibrary::RequireVersion() {
  int code = 0;
  const ncclResult_t result = GetVersion(&code);
  if (result != ncclSuccess) Refuse(fmt::format("{} does not tell its version: {}", path_, Explain(result, nullptr)));
  version_ = VersionText(code);
  if (code < NCCL_VERSION(kOldestMajor, kOldestMinor, 0)) Refuse(fmt::format("{} is NCCL {}", path_, version_));
}

std::string NcclLibrary::name() const { return fmt::format("NCCL {} ({})", version_, path_); }

std::string NcclLibrary::Explain(ncclResult_t code, ncclComm_t comm) const {
  const char* text = GetErrorString(code);
  std::string sentence = fmt::format("{} (code {})", text ? text : "no text", static_cast<int>(code));
  const char* last = GetLastError(comm);
  if (last && *last) sentence += fmt::format("; NCCL says: {}", last);
  return sentence;
}

}  // namespace zerocts
