// Text that came from anywhere (ranks print what they like), made safe for a terminal and for XML.
#pragma once
#include <string>
#include <string_view>

namespace zerocts {

/// Width of what a terminal shows.
inline constexpr int kColumns = 100;

/// Valid UTF-8 without control characters: newline and tab stay, anything else becomes \xNN byte by byte, so that no
/// rank can move the cursor, forge a line's colour or break a document.
std::string Printable(std::string_view text);

/// As above, newline and tab as well: a name cannot forge a line.
std::string PrintableLine(std::string_view text);

/// Printable text as XML character data, and as an attribute's value (where newlines and tabs must be references to
/// survive).
std::string XmlText(std::string_view text);
std::string XmlAttribute(std::string_view text);

/// Breaks lines at blanks so that they end before `width` columns; every line of the result starts with `indent` blanks
/// and ends with a newline. A word longer than a line is left whole, and so are the lines of a command, which a
/// backslash at the end tells: both must stay copyable.
std::string Wrap(std::string_view text, int width, int indent);

}  // namespace zerocts
