#include "conformance/check/cost/memory_growth.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>

#include "conformance/check/finding/sentences.hpp"

namespace zerocts {
namespace {

/// Heap that no report needs to name, for the ranks of one process: per rank 64 KiB of objects, threads and logs, as
/// much for the groups of its expert, per parameter 1 KiB of names, shapes and pieces, 1/64 of the reported bytes for
/// allocator headers and alignment. Ranks in processes of their own may also keep a transport: 4 MiB (Open MPI 4.1.4
/// was measured to keep 3.4 MiB after MPI_Init and no more after collectives of 4 MiB). What a first case made for
/// good, as tables of kernels, counts up to 1 MiB.
struct HeapAllowance {
  uint64_t per_rank, per_parameter, per_reported, transport, left;
  uint64_t total() const { return per_rank + per_parameter + per_reported + transport + left; }
};

HeapAllowance AllowanceFor(const Case& c, size_t ranks_in_process, uint64_t reported, uint64_t left) {
  const uint64_t parameters = c.experiment.parameters.size();
  const bool has_transport = static_cast<int>(ranks_in_process) < c.world_size();
  const uint64_t groups = c.experiment.experts.count > 1 ? 2 : 1;
  return {(ranks_in_process * groups) << 16, (ranks_in_process * parameters) << 10, reported / 64,
          has_transport ? uint64_t{4} << 20 : 0, std::min(left, uint64_t{1} << 20)};
}

/// The ranks of one process, which are neighbours, and what they report together.
struct ProcessOfRanks {
  std::span<const RankObservation> ranks;
  uint64_t reported = 0;
  const RankObservation& first() const { return ranks.front(); }  // each has what was seen of the process
  std::string Names() const {
    return ranks.size() == 1
               ? fmt::format("rank {} reports {} bytes", first().rank, reported)
               : fmt::format("ranks {} to {} report {} bytes together", first().rank, ranks.back().rank, reported);
  }
};

std::vector<ProcessOfRanks> ProcessesOf(std::span<const RankObservation> ranks) {
  std::vector<ProcessOfRanks> processes;
  while (!ranks.empty()) {
    const size_t count = std::min(static_cast<size_t>(std::max(ranks.front().ranks_in_process, 1)), ranks.size());
    ProcessOfRanks process{ranks.first(count)};
    for (const RankObservation& rank : process.ranks) process.reported += rank.reported.total();
    processes.push_back(process);
    ranks = ranks.subspan(count);
  }
  return processes;
}

/// The growth of a process's heap against what its ranks report.
std::optional<Finding> CheckAgainstHeap(const Case& c, const std::vector<ProcessOfRanks>& processes) {
  for (const ProcessOfRanks& process : processes) {
    const uint64_t seen = process.first().process_heap_growth_bytes;
    const HeapAllowance allowance =
        AllowanceFor(c, process.ranks.size(), process.reported, process.first().process_heap_left_bytes);
    if (seen <= process.reported + allowance.total()) continue;
    return Found(fmt::format(
        "{}, but the heap of their process grew by {} since before its first case: expected at most {} more than "
        "reported = {} for the ranks + {} for the parameters + {} for allocator headers + {} for a transport + {} that "
        "the first case left",
        process.Names(), seen, allowance.total(), allowance.per_rank, allowance.per_parameter, allowance.per_reported,
        allowance.transport, allowance.left));
  }
  return std::nullopt;
}

/// What the kernel counts for a process, beside what its ranks report: 6 MiB of pages that an interpreter, a framework
/// and a transport touch for the first time (torch and gloo were measured to touch up to 1.7 MB, numpy and pyzmq 5.4
/// MB), 1/64 of the reported bytes for headers and alignment, and up to 8 MiB that a small first case left
/// (frameworks were measured to keep up to 6.1 MB). Each rank beyond the eighth that is a thread of the process may
/// touch 256 KiB more of stacks and arenas (native on 128 ranks was measured to touch 127 KB each).
uint64_t KernelAllowance(const ProcessOfRanks& process) {
  constexpr size_t kFew = 8;
  const uint64_t threads = std::max(process.ranks.size(), kFew) - kFew;
  return (uint64_t{6} << 20) + (threads << 18) + process.reported / 64 +
         std::min(process.first().process_left_bytes, uint64_t{8} << 20);
}

/// State in a file is read back and written in every step.
std::optional<Finding> CheckAgainstKernel(const std::vector<ProcessOfRanks>& processes) {
  for (const ProcessOfRanks& process : processes) {
    const RankObservation& seen = process.first();
    const uint64_t allowance = KernelAllowance(process), files = seen.process_file_bytes;
    if (!seen.process_growth_bytes || *seen.process_growth_bytes + files <= process.reported + allowance) continue;
    return Found(fmt::format(
        "{}, but the memory of their process grew by {} since before its first case, and {} went to files or came from "
        "them in a step, as the kernel counted: expected at most {} more than reported",
        process.Names(), *seen.process_growth_bytes, files, allowance));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Finding> CheckGrowth(const Case& c, const std::vector<RankObservation>& ranks) {
  const std::vector<ProcessOfRanks> processes = ProcessesOf(ranks);
  if (auto finding = CheckAgainstHeap(c, processes)) return finding;
  return CheckAgainstKernel(processes);
}

/// The kernel sees it where it counted for every process, and the moments would not fit into the allowance of one.
FigureSource SourceOfGrowth(const std::vector<RankObservation>& ranks, const std::vector<int64_t>& moments_of_others) {
  bool kernel_counted = true, heap_counted = true, would_be_seen = false, all_read = true;
  size_t first = 0;
  for (const ProcessOfRanks& process : ProcessesOf(ranks)) {
    const auto others = moments_of_others.begin() + static_cast<ptrdiff_t>(first);
    const int64_t hidden = std::accumulate(others, others + static_cast<ptrdiff_t>(process.ranks.size()), int64_t{0});
    first += process.ranks.size();
    kernel_counted &= process.first().process_growth_bytes.has_value();
    all_read &= process.first().unread.empty();
    heap_counted &= process.first().process_heap_growth_bytes > 0;
    would_be_seen |= hidden > static_cast<int64_t>(KernelAllowance(process));
  }
  if (!all_read) return FigureSource::kSubject;
  if (kernel_counted && would_be_seen) return FigureSource::kKernel;
  return heap_counted ? FigureSource::kHost : FigureSource::kSubject;
}

}  // namespace zerocts
