#include "conformance/report/log/log_chain.hpp"

#include <fmt/format.h>

#include "reference/experiment/hash.hpp"
#include "reference/experiment/json_dump.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

/// Keys in their order, one line. Ranks may print bytes that are no UTF-8; they must not cost the record.
std::string TextOf(const json& record) { return Dumped(record); }

/// Takes the value out of the record; null when there is none.
json Taken(json& record, const char* key) {
  json value = record.value(key, json());
  record.erase(key);
  return value;
}

/// A line whose number is not its own.
std::string Misplaced(int64_t line, int64_t number, const json& record) {
  const bool begins_a_run = number == 1 && record.value("record", json()) == "run";
  if (begins_a_run) return fmt::format("a second run begins in line {}", line);
  if (number > line) return fmt::format("line {} is missing: line {} stands in its place", line, number);
  return fmt::format("line {} was added, doubled or moved: it says that it is line {}", line, number);
}

}  // namespace

std::string LogChain::HashOf(const json& record) const {
  const std::string text = hash_ + TextOf(record);
  return HashOfBytes(text.data(), text.size());
}

std::string LogChain::Link(json record) {
  record["line"] = ++line_;
  hash_ = HashOf(record);
  record["hash"] = hash_;
  return TextOf(record);
}

std::string LogChain::Unlink(json& record) {
  ++line_;
  const json hash = Taken(record, "hash");
  const std::string expected = HashOf(record);
  const json number = Taken(record, "line");
  if (!hash.is_string() || !number.is_number_integer()) {
    return fmt::format("line {} has no number and hash: no zerocts of this version wrote it", line_);
  }
  if (number != line_) return Misplaced(line_, number, record);
  if (hash != expected) return fmt::format("line {} was changed after it was written", line_);
  hash_ = expected;
  return "";
}

}  // namespace zerocts
