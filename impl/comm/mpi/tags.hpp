// Which tags the messages of a communicator have, so that those of different groups of one process pair never meet.
#pragma once
#include <cstdint>
#include <string>

namespace zerocts::engine {

/// A range of tags that belongs to one communicator of this process. All members of a group find the same one, from the
/// group's name and how many communicators it had before; nothing needs to be exchanged.
class MpiTags {
 public:
  /// Throws std::runtime_error when a group of another name has these tags.
  explicit MpiTags(const std::string& group);
  ~MpiTags();
  MpiTags(const MpiTags&) = delete;
  MpiTags& operator=(const MpiTags&) = delete;

  int ForCall(uint64_t sequence) const;

 private:
  int number_ = 0;
};

}  // namespace zerocts::engine
