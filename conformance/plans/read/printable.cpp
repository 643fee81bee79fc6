#include "conformance/plans/read/printable.hpp"

#include "conformance/report/words/text.hpp"

namespace zerocts::read {

bool IsPrintable(std::string_view text) { return text.size() <= kLongestName && PrintableLine(text) == text; }

}  // namespace zerocts::read
