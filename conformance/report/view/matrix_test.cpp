#include "conformance/report/view/matrix.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "conformance/report/log/test_records.hpp"

namespace zerocts {
namespace {

Records Named(Records records, const std::string& name, const std::string& version) {
  records.front()["subject"] = {{"name", name}, {"version", version}};
  return records;
}

ClauseMatrix GreenAndMixed() {
  return MatrixOf({ViewOf(Named(GreenRecords(), "good", "2.1")), ViewOf(Named(MixedRecords(), "bad <one>", "0.9"))});
}

/// Blanks in a row are one.
std::string Squeezed(const std::string& text) { return std::regex_replace(text, std::regex(" +"), " "); }

TEST(Matrix, HasARowForEveryClauseOfAnyRun) {
  const ClauseMatrix matrix = GreenAndMixed();
  ASSERT_EQ(matrix.rows.size(), 2u);
  EXPECT_EQ(matrix.rows[0].id, "C-ZERO-001");
  EXPECT_EQ(matrix.rows[0].name, "shard coverage");
  EXPECT_EQ(matrix.rows[0].cells[0]->result, Result::kPass);
  EXPECT_EQ(matrix.rows[0].cells[0]->cases, 10);
  EXPECT_EQ(matrix.rows[0].cells[1]->result, Result::kFail);
  EXPECT_EQ(matrix.rows[1].id, "C-ZERO-007");
  EXPECT_FALSE(matrix.rows[1].cells[0]) << "the first run did not have it";
  EXPECT_EQ(matrix.rows[1].cells[1]->result, Result::kTooFew);
}

TEST(Matrix, KeepsWhatIsToBeSaidOfACellOnce) {
  Records records = MixedRecords();
  for (const char* launcher : {"mpirun", "threads"}) {
    nlohmann::json other = ConfigurationRecord("C-ZERO-001", 4, "not_applicable", 0);
    other["launcher"] = launcher;
    other["reason"] = "needs: accumulation";
    records = Inserted(records, 3, other);
  }
  const ClauseMatrix matrix = MatrixOf({ViewOf(records)});
  EXPECT_EQ(matrix.rows[0].cells[0]->remarks,
            (std::vector<std::string>{"rank 2 owns nothing of w1 <which> has & 7 elements", "needs: accumulation"}));
  EXPECT_EQ(matrix.rows[1].cells[0]->remarks,
            (std::vector<std::string>{"features seen too rarely: zero_numel in 0 of 5 needed cases"}));
}

TEST(Matrix, TakesNoVerdictFromALogThatProvesNone) {
  Records cut_off = GreenRecords();
  cut_off.pop_back();
  const ClauseMatrix matrix = MatrixOf({ViewOf(GreenRecords()), ViewOf(cut_off)});
  EXPECT_TRUE(matrix.subjects[0].conformant);
  EXPECT_EQ(matrix.subjects[0].verdict, "conformant");
  EXPECT_FALSE(matrix.subjects[1].conformant);
  EXPECT_EQ(matrix.subjects[1].verdict, "no verdict: the run was cut off: its log has no run_end");
}

TEST(MatrixText, ShowsSubjectsMarksCountsAndReasons) {
  const std::string text = Squeezed(MatrixText(GreenAndMixed(), false));
  for (const char* part :
       {"1 good 2.1: conformant\n", "2 bad <one> 0.9: not conformant\n",
        "10 cases; launchers local mpirun world sizes 1 3 seed 7 tier default\n",
        "\nC-ZERO-001 shard coverage ok 10 FAIL 14\n", " FEW too few cases to count as checked\n", "\n2 bad <one>\n",
        " rank 2 owns nothing of w1 <which> has & 7 elements (C-ZERO-001)\n", " needs: accumulation (C-ZERO-001)\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
  }
  EXPECT_EQ(text.find("\n1 good\n"), std::string::npos) << "a pass needs no remark\n" << text;
}

TEST(MatrixText, SaysNothingMoreOfAPass) {
  nlohmann::json unsupported = ConfigurationRecord("C-ZERO-001", 4, "not_applicable", 0);
  unsupported["reason"] = "needs: accumulation";
  const ClauseMatrix matrix = MatrixOf({ViewOf(Inserted(GreenRecords(), 3, unsupported))});
  ASSERT_EQ(matrix.rows[0].cells[0]->result, Result::kPass);
  ASSERT_FALSE(matrix.rows[0].cells[0]->remarks.empty());
  EXPECT_EQ(MatrixText(matrix, false).find("needs: accumulation"), std::string::npos) << MatrixText(matrix, false);
}

TEST(MatrixText, FitsAHundredColumnsWithManySubjects) {
  const ClauseMatrix matrix = MatrixOf(std::vector(9, ViewOf(MixedRecords())));
  std::istringstream lines(MatrixText(matrix, false));
  int rows = 0;
  for (std::string line; std::getline(lines, line); rows += line.starts_with("C-ZERO-001"))
    EXPECT_LE(line.size(), 100u) << line;
  EXPECT_EQ(rows, 2) << "one for each block of subjects";
  EXPECT_EQ(MatrixText(matrix, false).find('\x1b'), std::string::npos);
  EXPECT_NE(MatrixText(matrix, true).find('\x1b'), std::string::npos);
}

/// Every element that is opened is closed, in order.
bool IsBalanced(const std::string& html) {
  std::vector<std::string> open;
  const std::regex tag(R"(<(/?)([a-z0-9]+)[^>]*?(/?)>)");
  for (std::sregex_iterator at(html.begin(), html.end(), tag), end; at != end; ++at) {
    if ((*at)[3].length()) continue;
    if (!(*at)[1].length()) {
      open.push_back((*at)[2]);
    } else if (open.empty() || open.back() != (*at)[2]) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

TEST(MatrixHtml, IsOnePageThatNeedsNothingElse) {
  const std::string html = MatrixHtml(GreenAndMixed());
  EXPECT_TRUE(IsBalanced(html)) << html;
  for (const char* part : {"http", "src=", "<link", "<script", "url(", "@import"})
    EXPECT_EQ(html.find(part), std::string::npos) << part;
}

TEST(MatrixHtml, ShowsEveryCellWithItsReasonAndEscapesWhatOthersWrote) {
  const std::string html = MatrixHtml(GreenAndMixed());
  for (const char* part :
       {"<td class=\"cell\" title=\"\"><span class=\"mark pass\" title=\"passed\"><i aria-hidden=\"true\">\u2713</i> "
        "ok</span> "
        "10</td>",
        "</i> FAIL</span> 14</td>", "<small>2.1</small>", "bad &lt;one&gt;",
        "title=\"rank 2 owns nothing of w1 &lt;which&gt; has &amp; 7 elements&#10;needs: accumulation\"", "<td></td>",
        "<span class=\"mark bad\">not conformant</span>", "<td>too few cases to count as checked</td>"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part << "\nin\n" << html;
  }
  EXPECT_EQ(html.find("<which>"), std::string::npos);
}

}  // namespace
}  // namespace zerocts
