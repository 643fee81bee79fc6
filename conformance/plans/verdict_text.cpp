#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "conformance/plans/plan_text.hpp"
#include "conformance/report/words/text.hpp"
#include "reference/experiment/json_dump.hpp"

namespace zerocts {

using plan::Verdict;
using plan::Violation;

namespace {

std::string StateText(const plan::Plan& plan, plan::State state) {
  const plan::Sharding* sharding = plan.sharding(state);
  if (!sharding) return fmt::format("{} whole", NameOf(state));
  return fmt::format("{} in {} shards", NameOf(state), plan::Group(plan.mesh, sharding->axes).shards());
}

int64_t CountOf(const Verdict& verdict, const Violation& violation) {
  return verdict.counts[static_cast<int>(violation.property)];
}

std::string Others(const Verdict& verdict, const Violation& violation) {
  const int64_t others = CountOf(verdict, violation) - 1;
  return others > 0 ? fmt::format(" (and {} more)", others) : "";
}

const Violation* FirstOf(const Verdict& verdict, plan::Property property) {
  for (const Violation& first : verdict.firsts) {
    if (first.property == property) return &first;
  }
  return nullptr;
}

}  // namespace

std::string Summary(const plan::Plan& plan) {
  int64_t elements = 0;
  for (const plan::Tensor& tensor : plan.model) elements += tensor.tied_to < 0 ? tensor.numel() : 0;
  return fmt::format("{} tensors, {} elements, mesh {}; {}, {}, {}", plan.model.size(), elements,
                     PrintableLine(ToString(plan.mesh)), StateText(plan, plan::State::kParameters),
                     StateText(plan, plan::State::kGradients), StateText(plan, plan::State::kOptimizer));
}

std::string VerdictText(const plan::Plan& plan, const Verdict& verdict) {
  if (verdict.sound()) return fmt::format("sound: {}\n", Summary(plan));
  std::string text = fmt::format("NOT SOUND: {}\n", Summary(plan));
  for (const Violation& first : verdict.firsts)
    text += fmt::format("  {}{}\n", PrintableLine(ToString(first)), Others(verdict, first));
  return text;
}

std::string VerdictJson(const Verdict& verdict) {
  nlohmann::ordered_json violations = nlohmann::ordered_json::array();
  for (const Violation& first : verdict.firsts) {
    violations.push_back({{"property", NameOf(first.property)},
                          {"count", CountOf(verdict, first)},
                          {"state", NameOf(first.state)},
                          {"parameter", first.parameter},
                          {"element", first.element},
                          {"ranks", first.ranks},
                          {"what", first.what}});
  }
  const nlohmann::ordered_json object = {{"sound", verdict.sound()}, {"violations", std::move(violations)}};
  return Dumped(object, 2) + "\n";
}

std::string VerdictJUnit(const std::string& name, const Verdict& verdict) {
  std::string cases;
  for (int p = 0; p < plan::kProperties; ++p) {
    const auto property = static_cast<plan::Property>(p);
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", XmlAttribute(name), NameOf(property));
    const Violation* first = FirstOf(verdict, property);
    cases += first ? fmt::format(">\n      <failure message=\"{}\"/>\n    </testcase>\n",
                                 XmlAttribute(ToString(*first) + Others(verdict, *first)))
                   : "/>\n";
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"zerocts plan\" tests=\"{0}\" failures=\"{1}\">\n"
      "  <testsuite name=\"{2}\" tests=\"{0}\" failures=\"{1}\">\n{3}  </testsuite>\n</testsuites>\n",
      plan::kProperties, verdict.firsts.size(), XmlAttribute(name), cases);
}

}  // namespace zerocts
