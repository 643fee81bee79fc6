#include "conformance/session/run/note_records.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace zerocts {

using nlohmann::json;

std::vector<json> NoteRecords(const std::set<GroupNote>& notes) {
  using Group = std::pair<LauncherKind, int>;
  std::map<std::string, std::map<Group, std::vector<int>>> ranks;  // by text
  for (const GroupNote& note : notes) ranks[note.text][{note.launcher, note.world_size}].push_back(note.rank);

  std::vector<json> records;
  for (const auto& [text, of_groups] : ranks) {
    json groups = json::array();
    for (const auto& [group, of_group] : of_groups)
      groups.push_back({{"launcher", ToString(group.first)}, {"world_size", group.second}, {"ranks", of_group}});
    records.push_back({{"record", "note"}, {"text", text}, {"groups", groups}});
  }
  return records;
}

}  // namespace zerocts
