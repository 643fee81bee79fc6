// The program behind `zerocts bench`.
#pragma once

namespace zerocts {

/// Gives its exit code.
int BenchMain(int argc, char** argv);

}  // namespace zerocts
