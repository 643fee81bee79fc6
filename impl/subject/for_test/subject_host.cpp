#include "impl/subject/for_test/subject_host.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace zerocts::engine {

const zerocts_subject& Native() {
  static const zerocts_subject& subject = []() -> const zerocts_subject& {
    void* library = dlopen(NATIVE_SUBJECT, RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(dlerror());
    return *static_cast<const zerocts_subject*>(dlsym(library, ZEROCTS_SUBJECT_SYMBOL));
  }();
  return subject;
}

void TestStore::Set(const std::string& key, const std::string& value) {
  const std::lock_guard lock(mutex_);
  values_[key] = value;
  changed_.notify_all();
}

std::optional<std::string> TestStore::Get(const std::string& key, std::chrono::milliseconds deadline) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, deadline, [&] { return values_.contains(key); })) return std::nullopt;
  return values_[key];
}

SubjectHostForTest::SubjectHostForTest(TestStore& store) : store_(store) {
  table_.struct_size = sizeof table_;
  table_.abi_major = ZEROCTS_ABI_MAJOR;
  table_.abi_minor = ZEROCTS_ABI_MINOR;
  table_.context = this;
  table_.ranks_share_process = 1;
  table_.set = [](void* context, const char* key, const void* value, size_t bytes) -> int {
    Self(context).store_.Set(key, std::string(static_cast<const char*>(value), bytes));
    return ZEROCTS_OK;
  };
  table_.get = [](void* context, const char* key, void* value, size_t bytes, uint32_t deadline_ms) -> int {
    return Self(context).Get(key, value, bytes, deadline_ms);
  };
  table_.barrier = [](void*, uint32_t) -> int { std::abort(); };  // this subject needs none
  table_.last_error = [](void* context) { return Self(context).last_error_.c_str(); };
  table_.alloc = [](void* context, size_t bytes, int kind) {
    void* memory = std::malloc(bytes + 1);
    std::memset(memory, 0xff, bytes);
    Self(context).held_bytes_[kind] += static_cast<int64_t>(bytes);
    Self(context).blocks_[memory] = {bytes, kind};
    return memory;
  };
  table_.free = [](void* context, void* memory) {
    const auto [bytes, kind] = Self(context).blocks_.at(memory);
    Self(context).held_bytes_[kind] -= static_cast<int64_t>(bytes);
    Self(context).blocks_.erase(memory);
    std::free(memory);
  };
  table_.progress = [](void*, const char*, const char*) {};
  table_.log = [](void*, int, const char*) {};
  table_.get_extension = [](void*, const char*) -> const void* { return nullptr; };
}

int SubjectHostForTest::Get(const std::string& key, void* value, size_t bytes, uint32_t deadline_ms) {
  const std::optional<std::string> found = store_.Get(key, std::chrono::milliseconds(deadline_ms));
  if (!found) {
    last_error_ = "nobody set " + key;
    return ZEROCTS_DEADLINE_EXCEEDED;
  }
  std::memcpy(value, found->data(), bytes);
  return ZEROCTS_OK;
}

OpenForTest::OpenForTest(const zerocts_host& table, uint32_t rank, uint32_t world_size,
                         const std::vector<int64_t>& numel)
    : host(table) {
  for (size_t p = 0; p < numel.size(); ++p) {
    initial.emplace_back(numel[p], 1.0f);
    names.push_back(fmt::format("p{}", p));
    shapes.push_back({numel[p]});
  }
  for (size_t p = 0; p < numel.size(); ++p) {
    parameters.push_back({.struct_size = sizeof(zerocts_parameter),
                          .name = names[p].c_str(),
                          .ndim = 1,
                          .shape = shapes[p].data(),
                          .numel = numel[p],
                          .initial = initial[p].data()});
  }
  for (const zerocts_parameter& parameter : parameters) parameter_pointers.push_back(&parameter);
  group = {.struct_size = sizeof group, .lr = 0.5f};

  args.struct_size = sizeof args;
  args.host = &host;
  args.rank = rank;
  args.world_size = world_size;
  args.stage = 1;
  args.param_dtype = ZEROCTS_FP32;
  args.optimizer = ZEROCTS_SGD;
  args.micro_batches = 1;
  args.reduction_order = "any";
  args.plan = "";
  args.deadline_ms = 5000;
  args.n_parameters = static_cast<uint32_t>(parameter_pointers.size());
  args.parameters = parameter_pointers.data();
  args.n_groups = 1;
  args.groups = &group_pointer;
}

void OpenForTest::AddOption(const char* key, const char* value) {
  options.push_back(std::make_unique<zerocts_option>(zerocts_option{sizeof(zerocts_option), key, value}));
  option_pointers.push_back(options.back().get());
  args.n_options = static_cast<uint32_t>(option_pointers.size());
  args.options = option_pointers.data();
}

}  // namespace zerocts::engine
