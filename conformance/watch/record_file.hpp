// The records of a run on disk: a line that names the form and its version, the records as they came, and at the end a
// line of how many there are.
#pragma once
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

#include "conformance/watch/records.hpp"

namespace zerocts::watch {

/// Holds at most `most_bytes`: beyond them records are counted and not kept.
class RecordFile {
 public:
  /// Throws UsageError where it cannot be written.
  RecordFile(const std::string& path, int64_t most_bytes);
  /// Never throws: a full disk ends the file, and problem() says so.
  void Append(std::string_view bytes);
  void Close();
  int64_t dropped() const { return dropped_; }
  const std::string& problem() const { return problem_; }

 private:
  std::ofstream out_;
  int64_t bytes_ = 0, most_bytes_, kept_ = 0, dropped_ = 0;
  std::string problem_;
};

/// Gives each record of the file to `take`, in order; gives how many were dropped when it was written. Throws
/// UsageError with one sentence: no records, of another version, cut off, or damaged.
int64_t ReadRecords(const std::string& path, const std::function<void(const Record&)>& take);

}  // namespace zerocts::watch
