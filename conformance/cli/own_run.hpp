// Runs this program again, as a process of its own.
#pragma once
#include <chrono>
#include <string>
#include <vector>

namespace zerocts {

/// `zerocts WORDS..` until it ends: its exit code, or 128 and the signal that killed it. What it prints goes into the
/// file, and what it says on stderr into `errors`, which may be the same. Throws HarnessError when it cannot be
/// started, or does not end in time, and is killed.
int RunOwnProgram(const std::vector<std::string>& words, const std::string& output, const std::string& errors,
                  std::chrono::minutes longest);

/// What such a file holds; "" where it cannot be read.
std::string FileText(const std::string& path);
/// The one sentence of an error, which zerocts says last.
std::string LastLineOf(const std::string& path);

}  // namespace zerocts
