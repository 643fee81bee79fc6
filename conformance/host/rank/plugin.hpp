// A subject's shared library: loading it with one sentence for whatever is wrong.
#pragma once
#include <memory>
#include <stdexcept>
#include <string>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/capabilities/capabilities.hpp"

namespace zerocts {

/// What was expected, what was got, what to do.
struct PluginError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Plugin {
 public:
  /// Throws PluginError: no file, no library, no zerocts_subject_v1, another major version, table too short or with
  /// holes, capabilities that cannot be read, or that need a function that is not there. The library stays loaded until
  /// the process ends.
  static std::unique_ptr<Plugin> Load(const std::string& path);

  /// What the plugin does not know is zero.
  const zerocts_subject& table() const { return table_; }
  const Capabilities& capabilities() const { return capabilities_; }
  /// What loading the library changed in this thread's arithmetic, which was restored: a sentence, or "".
  const std::string& loading_note() const { return loading_note_; }
  /// Null: not offered.
  const void* Extension(const char* id) const { return table_.get_extension ? table_.get_extension(id) : nullptr; }

 private:
  Plugin() = default;
  zerocts_subject table_{};
  Capabilities capabilities_;
  std::string loading_note_;
};

}  // namespace zerocts
