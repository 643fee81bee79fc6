// The commands below zerocts watch.
#pragma once

namespace CLI {
class App;
}

namespace zerocts {

void AddPrepareCommand(CLI::App& parent, int& exit_code);

}  // namespace zerocts
