#include "conformance/host/rank/plugin.hpp"

#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <cstdio>
#include <fstream>

namespace zerocts {
namespace {

const std::string kTestPlugins = ZEROCTS_TESTDATA_PLUGINS;

std::string LoadErrorOf(const std::string& path) {
  try {
    Plugin::Load(path);
  } catch (const PluginError& wrong) {
    return wrong.what();
  }
  return "";
}

void ExpectHas(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Plugin, LoadsAndKnowsWhatItCan) {
  const auto plugin = Plugin::Load(kTestPlugins + "/faulty.so");
  EXPECT_STREQ(plugin->table().name, "faulty");
  EXPECT_EQ(plugin->capabilities().max_world_size, 8);
  EXPECT_EQ(plugin->loading_note(), "");
  EXPECT_EQ(plugin->Extension("zerocts.model/1"), nullptr);
}

TEST(Plugin, EachMistakeHasItsSentence) {
  ExpectHas(LoadErrorOf("/nonexistent.so"), "got no file of this name; check the path");
  ExpectHas(LoadErrorOf("/tmp"), "got a directory");
  const std::string text = testing::TempDir() + "zerocts_no_library.so";
  std::ofstream(text) << "no library";
  ExpectHas(LoadErrorOf(text), "first bytes are not ELF");
  std::ofstream(text) << "\177ELF and nothing after it";
  ExpectHas(LoadErrorOf(text), "expected a library that can be loaded");
  std::remove(text.c_str());
  ExpectHas(LoadErrorOf(kTestPlugins + "/no_symbol.so"), "expected the exported symbol zerocts_subject_v1");
  ExpectHas(LoadErrorOf(kTestPlugins + "/other_major.so"),
            "expected ABI major version 1 (symbol zerocts_subject_v1), got version 2");
  ExpectHas(LoadErrorOf(kTestPlugins + "/short_table.so"), "got struct_size 0");
  ExpectHas(LoadErrorOf(kTestPlugins + "/hole.so"), "the member \"open\", got NULL");
  ExpectHas(LoadErrorOf(kTestPlugins + "/no_set_frozen.so"),
            "the member \"set_frozen\" because \"frozen\" is declared, got NULL");
  ExpectHas(LoadErrorOf(kTestPlugins + "/no_load.so"),
            "the member \"load\" because \"checkpoint\" is declared, got NULL");
}

TEST(Plugin, OfAnOlderHeaderHasNullWhereItsTableHasEnded) {
  const auto plugin = Plugin::Load(kTestPlugins + "/older.so");
  const zerocts_subject& table = plugin->table();
  EXPECT_STREQ(table.name, "minimal");
  EXPECT_TRUE(table.status_free);
  EXPECT_FALSE(table.set_frozen || table.traffic || table.timeline || table.save || table.load);
  EXPECT_FALSE(table.get_extension || table.shutdown);
}

TEST(Plugin, OfANewerHeaderIsTakenForWhatThisHostKnows) {
  const auto plugin = Plugin::Load(kTestPlugins + "/newer.so");
  EXPECT_EQ(plugin->table().abi_minor, ZEROCTS_ABI_MINOR + 1);
  EXPECT_EQ(plugin->capabilities().stages, std::vector{1});
}

TEST(Plugin, FastMathLibrariesDoNotChangeOurArithmetic) {
  const uint32_t before = _mm_getcsr();
  const auto plugin = Plugin::Load(kTestPlugins + "/faulty_fast_math.so");
  EXPECT_EQ(_mm_getcsr(), before);
  EXPECT_EQ(
      plugin->loading_note(),
      "loading the plugin changed MXCSR: flush-to-zero on, denormals-are-zero on (0x1f80 -> 0x9fc0), as a library "
      "that was linked with -ffast-math does; it was restored");
}

}  // namespace
}  // namespace zerocts
