#include "impl/subject/for_test/forged_checkpoint.hpp"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "impl/subject/for_test/checkpoint_ranks.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts::engine {
namespace {

std::string HashOfText(const std::string& text) { return HashOfBytes(text.data(), text.size()); }

void WriteIndex(const std::string& folder, const std::string& index) {
  const std::string save = SaveIn(folder);
  WriteFile(save + "/checkpoint.json", index);
  const std::string lines = fmt::format("zerocts.checkpoint/2\n{}  {}/checkpoint.json\n", HashOfText(index),
                                        save.substr(save.rfind('/') + 1));
  WriteFile(folder + "/latest", lines + HashOfText(lines) + "  latest\n");
}

/// The length and the header of a file.
std::string HeaderIn(const std::string& file) {
  uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  return file.substr(0, sizeof length + length);
}

}  // namespace

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t begin = text.find(from);
  if (begin == std::string::npos) throw std::runtime_error(fmt::format("no {} in {}", from, text));
  return text.replace(begin, from.size(), to);
}

void ForgeIndex(const std::string& folder, const std::string& from, const std::string& to) {
  WriteIndex(folder, Replaced(ReadFile(SaveIn(folder) + "/checkpoint.json"), from, to));
}

void ForgeHeader(const std::string& folder, const std::string& from, const std::string& to) {
  const std::string path = SaveIn(folder) + "/rank-0.safetensors", file = ReadFile(path), header = HeaderIn(file);
  const std::string json = Replaced(header.substr(sizeof(uint64_t)), from, to);
  const uint64_t length = json.size();
  const std::string forged = std::string(reinterpret_cast<const char*>(&length), sizeof length) + json;
  const std::string whole = forged + file.substr(header.size());
  WriteFile(path, whole);
  std::string index = ReadFile(SaveIn(folder) + "/checkpoint.json");
  index = Replaced(index, HashOfText(header), HashOfText(forged));
  const auto bytes = [](const std::string& text) { return fmt::format("\"bytes\": {}", text.size()); };
  WriteIndex(folder, Replaced(index, bytes(file), bytes(whole)));
}

}  // namespace zerocts::engine
