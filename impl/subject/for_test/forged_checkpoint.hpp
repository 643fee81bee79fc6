// Changes a checkpoint and makes its hashes right again, so that only what the files say is left to judge.
#pragma once
#include <string>

namespace zerocts::engine {

std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, const std::string& text);
/// `text` with its first `from` replaced. Throws std::runtime_error when there is none.
std::string Replaced(std::string text, const std::string& from, const std::string& to);

/// In the JSON of the index, or of the header of the first rank's file, of the only save in `folder`.
void ForgeIndex(const std::string& folder, const std::string& from, const std::string& to);
void ForgeHeader(const std::string& folder, const std::string& from, const std::string& to);

}  // namespace zerocts::engine
