// The records of a run on disk: a line that names the form and its version, the records as they came, and at the end a
// line of how many there are.
#pragma once
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/watch/looked_at_steps.hpp"
#include "conformance/watch/records.hpp"

namespace zerocts::watch {

/// What was written of a run.
struct WrittenRun {
  int64_t left_out = 0;  // records
  int64_t one_in = 1;    // looked-at steps of each rank that are kept
  bool is_uneven = false;

  /// "12 records are not in the file: ..", or nothing.
  std::string WhatIsLeftOut() const;
};

/// Holds some `most_bytes`: once they are reached, each second step of those that are left is left out, and so on. What
/// is of the run as a whole is kept up to twice as many.
class RecordFile {
 public:
  /// Throws UsageError where it cannot be written.
  RecordFile(const std::string& path, int64_t most_bytes);
  /// Never throws: a full disk ends the file, and problem() says so.
  void Append(const Record& record, std::string_view bytes);
  /// `is_uneven`: ranks may have looked at different steps.
  void Close(bool is_uneven);
  const WrittenRun& written() const { return written_; }
  const std::string& problem() const { return problem_; }

 private:
  struct Kept {
    int64_t bytes;
    std::optional<int64_t> step;
  };
  bool IsKept(const std::optional<int64_t>& step) const { return !step || *step % written_.one_in == 0; }
  bool HasRoom(std::string_view bytes, const std::optional<int64_t>& step);
  void LeaveOutEachSecondStep();
  void Require(bool is_right);

  std::string path_;
  std::fstream file_;
  LookedAtSteps steps_;
  std::vector<Kept> kept_;
  std::map<int, int64_t> broken_;  // of a rank, the step that is not whole: nothing more of it is kept
  WrittenRun written_;
  int64_t last_step_ = 0, bytes_ = 0, most_bytes_;
  std::string problem_;
};

/// Gives each record of the file to `take`, in order. Throws UsageError with one sentence: no records, of another
/// version, cut off, or damaged.
WrittenRun ReadRecords(const std::string& path, const std::function<void(const Record&)>& take);

}  // namespace zerocts::watch
