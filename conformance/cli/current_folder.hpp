// The folder that relative paths start from.
#pragma once

namespace zerocts {

/// Throws UsageError when it was deleted before this process began: no path from it leads anywhere.
void RequireCurrentFolder();

}  // namespace zerocts
