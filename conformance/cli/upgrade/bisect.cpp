#include "conformance/cli/upgrade/bisect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/host/subjects/python_program.hpp"
#include "conformance/host/system/errors.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {

std::string FirstWrong(std::vector<std::string> releases,
                       const std::function<std::optional<bool>(const std::string& release)>& is_wrong) {
  size_t right = 0, wrong = releases.size() - 1;
  while (wrong - right > 1) {
    const size_t middle = right + (wrong - right) / 2;
    if (const std::optional<bool> is = is_wrong(releases[middle])) {
      (*is ? wrong : right) = middle;
    } else {
      releases.erase(releases.begin() + static_cast<std::ptrdiff_t>(middle));
      --wrong;
    }
  }
  return releases[wrong];
}

std::vector<std::string> ReleasesBetween(const std::string& framework, const std::string& from, const std::string& to) {
  const PythonAnswer answer = AskPython("python3", "environment.py", {"releases", framework});
  if (!answer.found) throw UsageError(answer.text);
  const std::vector<std::string> all = ParseJson(answer.text);
  const auto first = std::ranges::find(all, from), last = std::ranges::find(all, to);
  if (first < last && last != all.end()) return {first, last + 1};
  throw UsageError(fmt::format("--bisect: expected two releases of {}, the older one first, got {} and {}; pip has {}",
                               framework, from, to, fmt::join(all, " ")));
}

}  // namespace zerocts
