#include "impl/comm/nccl/environment.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>

namespace zerocts::engine {
namespace {

void Pin(const char* variable, const std::string& value, const char* purpose) {
  static std::mutex mutex;  // ranks may be threads
  const std::lock_guard lock(mutex);
  const char* given = std::getenv(variable);
  if (!given) {
    setenv(variable, value.c_str(), 1);
  } else if (given != value) {
    throw std::invalid_argument(
        fmt::format("{} is \"{}\" in the environment: {} needs {}; unset it", variable, given, purpose, value));
  }
}

void PinRing(const char* purpose) {
  Pin("NCCL_ALGO", "Ring", purpose);
  Pin("NCCL_PROTO", "Simple", purpose);
  Pin("NCCL_PAT_ENABLE", "0", purpose);
  Pin("NCCL_NVLS_ENABLE", "0", purpose);
}

}  // namespace

void PinNcclToRing() { PinRing("nccl_reduce=native"); }

void LetNcclRanksShareAGpu(int rank) {
  constexpr const char* kPurpose = "nccl_share_gpu=on";
  Pin("NCCL_HOSTID", fmt::format("zerocts-rank-{}", rank), kPurpose);
  Pin("NCCL_NET", "Socket", kPurpose);
  Pin("NCCL_SOCKET_IFNAME", "lo", kPurpose);
  Pin("NCCL_IB_DISABLE", "1", kPurpose);
  Pin("NCCL_MNNVL_ENABLE", "0", kPurpose);
  Pin("NCCL_MAX_CTAS", "2", kPurpose);
  PinRing(kPurpose);
}

}  // namespace zerocts::engine
