// The host as one rank's subject sees it through zerocts_subject.h, for the length of one case.
#pragma once
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/host/memory/const_pages.hpp"
#include "conformance/host/memory/host_memory.hpp"
#include "conformance/host/rank/store_client.hpp"
#include "conformance/host/wire/rank_page.hpp"
#include "conformance/host/wire/store.hpp"

namespace zerocts {

class HostTable {
 public:
  HostTable(int rank, StoreClient& store, RankPage& page, bool poison_memory, bool ranks_share_process)
      : store_(store), page_(page), memory_(poison_memory, rank) {
    table_.struct_size = sizeof(table_);
    table_.abi_major = ZEROCTS_ABI_MAJOR;
    table_.abi_minor = ZEROCTS_ABI_MINOR;
    table_.context = this;
    table_.ranks_share_process = ranks_share_process;
    table_.set = Set;
    table_.get = Get;
    table_.barrier = Barrier;
    table_.last_error = LastError;
    table_.alloc = Allocate;
    table_.free = Free;
    table_.progress = Progress;
    table_.log = Log;
    table_.get_extension = GetExtension;
  }
  HostTable(const HostTable&) = delete;
  HostTable& operator=(const HostTable&) = delete;

  /// To be copied to where the subject cannot write. Holds as long as this object.
  const zerocts_host& table() const { return table_; }
  HostMemory& memory() { return memory_; }
  /// From here on keys are those of the next engine of this case.
  void BeginEngine() { ++engine_; }

 private:
  static HostTable& Host(void* context) { return *static_cast<HostTable*>(context); }

  static const char* LevelName(int level) {
    return level == ZEROCTS_LOG_WARNING ? "warning" : level == ZEROCTS_LOG_INFO ? "info" : "debug";
  }

  static StoreOutcome GotNull(const char* call) {
    return {ZEROCTS_INVALID_ARGUMENT, std::string(call) + ": expected a key and memory for the value, got NULL", ""};
  }

  static int Set(void* context, const char* key, const void* value, size_t bytes) {
    HostTable& host = Host(context);
    if (!key || (!value && bytes)) return host.Ended(GotNull("set"));
    return host.Ended(
        host.store_.Set(host.KeyOf(key), bytes ? std::string(static_cast<const char*>(value), bytes) : std::string()));
  }
  static int Get(void* context, const char* key, void* value, size_t bytes, uint32_t deadline_ms) {
    HostTable& host = Host(context);
    if (!key || (!value && bytes)) return host.Ended(GotNull("get"));
    StoreOutcome outcome = host.store_.Get(host.KeyOf(key), bytes, deadline_ms);
    if (outcome.code == ZEROCTS_OK && bytes) std::memcpy(value, outcome.value.data(), bytes);
    return host.Ended(std::move(outcome));
  }
  static int Barrier(void* context, uint32_t deadline_ms) {
    HostTable& host = Host(context);
    return host.Ended(host.store_.Barrier(deadline_ms));
  }
  static const char* LastError(void* context) { return Host(context).last_error_; }
  static void* Allocate(void* context, size_t bytes, int kind) { return Host(context).memory_.Allocate(bytes, kind); }
  static void Free(void* context, void* memory) { Host(context).memory_.Free(memory); }
  static void Count(void* context, size_t bytes, int kind) { Host(context).memory_.Count(bytes, kind); }
  static void Uncount(void* context, size_t bytes, int kind) { Host(context).memory_.Uncount(bytes, kind); }
  static void Progress(void* context, const char* operation, const char* detail) {
    Host(context).page_.Progress(operation, detail);
  }
  static void Log(void*, int level, const char* text) {
    std::fprintf(stderr, "subject: %s: %s\n", LevelName(level), text ? text : "");
  }
  static const void* GetExtension(void*, const char* id) {
    static constexpr zerocts_device_memory_extension kDeviceMemory = {sizeof kDeviceMemory, Count, Uncount};
    return id && std::strcmp(id, ZEROCTS_DEVICE_MEMORY_EXTENSION) == 0 ? &kDeviceMemory : nullptr;
  }

  std::string KeyOf(const char* key) const {
    return engine_ == 0 ? key : std::string(key) + " of engine " + std::to_string(engine_);
  }
  int Ended(StoreOutcome outcome) {
    if (outcome.code == ZEROCTS_OK) return outcome.code;
    error_pages_ = std::make_unique<ConstPages>(page_);
    last_error_ = error_pages_->CopyText(outcome.text, "the text of last_error");
    error_pages_->Seal();
    return outcome.code;
  }

  StoreClient& store_;
  RankPage& page_;
  HostMemory memory_;
  int engine_ = 0;
  std::unique_ptr<ConstPages> error_pages_;
  const char* last_error_ = "";
  zerocts_host table_{};
};

}  // namespace zerocts
