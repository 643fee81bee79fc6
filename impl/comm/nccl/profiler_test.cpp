// The profiler plugin, called as NCCL calls it; then its reader.
#include "impl/comm/nccl/profiler.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace zerocts::engine {
namespace {

const NcclProfilerTable& Plugin() {
  void* library = dlopen(NCCL_PROFILER, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  return *static_cast<const NcclProfilerTable*>(dlsym(library, kNcclProfilerSymbol));
}

NcclEvent AllGatherOf(uint64_t sequence, size_t count) {
  NcclEvent event{};
  event.type = kNcclCollectiveEvent;
  event.collective = {sequence, "AllGather", nullptr, nullptr, count, 0, "ncclBfloat16", 2, 16, "RING", "SIMPLE"};
  return event;
}

/// What a program of one process and two ranks tells the plugin.
void TellOf(uint64_t sequence_of_rank_1) {
  const NcclProfilerTable& plugin = Plugin();
  for (int rank = 0; rank < 2; ++rank) {
    void *context = nullptr, *handle = &context;
    int mask = 0;
    plugin.init(&context, &mask, rank == 0 ? "a \"name\"" : nullptr, 0xabcdef, 1, 2, rank, nullptr);
    if (mask != (kNcclCollectiveEvent | kNcclPointToPointEvent)) _exit(2);
    NcclEvent gather = AllGatherOf(rank == 1 ? sequence_of_rank_1 : 7, 1000);
    plugin.start_event(context, &handle, &gather);
    plugin.stop_event(handle);
    NcclEvent send{}, unknown{};
    send.type = kNcclPointToPointEvent;
    send.point_to_point = {"Send", nullptr, "ncclUint8", 64, 1 - rank, 1};
    plugin.start_event(context, &handle, &send);
    unknown.type = 1 << 6;
    plugin.start_event(context, &handle, &unknown);
    plugin.finalize(context);
  }
}

class NcclProfiler : public testing::Test {
 protected:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("nccl_profiler_" + std::to_string(getpid()));
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Exit code of a process in which the plugin is told, since it opens its file once.
  int InAProcess(const std::string& file, uint64_t sequence_of_rank_1 = 7) {
    const pid_t child = fork();
    if (child == 0) {
      setenv(kNcclProfileVariable, (folder_ / file).c_str(), 1);
      TellOf(sequence_of_rank_1);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }

  /// Exit code and output of the reader over everything in the folder.
  std::pair<int, std::string> Read(const std::string& pattern = "*") {
    const std::string command = NCCL_PROFILE_READER " " + (folder_ / pattern).string() + " 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
    return {WEXITSTATUS(pclose(pipe)), text};
  }
};

TEST_F(NcclProfiler, WritesALineForEachCall) {
  ASSERT_EQ(InAProcess("of-%p.ndjson"), 0);
  const auto file = std::filesystem::directory_iterator(folder_)->path();
  EXPECT_EQ(file.string().find('%'), std::string::npos) << file;
  std::ifstream in(file);
  std::vector<nlohmann::json> records;
  for (std::string line; std::getline(in, line);) records.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(records.size(), 6u);
  EXPECT_EQ(records[0]["event"], "communicator");
  EXPECT_EQ(records[0]["name"], "a \"name\"");
  EXPECT_EQ(records[3]["name"], "");
  const nlohmann::json& gather = records[1];
  EXPECT_EQ(gather["event"], "collective");
  EXPECT_EQ(gather["comm"], "0000000000abcdef");
  EXPECT_EQ(gather["function"], "AllGather");
  EXPECT_EQ(gather["sequence"], 7);
  EXPECT_EQ(gather["count"], 1000);
  EXPECT_EQ(gather["datatype"], "ncclBfloat16");
  EXPECT_EQ(gather["algorithm"], "RING");
  EXPECT_EQ(gather["protocol"], "SIMPLE");
  EXPECT_EQ(records[2]["event"], "message");
  EXPECT_EQ(records[2]["peer"], 1);
  EXPECT_EQ(records[5]["peer"], 0);
}

TEST_F(NcclProfiler, AFileThatCannotBeWrittenLeavesTheProgramAlone) {
  const NcclProfilerTable& plugin = Plugin();
  const pid_t child = fork();
  if (child == 0) {
    setenv(kNcclProfileVariable, "/nowhere/at/all", 1);
    void* context = nullptr;
    int mask = 0;
    _exit(plugin.init(&context, &mask, nullptr, 1, 1, 1, 0, nullptr) == ncclSystemError && mask == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(NcclProfiler, TheReaderMakesATable) {
  ASSERT_EQ(InAProcess("a.ndjson"), 0);
  const auto [code, text] = Read();
  EXPECT_EQ(code, 0) << text;
  EXPECT_NE(text.find("AllGather  ncclBfloat16   1000  RING       SIMPLE           2         1"), std::string::npos)
      << text;
  EXPECT_NE(text.find("Send       ncclUint8        64"), std::string::npos) << text;
}

TEST_F(NcclProfiler, TheReaderSaysWhereRanksDisagree) {
  ASSERT_EQ(InAProcess("a.ndjson", 8), 0);
  const auto [code, text] = Read();
  EXPECT_EQ(code, 1) << text;
  EXPECT_NE(text.find("communicator 0000000000abcdef: call 7 was made by ranks 0, not by 1"), std::string::npos)
      << text;
}

TEST_F(NcclProfiler, TheReaderRefusesWhatIsNoProfile) {
  std::ofstream(folder_ / "b.ndjson") << "not json\n";
  EXPECT_EQ(Read().first, 2);
  EXPECT_NE(Read().second.find("b.ndjson:1: expected a line of JSON"), std::string::npos) << Read().second;
  EXPECT_EQ(Read("none*").first, 2);
}

}  // namespace
}  // namespace zerocts::engine
