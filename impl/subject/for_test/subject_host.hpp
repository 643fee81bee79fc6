// A host for tests of a plugin: W ranks as threads, each with a table of its own.
#pragma once
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "conformance/abi/zerocts_subject.h"

namespace zerocts::engine {

/// What the ranks of one case set for each other: threads of this process here.
class TestStore {
 public:
  virtual ~TestStore() = default;
  virtual void Set(const std::string& key, const std::string& value);
  /// Nothing when nobody has set it in time.
  virtual std::optional<std::string> Get(const std::string& key, std::chrono::milliseconds deadline);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> values_;
};

/// The built plugin, loaded once. Throws std::runtime_error.
const zerocts_subject& Native();

/// One rank's host. Counts what it gave and did not get back.
class SubjectHostForTest {
 public:
  explicit SubjectHostForTest(TestStore& store);
  const zerocts_host& table() const { return table_; }
  const std::vector<int64_t>& held_bytes() const { return held_bytes_; }  // by kind

 private:
  static SubjectHostForTest& Self(void* context) { return *static_cast<SubjectHostForTest*>(context); }
  int Get(const std::string& key, void* value, size_t bytes, uint32_t deadline_ms);

  TestStore& store_;
  zerocts_host table_{};
  std::string last_error_;
  std::vector<int64_t> held_bytes_ = std::vector<int64_t>(4);
  std::map<void*, std::pair<size_t, int>> blocks_;
};

/// open's arguments with the memory that they point to; fields of `args` may be changed before use.
struct OpenForTest {
  OpenForTest(const zerocts_host& table, uint32_t rank, uint32_t world_size, const std::vector<int64_t>& numel);
  void AddOption(const char* key, const char* value);

  zerocts_host host;
  std::vector<std::vector<float>> initial;
  std::vector<std::string> names;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<zerocts_parameter> parameters;
  std::vector<const zerocts_parameter*> parameter_pointers;
  zerocts_group group{};
  const zerocts_group* group_pointer = &group;
  std::vector<std::unique_ptr<zerocts_option>> options;
  std::vector<const zerocts_option*> option_pointers;
  zerocts_open_args args{};
};

}  // namespace zerocts::engine
