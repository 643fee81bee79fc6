// What a rank wrote to stdout and stderr: where it stands, how much it may be, and its end.
#pragma once
#include <cstddef>
#include <string>

namespace zerocts {

std::string OutputPath(const std::string& group_folder, int rank);

/// More in one case, or while a group starts, or after its last case, ends the rank: a disk is not its own.
inline constexpr size_t kMostOutputBytes = size_t{64} << 20;

std::string SaidTooMuch(size_t bytes);  // "said too much: 71 MiB of output, where at most 64 MiB are taken in a case"

size_t FileBytes(const std::string& path);  // 0: no such file
/// At most the last 4 KiB of the file, without blanks at its end.
std::string OutputTail(const std::string& path);
/// Empties the file; a writer that appends goes on at its new end.
void ForgetOutput(const std::string& path);

}  // namespace zerocts
