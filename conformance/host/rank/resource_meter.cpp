#include "conformance/host/rank/resource_meter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/host/rank/rank_context.hpp"
#include "conformance/host/system/process_resources.hpp"

namespace zerocts {

ResourceMeter::ResourceMeter(RankContext& context) : context_(context) {
  if (!context.c.observe_resources) return;
  const Experiment& e = context.experiment;  // what is noted takes its memory before the first call
  context.observation.resources.reserve(static_cast<size_t>(e.steps * (e.micro_batches + 1)));
  context.observation.scalars.reserve(static_cast<size_t>(e.steps));
}

void ResourceMeter::NoteAfter(const CallTime& call) {
  const RankSetting& setting = context_.setting;
  const bool shares_process = setting.ranks_in_process > 1;
  const HostMemory& memory = context_.host.memory();
  Resources now{.step = call.step,
                .call = call.call,
                .cpu_ns = call.cpu_ns,
                .blocks = memory.blocks(),
                .block_bytes = static_cast<int64_t>(memory.held().total())};
  if (shares_process) setting.store.Barrier(context_.deadline_ms);
  if (!shares_process || setting.rank == 0) ReadProcess(now);
  if (shares_process) setting.store.Barrier(context_.deadline_ms);
  context_.observation.resources.push_back(now);
  const int64_t last = context_.experiment.steps - 1, steady = FirstSteadyStep(context_.experiment.steps);
  if (call.call != "step" || steady >= last) return;
  if (call.step == steady) steady_blocks_ = BlocksByKind();
  if (call.step == last) NoteGrown();
}

void ResourceMeter::ReadProcess(Resources& now) const {
  now.files = OpenFileCount().value_or(Resources::kNotRead);
  now.threads = ThreadCount().value_or(Resources::kNotRead);
  const uint64_t heap = HeapBytes();
  if (heap == 0) return;  // a sanitizer's allocator serves this process, and maps what it likes
  now.mapped_bytes = MappedBytes().value_or(Resources::kNotRead);
  now.heap_bytes = static_cast<int64_t>(heap - context_.setting.store.KeptBytes() - HeapBytesOf(context_.observation));
}

std::map<ResourceMeter::Kind, int64_t> ResourceMeter::BlocksByKind() const {
  std::map<Kind, int64_t> blocks;
  for (const Block& block : context_.host.memory().Held()) ++blocks[{block.kind, block.bytes}];
  return blocks;
}

void ResourceMeter::NoteGrown() {
  constexpr size_t kMost = 5;
  std::vector<Grown>& grown = context_.observation.grown;
  for (const auto& [kind, count] : BlocksByKind()) {
    const int64_t more = count - steady_blocks_[kind];
    if (more > 0)
      grown.push_back(
          {fmt::format("block of {} memory", KindName(kind.first)), static_cast<int64_t>(kind.second), more});
  }
  std::ranges::sort(grown, std::greater(), &Grown::more);
  if (grown.size() > kMost) grown.resize(kMost);
}

}  // namespace zerocts
