// Marks on the page of a rank what killed it: of a write to what is const only its address is known, and ranks as
// threads die together.
#pragma once
#include "conformance/host/wire/rank_page.hpp"

namespace zerocts {

/// From now on who dies of touching guarded pages (see guarded_pages.hpp) is named on the page of their rank.
void NameCrashes();
/// From now on, besides, a fatal signal of this thread and an exit that it calls are marked on `page`, which outlives
/// the process's rank threads. Such an exit runs no destructors: other ranks are at work.
void MarkCrashesOn(RankPage& page);

}  // namespace zerocts
