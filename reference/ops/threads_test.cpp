// The pool: every piece once, for any caller and beside other work; and operations that are shared have the bits of one
// thread.
#include "reference/ops/threads.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reference/numerics/floats_for_test.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts {
namespace {

std::vector<int> TimesCalled(Threads& threads, int64_t pieces) {
  std::vector<int> times(pieces);
  threads.ForEach(pieces, [&](int64_t piece) { ++times[piece]; });
  return times;
}

TEST(Threads, EachPieceIsDoneOnceAndBeforeTheCallReturns) {
  for (const int count : {1, 2, 3, 4, 7}) {
    Threads threads(count);
    EXPECT_EQ(threads.count(), count);
    for (int repeat = 0; repeat < 300; ++repeat) {
      const int64_t pieces = repeat % 13;
      ASSERT_EQ(TimesCalled(threads, pieces), std::vector<int>(pieces, 1)) << count << " threads, repeat " << repeat;
    }
  }
}

TEST(Threads, HelpersTakePart) {
  Threads threads(2);
  std::atomic<int> arrived = 0;
  threads.ForEach(2, [&](int64_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();  // until somebody does the other piece meanwhile
  });
  EXPECT_EQ(arrived, 2);
}

TEST(Threads, CallersDoNotWaitForEachOther) {
  constexpr int kCallers = 4, kRepeats = 300, kPieces = 8;
  Threads threads(3);
  std::vector<int> wrong(kCallers);
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < kCallers; ++caller) {
      callers.emplace_back([&, caller] {
        for (int repeat = 0; repeat < kRepeats; ++repeat) {
          wrong[caller] += TimesCalled(threads, kPieces) != std::vector<int>(kPieces, 1);
        }
      });
    }
  }
  EXPECT_EQ(wrong, std::vector<int>(kCallers));
}

TEST(Threads, APieceMayCall) {
  Threads threads(3);
  std::atomic<int> done = 0;
  threads.ForEach(4, [&](int64_t) { threads.ForEach(5, [&](int64_t) { ++done; }); });
  EXPECT_EQ(done, 20);
}

TEST(Threads, AForkedProcessDoesItsPiecesAlone) {
  Threads threads(3);
  TimesCalled(threads, 5);
  const pid_t child = fork();
  if (child == 0) _exit(TimesCalled(threads, 5) == std::vector<int>(5, 1) ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Threads, PartsCoverTheWholeOnce) {
  for (const int count : {1, 2, 3}) {
    Threads threads(count);
    for (const int64_t total : {0, 1, 9, 10, 11, 20, 21, 29, 30, 31, 100}) {
      std::vector<int> times(total);
      std::atomic<int> parts = 0;
      ForEachPart(threads, total, 10, [&](int64_t begin, int64_t part) {
        ++parts;
        for (int64_t i = begin; i < begin + part; ++i) ++times[i];
      });
      EXPECT_EQ(times, std::vector<int>(total, 1)) << total << " on " << count;
      EXPECT_LE(parts, count);
    }
  }
}

// --- operations

constexpr int64_t kThreadedNumel = 100003, kRows = 37, kRowNumel = 2701;

/// Result of each shared operation on wild floats.
std::vector<std::vector<uint32_t>> ResultsOfAllOps(Ops& ops) {
  const std::vector<float> x = WildFloats(kThreadedNumel, 1), y = WildFloats(kThreadedNumel, 2),
                           z = WildFloats(kThreadedNumel, 3);
  std::vector<std::vector<uint32_t>> results;
  const auto add = [&](const auto& compute) {
    std::vector<float> state[] = {x, y, z, x};
    compute(state);
    for (const auto& values : state) results.push_back(CanonicalBitsOf(values));
  };
  add([&](auto& s) { ops.RoundToBf16(s[0].data(), kThreadedNumel); });
  add([&](auto& s) {
    std::vector<Bf16> narrow(kThreadedNumel);
    ops.CastToBf16(narrow.data(), s[0].data(), kThreadedNumel);
    ops.CastToFloat(s[1].data(), narrow.data(), kThreadedNumel);
  });
  add([&](auto& s) { ops.Add(s[0].data(), s[1].data(), kThreadedNumel); });
  add([&](auto& s) { ops.Divide(s[0].data(), 3.0f, kThreadedNumel); });
  add([&](auto& s) { ops.Gelu(s[0].data(), s[1].data(), s[2].data(), kThreadedNumel); });
  add([&](auto& s) { ops.GeluGradient(s[0].data(), s[1].data(), s[2].data(), s[3].data(), kThreadedNumel); });
  add([&](auto& s) { ops.Sgd({1e-2f, 0.9f, 0.01f, 0.37f}, s[0].data(), s[1].data(), s[2].data(), kThreadedNumel); });
  add([&](auto& s) {
    const AdamWScalars scalars{1e-3f, 0.9f, 0.999f, 1e-8f, 0.01f, 0.271f, 0.002997f, 0.37f};
    ops.AdamW(scalars, s[0].data(), s[1].data(), s[2].data(), s[3].data(), kThreadedNumel);
  });
  add([&](auto& s) {
    const std::vector<const float*> leaves = {s[0].data(), s[1].data(), s[2].data()};
    ops.FoldLeaves(s[1].data(), RankFold(3, 1), leaves, 3.0f, kThreadedNumel);
  });
  add([&](auto& s) {
    const std::vector<int32_t> targets(kRows, 5);
    ops.SoftmaxCrossEntropy(s[1].data(), s[0].data(), s[0].data(), targets.data(), kRows, kRowNumel);
  });
  add([&](auto& s) { ops.AddBias(s[0].data(), s[1].data(), kRows, kRowNumel); });
  return results;
}

TEST(SharedOperations, AnyNumberOfThreadsGivesTheSameBits) {
  for (const std::string& kernels : HostKernelNames()) {
    const auto expected = ResultsOfAllOps(HostOpsWith(kernels, 1));
    for (const int threads : {2, 3, 4}) {
      const auto results = ResultsOfAllOps(HostOpsWith(kernels, threads));
      for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(results[i], expected[i]) << kernels << ", " << threads << " threads, operation " << i / 4;
      }
    }
  }
}

}  // namespace
}  // namespace zerocts
