// How a run's failures stand in its summary.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/report/log/test_records.hpp"
#include "conformance/report/terminal/table.hpp"

namespace zerocts {
namespace {

TEST(TableSummary, ShowsOneFailureOfEachOfThreeClausesAndALineOfTheOthers) {
  const std::string table = TableOf(ViewOf(ManyFailures(5)), false);
  EXPECT_EQ(Count(table, "zerocts replay"), 3u) << table;
  EXPECT_EQ(Count(table, "  also under local W=2 fp32, local W=3 fp32\n"), 3u) << table;
  EXPECT_TRUE(Has(table,
                  "\nFailed too (--verbose shows every failure):\n  C-ZERO-104 shard coverage: fail under local "
                  "W=1 fp32 and 2 more\n  C-ZERO-105 "))
      << table;
  EXPECT_EQ(Count(TableOf(ViewOf(ManyFailures(5)), false, Detail::kAll), "zerocts replay"), 15u);
}

TEST(TableSummary, TellsACauseOnceWithAllThatItFails) {
  const std::string table = TableOf(ViewOf(ManyFailures(9, "the optimizer is gone")), false);
  EXPECT_EQ(Count(table, "the optimizer is gone"), 1u) << table;
  EXPECT_TRUE(Has(table, "\n  the same in C-ZERO-102 (3 configurations), C-ZERO-103 (3 configurations)")) << table;
  EXPECT_TRUE(Has(table, "and 2 more\n")) << table;
  EXPECT_FALSE(Has(table, "Failed too")) << table;
}

TEST(TableSummary, TellsACauseOnceWhateverTensorItNames) {
  Records records = ManyFailures(3);
  int tensor = 0;
  for (nlohmann::json& record : records) {
    if (record.at("record") == "failure") record["sentence"] = fmt::format("step 0: p{0} lost element {0}", tensor++);
  }
  EXPECT_EQ(Count(TableOf(ViewOf(records), false), "zerocts replay"), 1u);
  for (nlohmann::json& record : records) {
    if (record.value("clause", "") == "C-ZERO-102" && record.at("record") == "failure")
      record["first_difference"] = FirstDifference("0: never filled, or never added?");
  }
  EXPECT_EQ(Count(TableOf(ViewOf(records), false), "zerocts replay"), 2u) << "another note is another cause";
}

TEST(TableSummary, PutsTheCauseOfALongErrorFirst) {
  const std::string traceback =
      "rank 0 refused step: INTERNAL: Traceback (most recent call last):\n  File \"a.py\", line 3\n    run()\n"
      "RuntimeError: the optimizer is gone\n";
  const std::string table = TableOf(ViewOf(ManyFailures(1, traceback)), false);
  EXPECT_TRUE(Has(table, ": fail\n  rank 0 refused step: INTERNAL: RuntimeError: the optimizer is gone\n")) << table;
  EXPECT_FALSE(Has(table, "a.py")) << table;
  EXPECT_TRUE(Has(TableOf(ViewOf(ManyFailures(1, traceback)), false, Detail::kAll), "a.py"));
}

TEST(TableSummary, StaysUnderTwoHundredLinesWhateverHappens) {
  std::string long_text;
  for (int i = 0; i < 50; ++i) long_text += "line " + std::to_string(i) + " " + std::string(500, 'x') + "\n";
  Records records = ManyFailures(20);
  for (int i = 0; i < 40; ++i) {
    records = Inserted(std::move(records), 1, GroupEndRecord("shutdown", "crash"));
    records = Inserted(std::move(records), 1, NoteRecord("note " + std::to_string(i)));
  }
  for (nlohmann::json& record : records) {
    if (record.at("record") == "clause_end") {
      for (int i = 0; i < 50; ++i)
        record["needs"].push_back(record.at("clause").get<std::string>() + std::to_string(i));
    }
    if (record.at("record") != "failure") continue;
    record["sentence"] = record.at("clause").get<std::string>() + " " + long_text;
    record["divergence"] = long_text;
    for (int rank = 0; rank < 4; ++rank)
      record["ranks"].push_back({{"rank", rank}, {"state", long_text}, {"output", long_text}});
  }
  const std::string table = TableOf(ViewOf(records), false);
  EXPECT_LT(Count(table, "\n"), 190u) << table;  // below it stand four names of files
  EXPECT_TRUE(Has(table, "more lines: --verbose and results.ndjson have them")) << table;
}

TEST(TableSummary, ShowsTheRanksThatTheSentenceNamesFirst) {
  Records records = ManyFailures(1);
  for (nlohmann::json& record : records) {
    if (record.at("record") != "failure") continue;
    record["sentence"] = "rank 2 refused step: oops";
    record["ranks"] = nlohmann::json::array();
    for (const int rank : {0, 1, 2, 21})
      record["ranks"].push_back({{"rank", rank}, {"state", "stands"}, {"output", std::to_string(rank) + " said"}});
  }
  const std::string table = TableOf(ViewOf(records), false);
  EXPECT_TRUE(Has(table, "rank 2: stands")) << table;
  EXPECT_LT(table.find("rank 2: stands"), table.find("rank 0: stands")) << table;
  EXPECT_FALSE(Has(table, "rank 21: stands")) << table;
  EXPECT_TRUE(Has(table, "2 more ranks: --verbose shows them")) << table;
}

TEST(TableSummary, NamesAConfigurationOnceHoweverManyOfItsCasesFailed) {
  Records records = ManyFailures(1);
  const auto failure =
      std::ranges::find_if(records, [](const nlohmann::json& record) { return record["record"] == "failure"; });
  records = Inserted(records, static_cast<int>(failure - records.begin()), nlohmann::json(*failure));
  const std::string table = TableOf(ViewOf(records), false);
  EXPECT_TRUE(Has(table, "C-ZERO-101 under local W=1 fp32: fail\n")) << table;
  EXPECT_TRUE(Has(table, "  also under local W=2 fp32, local W=3 fp32\n")) << table;
}

TEST(TableSummary, AFailureOutranksARefusalAndBothAreShown) {
  Records records = ManyFailures(2);
  for (nlohmann::json& record : records) {
    const bool refused = record.value("world_size", 3) < 3 || record.value("clause", "") == "C-ZERO-101";
    if (record.at("record") == "failure" && refused) record["ending"] = "refused", record["sentence"] = "not today";
    if (record.at("record") == "configuration" && refused) record["result"] = "refused";
    if (record.at("record") == "clause_end" && refused) record["result"] = "refused";
  }
  const std::string table = TableOf(ViewOf(records), false);
  EXPECT_TRUE(Has(table, "\ncost             REFUS REFUS  FAIL         2      60  fail in 1, refused in 1 of 2\n"))
      << table;
  EXPECT_LT(table.find("\nC-ZERO-102 under local W=3 fp32: fail\n"),
            table.find("\nC-ZERO-101 under local W=1 fp32: refused\n"));
  EXPECT_TRUE(Has(table, "  also under local W=1 fp32 (refused), local W=2 fp32 (refused)\n")) << table;
  EXPECT_TRUE(Has(TableOf(ViewOf(records), false, Detail::kAll), "  fail, refused\n"));
}

}  // namespace
}  // namespace zerocts
