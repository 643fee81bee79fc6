#include "conformance/host/rank/host_table.hpp"

#include <cstdio>
#include <cstring>
#include <utility>

namespace zerocts {

namespace {

HostTable& Host(void* context) { return *static_cast<HostTable*>(context); }

const char* LevelName(int level) {
  return level == ZEROCTS_LOG_WARNING ? "warning" : level == ZEROCTS_LOG_INFO ? "info" : "debug";
}

StoreOutcome GotNull(const char* call) {
  return {ZEROCTS_INVALID_ARGUMENT, std::string(call) + ": expected a key and memory for the value, got NULL", ""};
}

}  // namespace

HostTable::HostTable(int rank, StoreClient& store, RankPage& page, bool poison_memory, bool ranks_share_process)
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

std::string HostTable::KeyOf(const char* key) const {
  return engine_ == 0 ? key : std::string(key) + " of engine " + std::to_string(engine_);
}

int HostTable::Ended(StoreOutcome outcome) {
  if (outcome.code == ZEROCTS_OK) return outcome.code;
  error_pages_ = std::make_unique<ConstPages>(page_);
  last_error_ = error_pages_->CopyText(outcome.text, "the text of last_error");
  error_pages_->Seal();
  return outcome.code;
}

int HostTable::Set(void* context, const char* key, const void* value, size_t bytes) {
  HostTable& host = Host(context);
  if (!key || (!value && bytes)) return host.Ended(GotNull("set"));
  return host.Ended(
      host.store_.Set(host.KeyOf(key), bytes ? std::string(static_cast<const char*>(value), bytes) : std::string()));
}

int HostTable::Get(void* context, const char* key, void* value, size_t bytes, uint32_t deadline_ms) {
  HostTable& host = Host(context);
  if (!key || (!value && bytes)) return host.Ended(GotNull("get"));
  StoreOutcome outcome = host.store_.Get(host.KeyOf(key), bytes, deadline_ms);
  if (outcome.code == ZEROCTS_OK && bytes) std::memcpy(value, outcome.value.data(), bytes);
  return host.Ended(std::move(outcome));
}

int HostTable::Barrier(void* context, uint32_t deadline_ms) {
  HostTable& host = Host(context);
  return host.Ended(host.store_.Barrier(deadline_ms));
}

const char* HostTable::LastError(void* context) { return Host(context).last_error_; }

void* HostTable::Allocate(void* context, size_t bytes, int kind) { return Host(context).memory_.Allocate(bytes, kind); }

void HostTable::Free(void* context, void* memory) { Host(context).memory_.Free(memory); }

void HostTable::Progress(void* context, const char* operation, const char* detail) {
  Host(context).page_.Progress(operation, detail);
}

void HostTable::Log(void*, int level, const char* text) {
  std::fprintf(stderr, "subject: %s: %s\n", LevelName(level), text ? text : "");
}

void HostTable::Count(void* context, size_t bytes, int kind) { Host(context).memory_.Count(bytes, kind); }

void HostTable::Uncount(void* context, size_t bytes, int kind) { Host(context).memory_.Uncount(bytes, kind); }

const void* HostTable::GetExtension(void*, const char* id) {
  static constexpr zerocts_device_memory_extension kDeviceMemory = {sizeof kDeviceMemory, Count, Uncount};
  return id && std::strcmp(id, ZEROCTS_DEVICE_MEMORY_EXTENSION) == 0 ? &kDeviceMemory : nullptr;
}

}  // namespace zerocts
