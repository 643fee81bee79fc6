#include "conformance/watch/record_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "conformance/host/system/errors.hpp"
#include "conformance/watch/record_stream.hpp"
#include "reference/experiment/user_file.hpp"

namespace zerocts::watch {
namespace {

constexpr std::string_view kForm = "zerocts-watch-records ", kVersion = "1\n";
constexpr uint64_t kMostFileBytes = uint64_t{1} << 40;
constexpr size_t kPiece = 1 << 20;

/// In place of the lengths of a record stands a head that no record can have, then how many were kept and dropped.
constexpr std::string_view kEnd = "\xff\xff\xff\xff";

std::string EndText(int64_t kept, int64_t dropped) { return fmt::format("{}{:>20}{:>20}\n", kEnd, kept, dropped); }

const size_t kEndBytes = EndText(0, 0).size();

}  // namespace

RecordFile::RecordFile(const std::string& path, int64_t most_bytes) : most_bytes_(most_bytes) {
  out_.open(path, std::ios::binary | std::ios::trunc);
  if (!out_)
    throw UsageError(
        fmt::format("--out: expected a folder that can be written, got {}: {}", path, std::strerror(errno)));
  out_ << kForm << kVersion;
}

void RecordFile::Append(std::string_view bytes) {
  if (bytes_ + static_cast<int64_t>(bytes.size()) > most_bytes_ || !problem_.empty()) {
    ++dropped_;
    return;
  }
  errno = 0;
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out_.flush();
  if (!out_) {
    problem_ = fmt::format("records cannot be written: {}", std::strerror(errno));
    ++dropped_;
    return;
  }
  bytes_ += static_cast<int64_t>(bytes.size());
  ++kept_;
}

void RecordFile::Close() {
  if (problem_.empty()) out_ << EndText(kept_, dropped_);
  out_.close();
}

int64_t ReadRecords(const std::string& path, const std::function<void(const Record&)>& take) {
  std::ifstream in = OpenUserFile(path, kMostFileBytes);
  if (!in) throw UsageError(fmt::format("expected records of zerocts watch, got {}: {}", path, std::strerror(errno)));
  std::string form(kForm.size() + kVersion.size(), '\0');
  in.read(form.data(), static_cast<std::streamsize>(form.size()));
  if (!form.starts_with(kForm))
    throw UsageError(fmt::format("expected records of zerocts watch, got {}, which is another kind of file", path));
  if (!form.ends_with(kVersion))
    throw UsageError(
        fmt::format("expected records of version 1, got {}, which is of another; read it with the zerocts "
                    "that wrote it",
                    path));
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
  const int64_t kept = std::strtoll(tail.substr(kEnd.size(), 20).c_str(), nullptr, 10);
  if (kept != read)
    throw UsageError(fmt::format("expected the {} records that {} announces, got {}: some are lost", kept, path, read));
  return std::strtoll(tail.substr(kEnd.size() + 20, 20).c_str(), nullptr, 10);
}

}  // namespace zerocts::watch
