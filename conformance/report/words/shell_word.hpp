// Words of commands that are printed, to be pasted into a shell.
#pragma once
#include <string>

namespace zerocts {

/// As one word of a shell's command line, printable and in one line: plain, 'in quotes', or $'with\nescapes'.
std::string ShellWord(const std::string& text);

}  // namespace zerocts
