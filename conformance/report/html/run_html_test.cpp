#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "conformance/report/html/html_style.hpp"
#include "conformance/report/html/run_html.hpp"
#include "conformance/report/log/test_records.hpp"
#include "conformance/report/view/run_diff.hpp"

namespace zerocts {
namespace {

Records WithPlan(Records records) {
  records.front()["clauses"] = {"C-ZERO-001", "C-ZERO-007"};
  records.front()["precisions"] = {"fp32"};
  records.front()["families"] = {{"ownership", {"C-ZERO-001", "C-ZERO-007"}}};
  records.front()["machine"] = {{"processor", "a <fast> one"}};
  records.front()["host"] = "node7";
  return records;
}

TEST(RunHtml, NeedsNothingButItself) {
  const std::string page = HtmlOf(ViewOf(MixedRecords()));
  for (const char* never : {"<script", "http://", "https://", "<link", "@import", "url(", "<img"})
    EXPECT_FALSE(Has(page, never)) << never;
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_TRUE(Has(page, "prefers-color-scheme: dark"));
  EXPECT_TRUE(Has(page, "<meta name=\"viewport\""));
}

/// Enough of a parser: every tag that opens is closed, in order.
TEST(RunHtml, IsWellFormed) {
  for (const Records& records : {GreenRecords(), MixedRecords(), WithPlan(MixedRecords())}) {
    const std::string page = HtmlOf(ViewOf(records));
    const std::string body = page.substr(page.find("<main>"));
    std::vector<std::string> open;
    const std::regex tag(R"(<(/?)([a-z0-9]+)[^>]*?(/?)>)");
    for (std::sregex_iterator match(body.begin(), body.end(), tag), end; match != end; ++match) {
      const std::string name = (*match)[2];
      if ((*match)[3] == "/" || name == "body" || name == "html") continue;
      if ((*match)[1] == "/") {
        ASSERT_FALSE(open.empty()) << name;
        ASSERT_EQ(open.back(), name);
        open.pop_back();
      } else {
        open.push_back(name);
      }
    }
    EXPECT_TRUE(open.empty());
  }
}

using Colours = std::map<std::string, std::string>;

/// "--text" and its colour, of one of the two blocks that define them.
Colours ColoursIn(const std::string& css) {
  Colours colours;
  const std::regex definition(R"(--([a-z-]+): #([0-9a-f]{6});)");
  for (std::sregex_iterator match(css.begin(), css.end(), definition), end; match != end; ++match)
    colours[(*match)[1]] = (*match)[2];
  return colours;
}

/// WCAG 2: relative luminance, and the contrast of two colours.
double Luminance(const std::string& colour) {
  double sum = 0;
  const double weights[] = {0.2126, 0.7152, 0.0722};
  for (size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(colour.substr(2 * i, 2), nullptr, 16) / 255.0;
    sum += weights[i] * (c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  }
  return sum;
}
double Contrast(const std::string& a, const std::string& b) {
  const double x = Luminance(a), y = Luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

TEST(HtmlStyle, TextCanBeReadInLightAndInDark) {
  const std::string css = kHtmlStyle;
  const size_t dark = css.find("@media (prefers-color-scheme: dark)");
  for (const Colours& colours : {ColoursIn(css.substr(0, dark)), ColoursIn(css.substr(dark))}) {
    ASSERT_EQ(colours.size(), 15u);
    const std::pair<const char*, const char*> pairs[] = {
        {"text", "page"}, {"text", "card"},        {"text", "code"},      {"soft", "page"},      {"soft", "card"},
        {"link", "page"}, {"link", "card"},        {"pass", "pass-back"}, {"pass", "card"},      {"bad", "bad-back"},
        {"bad", "card"},  {"known", "known-back"}, {"known", "card"},     {"none", "none-back"}, {"none", "card"},
    };
    for (const auto& [text, back] : pairs)
      EXPECT_GE(Contrast(colours.at(text), colours.at(back)), 4.5) << text << " on " << back;
  }
}

TEST(RunHtml, BeginsWithTheVerdict) {
  EXPECT_TRUE(Has(HtmlOf(ViewOf(MixedRecords())),
                  "<h1><i aria-hidden=\"true\">\u2717</i>not conformant: 1 of 2 clauses failed</h1>"));
  EXPECT_TRUE(
      Has(HtmlOf(ViewOf(GreenRecords())), "<h1><i aria-hidden=\"true\">\u2713</i>conformant: for 1 and 3 ranks</h1>"));
}

TEST(RunHtml, GoesFromTheVerdictOverTheFirstFailureToTheFamilies) {
  Records records = ManyFailures(2);
  records.back()["diagnosis"] = DiagnosisOf(2, "wrong by K");
  const std::string page = HtmlOf(ViewOf(records));
  size_t at = 0;
  for (const char* next : {"<h1>", "wrong by K", "<h2>First failure</h2>", "id=\"failure-C-ZERO-101\"",
                           "<h2>Families and world sizes</h2>", "<h2>More failures</h2>", "id=\"failure-C-ZERO-102\"",
                           "<dl class=\"figures\">", "<h2>Clauses</h2>"}) {
    const size_t found = page.find(next);
    ASSERT_NE(found, std::string::npos) << next;
    EXPECT_GT(found, at) << next;
    at = found;
  }
}

TEST(RunHtml, BeginsWithTheWorstFailure) {
  Records records = ManyFailures(2);
  for (nlohmann::json& record : records) {
    if (record.value("clause", "") == "C-ZERO-102" && record.contains("result")) record["result"] = "crash";
  }
  const std::string page = HtmlOf(ViewOf(Recounted(records)));
  EXPECT_LT(page.find("id=\"failure-C-ZERO-102\""), page.find("id=\"failure-C-ZERO-101\""));
}

TEST(RunHtml, AHoleIsRed) {
  const std::string page = HtmlOf(ViewOf(WithPlan(MixedRecords())));
  EXPECT_TRUE(Has(page, "<div class=\"hole\"><dt>configurations executed</dt><dd>4 <small>of 8 planned</small></dd>"))
      << page;
  EXPECT_TRUE(Has(page, "</i>no verdict: 4 configurations of C-ZERO-001 planned, 3 there</h1>")) << page;
  Records whole = WithPlan(GreenRecords());
  whole.front()["clauses"] = {"C-ZERO-001"};
  whole.front()["launchers"] = {"local"};
  whole.front()["world_sizes"] = {3};
  EXPECT_TRUE(
      Has(HtmlOf(ViewOf(whole)), "<div><dt>configurations executed</dt><dd>1 <small>of 1 planned</small></dd>"));
}

TEST(RunHtml, ShowsResultsByGlyphAndWord) {
  const std::string page = HtmlOf(ViewOf(WithPlan(MixedRecords())));
  EXPECT_TRUE(Has(page, "<i aria-hidden=\"true\">\u2717</i> FAIL</span>"));
  EXPECT_TRUE(Has(page, "<i aria-hidden=\"true\">\u2713</i> ok</span>"));
  EXPECT_TRUE(Has(page, "<i aria-hidden=\"true\">\u2013</i> n/a</span>"));
  EXPECT_TRUE(Has(page, "<a href=\"#family-ownership\">ownership</a>"));
}

TEST(RunHtml, ShowsAFailureWholeAndEscapesWhatOthersWrote) {
  Records records = MixedRecords();
  records[3]["divergence"] =
      "step 1, update, rank 2: w1, element 3\n  around it, expected and got:\n  >  3  1  2\n  note: a long one";
  const std::string page = HtmlOf(ViewOf(records));
  for (const char* part :
       {"rank 2 owns nothing of w1 &lt;which&gt; has &amp; 7 elements", "<mark>  &gt;  3  1  2</mark>",
        "<span class=\"note\">  note: a long one</span>", "W=3 K=2 stage 1 fp32 sgd",
        "zerocts replay out/cases/a.json \\\n  --subject plugin:./toy.so", "second \\xFF line",
        "id=\"failure-C-ZERO-001\"", "Every element has one owner."})
    EXPECT_TRUE(Has(page, part)) << part << "\n" << page;
  EXPECT_FALSE(Has(page, "\x1b"));
}

TEST(RunHtml, NamesTheMachine) {
  const std::string page = HtmlOf(ViewOf(WithPlan(GreenRecords())));
  EXPECT_TRUE(Has(page, "<dt>processor</dt><dd>a &lt;fast&gt; one</dd>"));
  EXPECT_TRUE(Has(page, "<dt>host</dt><dd>node7</dd>"));
}

TEST(RunHtml, ShowsWhatChangedSince) {
  const RunView before = ViewOf(GreenRecords()), after = ViewOf(MixedRecords());
  const RunDiff diff = DiffOf(before, after);
  const std::string page = HtmlOf(after, &diff);
  EXPECT_TRUE(Has(page, "Changed since an earlier run"));
  EXPECT_TRUE(Has(page, "<b>newly failing</b>: 2</summary>")) << page;
  EXPECT_TRUE(Has(page, "<li>C-ZERO-001 shard coverage, local W=3 fp32: pass, now fail</li>")) << page;
  EXPECT_FALSE(Has(HtmlOf(after), "Changed since"));
}

TEST(RunHtml, ALogWithoutVerdictIsNotGreen) {
  Records cut = GreenRecords();
  cut.pop_back();
  for (const RunView& view : {ViewOf(cut), ViewOf({})}) {
    const std::string page = HtmlOf(view);
    EXPECT_TRUE(Has(page, "no verdict")) << page;
    EXPECT_TRUE(Has(page, "<header class=\"card verdict bad\">"));
    EXPECT_FALSE(Has(page, "conformant"));
  }
}

}  // namespace
}  // namespace zerocts
