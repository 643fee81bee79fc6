#include "conformance/watch/record_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "conformance/host/system/errors.hpp"
#include "conformance/watch/record_stream.hpp"
#include "reference/experiment/user_file.hpp"

namespace zerocts::watch {
namespace {

constexpr int kVersion = 3;
constexpr std::string_view kKind = "zerocts-watch-records ";
const std::string kForm = fmt::format("{}{}\n", kKind, kVersion);
constexpr uint64_t kMostFileBytes = uint64_t{1} << 40;
constexpr size_t kPiece = 1 << 20;

/// In place of the lengths of a record stands a head that no record can have, then how many were kept,
/// and the numbers of WrittenRun.
constexpr std::string_view kEnd = "\xff\xff\xff\xff";
constexpr size_t kDigits = 20;

std::string EndText(int64_t kept, const WrittenRun& run) {
  return fmt::format("{0}{2:>{1}}{3:>{1}}{4:>{1}}{5:>{1}}\n", kEnd, kDigits, kept, run.left_out, run.one_in,
                     int{run.is_uneven});
}

const size_t kEndBytes = EndText(0, {}).size();

int64_t NumberOfEnd(const std::string& end, size_t index) {
  return std::strtoll(end.substr(kEnd.size() + index * kDigits, kDigits).c_str(), nullptr, 10);
}

}  // namespace

std::string WrittenRun::WhatIsLeftOut() const {
  if (left_out == 0) return "";
  return fmt::format("{} records beyond --keep are not in the file: it has one in {} of the steps that were looked at",
                     left_out, one_in);
}

RecordFile::RecordFile(const std::string& path, int64_t most_bytes) : path_(path), most_bytes_(most_bytes) {
  file_.open(path, std::ios::binary | std::ios::in | std::ios::out | std::ios::trunc);
  if (!file_)
    throw UsageError(
        fmt::format("--out: expected a folder that can be written, got {}: {}", path, std::strerror(errno)));
  file_ << kForm;
}

void RecordFile::Append(const Record& record, std::string_view bytes) {
  const std::optional<int64_t> step = steps_.Of(record);
  const int rank = RankOf(record);
  last_step_ = std::max(last_step_, step.value_or(0));
  const auto broken = broken_.find(rank);
  const bool is_broken = step && broken != broken_.end() && broken->second == *step;
  if (!problem_.empty() || !IsKept(step) || is_broken || !HasRoom(bytes, step)) {
    if (step) broken_[rank] = *step;
    ++written_.left_out;
    return;
  }
  errno = 0;
  file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file_.flush();
  Require(file_.good());
  if (!problem_.empty()) {
    ++written_.left_out;
    return;
  }
  bytes_ += static_cast<int64_t>(bytes.size());
  kept_.push_back({static_cast<int64_t>(bytes.size()), step});
}

/// Makes it where it can.
bool RecordFile::HasRoom(std::string_view bytes, const std::optional<int64_t>& step) {
  const auto fits = [&](int64_t most) { return bytes_ + static_cast<int64_t>(bytes.size()) <= most; };
  while (!fits(most_bytes_) && written_.one_in <= last_step_ && problem_.empty()) LeaveOutEachSecondStep();
  return problem_.empty() && IsKept(step) && fits(step ? most_bytes_ : 2 * most_bytes_);
}

void RecordFile::LeaveOutEachSecondStep() {
  written_.one_in *= 2;
  errno = 0;
  const int64_t begin = static_cast<int64_t>(kForm.size());
  int64_t from = begin, to = begin;
  std::vector<Kept> left;
  std::string bytes;
  for (const Kept& record : kept_) {
    if (IsKept(record.step)) {
      bytes.resize(static_cast<size_t>(record.bytes));
      file_.seekg(from);
      file_.read(bytes.data(), record.bytes);
      file_.seekp(to);
      file_.write(bytes.data(), record.bytes);
      to += record.bytes;
      left.push_back(record);
    }
    from += record.bytes;
  }
  file_.seekp(to);
  file_.flush();
  Require(file_.good());
  std::error_code error;
  std::filesystem::resize_file(path_, static_cast<uintmax_t>(to), error);
  Require(!error);
  written_.left_out += static_cast<int64_t>(kept_.size() - left.size());
  kept_ = std::move(left);
  bytes_ = to - begin;
}

void RecordFile::Require(bool is_right) {
  if (is_right || !problem_.empty()) return;
  problem_ = fmt::format("records cannot be written: {}; what was seen is judged, but not again", std::strerror(errno));
}

void RecordFile::Close(bool is_uneven) {
  written_.is_uneven = is_uneven || written_.left_out > 0;
  errno = 0;
  if (problem_.empty()) file_ << EndText(static_cast<int64_t>(kept_.size()), written_) << std::flush;
  Require(file_.good());
  file_.close();
}

WrittenRun ReadRecords(const std::string& path, const std::function<void(const Record&)>& take) {
  std::ifstream in = OpenUserFile(path, kMostFileBytes);
  if (!in) throw UsageError(fmt::format("expected records of zerocts watch, got {}: {}", path, std::strerror(errno)));
  std::string form(kForm.size(), '\0');
  in.read(form.data(), static_cast<std::streamsize>(form.size()));
  if (!form.starts_with(kKind))
    throw UsageError(fmt::format("expected records of zerocts watch, got {}, which is another kind of file", path));
  if (form != kForm)
    throw UsageError(
        fmt::format("expected records of version {}, got {}, which is of another; read it with the zerocts "
                    "that wrote it",
                    kVersion, path));
  RecordStream stream;
  int64_t read = 0;
  std::string tail;  // the last bytes are the end, not a record
  std::string piece(kPiece, '\0');
  try {
    while (in) {
      in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
      tail.append(piece.data(), static_cast<size_t>(in.gcount()));
      if (tail.size() <= kEndBytes) continue;
      stream.Append(std::string_view(tail).substr(0, tail.size() - kEndBytes));
      tail.erase(0, tail.size() - kEndBytes);
      while (const auto next = stream.Pop()) {
        take(next->record);
        ++read;
      }
    }
  } catch (const BadRecord& bad) {
    throw UsageError(fmt::format("{}: record {} is damaged: {}", path, read + 1, bad.what()));
  }
  if (!tail.starts_with(kEnd) || !stream.IsEmpty())
    throw UsageError(
        fmt::format("expected all records of a run, got {}, which is cut off behind record {}", path, read));
  const int64_t kept = NumberOfEnd(tail, 0);
  if (kept != read)
    throw UsageError(fmt::format("expected the {} records that {} announces, got {}: some are lost", kept, path, read));
  return {NumberOfEnd(tail, 1), NumberOfEnd(tail, 2), NumberOfEnd(tail, 3) != 0};
}

}  // namespace zerocts::watch
