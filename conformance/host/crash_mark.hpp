// Ranks as threads die together: marks on whose page the reason stands.
#pragma once
#include "conformance/host/rank_page.hpp"

namespace zerocts {

/// From now on a fatal signal of this thread and an exit that it calls are marked on `page`, which outlives the process's rank threads.
void MarkCrashesOn(RankPage& page);

}  // namespace zerocts
