#include "conformance/cli/current_folder.hpp"

#include <limits.h>
#include <unistd.h>

#include <cerrno>

#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

bool was_gone = false;

/// Runs before GoogleTest registers its tests, which aborts without a current folder. Ranks go on, from the root.
[[gnu::constructor(101)]] void LeaveAFolderThatIsGone() {
  char path[PATH_MAX];
  if (getcwd(path, sizeof path) || errno != ENOENT) return;
  was_gone = chdir("/") == 0;
}

}  // namespace

void RequireCurrentFolder() {
  if (was_gone) throw UsageError("expected a current folder that exists, got one that is gone; change to another (cd)");
}

}  // namespace zerocts
