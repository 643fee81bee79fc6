// Messages as bytes of a fuzzer.
#pragma once
#include <string>
#include <string_view>

#include "conformance/host/wire/protocol.hpp"

namespace zerocts {

/// Stands between two frames. No header in UTF-8 holds it.
inline constexpr std::string_view kBetweenFrames = "\xff\n";

inline std::string BytesOf(const Frames& frames) {
  std::string bytes;
  for (const std::string& frame : frames) bytes += (bytes.empty() ? "" : std::string(kBetweenFrames)) + frame;
  return bytes;
}

inline FrameViews FramesIn(std::string_view bytes) {
  FrameViews frames;
  for (;;) {
    const size_t end = bytes.find(kBetweenFrames);
    frames.push_back(bytes.substr(0, end));
    if (end == bytes.npos) return frames;
    bytes.remove_prefix(end + kBetweenFrames.size());
  }
}

}  // namespace zerocts
