// What makes every line of a log depend on all before it, so that a line that is lost, changed, added, doubled or moved
// is found. The hash has no key: it finds loss and accident, and stops nobody who forges a log.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace zerocts {

class LogChain {
 public:
  /// `record` as the next line: with its number as "line", and as "hash" the XXH3-128 of the hash before it and of its
  /// own text.
  std::string Link(nlohmann::json record);

  /// Takes "line" and "hash" out of what was read as the next line. Says why it cannot be the next one; "" when it is.
  std::string Unlink(nlohmann::json& record);

 private:
  std::string HashOf(const nlohmann::json& record) const;

  int64_t line_ = 0;  // of the last one
  std::string hash_;
};

}  // namespace zerocts
