// Which release was the first in which a clause fails?
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace zerocts {

/// `releases`, oldest first: of the first nothing is wrong, of the last something is. The first of which it is, by
/// halves; `is_wrong` is asked of those between them, and says nothing of one that cannot be run, which is left out.
std::string FirstWrong(std::vector<std::string> releases,
                       const std::function<std::optional<bool>(const std::string& release)>& is_wrong);

/// All of pip's from `from` to `to`, oldest first. Throws UsageError where one of them is not pip's, or is not older;
/// HarnessError where no package index answers.
std::vector<std::string> ReleasesBetween(const std::string& framework, const std::string& from, const std::string& to);

}  // namespace zerocts
