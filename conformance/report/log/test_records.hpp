// Hand-made records for the tests of reports.
#pragma once
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/report/log/has_for_test.hpp"
#include "conformance/report/log/run_counts.hpp"

namespace zerocts {

using Records = std::vector<nlohmann::json>;

inline nlohmann::json RunRecord() {
  return {{"record", "run"},
          {"version", "0.1.0"},
          {"seed", 7},
          {"tier", "default"},
          {"subject", {{"name", "toy"}, {"version", "1"}}},
          {"launchers", {"local", "mpirun"}},
          {"world_sizes", {1, 3}}};
}
inline nlohmann::json StartRecord(const std::string& clause, const std::string& name) {
  return {{"record", "clause_start"}, {"clause", clause}, {"name", name}, {"sentence", "Every element has one owner."}};
}
inline nlohmann::json ConfigurationRecord(const std::string& clause, int world_size, const std::string& result,
                                          int64_t cases = 10) {
  return {{"record", "configuration"}, {"clause", clause}, {"launcher", "local"}, {"world_size", world_size},
          {"precision", "fp32"},       {"cases", cases},   {"seconds", 0.25},     {"result", result}};
}
inline nlohmann::json FirstDifference(const std::string& note) {
  return {{"step", 0},       {"phase", "gather"}, {"rank", 0},   {"tensor", "parameter p0"},
          {"expected", "1"}, {"got", "6"},        {"note", note}};
}
inline nlohmann::json FailureRecord(const std::string& clause, int world_size, const std::string& ending = "observed") {
  return {{"record", "failure"},
          {"clause", clause},
          {"launcher", "local"},
          {"world_size", world_size},
          {"precision", "fp32"},
          {"ending", ending},
          {"sentence", "rank 2 owns nothing of w1 <which> has & 7 elements"},
          {"divergence", "step 1, update, rank 2, w1[3]\nexpected 0x3f800000, got 0x40000000"},
          {"fidelity", "exact inputs"},
          {"subject", "plugin:./toy.so"},
          {"options", {"comm=two words"}},
          {"summary", "W=3 K=2 stage 1 fp32 sgd"},
          {"case_file", "out/cases/a.json"},
          {"ranks", {{{"rank", 2}, {"state", "observed"}, {"output", "hello \x1b[31m red\nsecond \xff line\n"}}}}};
}
inline nlohmann::json EndRecord(const std::string& clause, const std::string& result) {
  return {{"record", "clause_end"}, {"clause", clause}, {"result", result}, {"cases", 10}, {"seconds", 0.5}};
}
/// The last record announces again what stands above it, as it is now.
inline Records Recounted(Records records) {
  RunCounts counts;
  for (const nlohmann::json& record : records) counts.Add(record);
  records.back()["counts"] = ToJson(counts);
  return records;
}
inline Records Ended(Records records, const std::string& verdict, int exit_code) {
  records.push_back({{"record", "run_end"}, {"verdict", verdict}, {"exit_code", exit_code}, {"seconds", 2.5}});
  return Recounted(std::move(records));
}

inline nlohmann::json NoteRecord(const std::string& text) {
  return {{"record", "note"},
          {"text", text},
          {"groups",
           {{{"launcher", "local"}, {"world_size", 1}, {"ranks", {0}}},
            {{"launcher", "local"}, {"world_size", 3}, {"ranks", {1, 2}}},
            {{"launcher", "mpirun"}, {"world_size", 2}, {"ranks", {0, 1}}}}}};
}
inline nlohmann::json GroupEndRecord(const std::string& phase, const std::string& result) {
  return {{"record", "group_end"},
          {"phase", phase},
          {"launcher", "local"},
          {"world_size", 3},
          {"result", result},
          {"sentence", "after the last case rank 1 was killed by signal 6 (SIGABRT), it stood in shutdown"},
          {"ranks", {{{"rank", 1}, {"state", "was killed by signal 6 (SIGABRT)"}, {"output", "terminate called"}}}}};
}

/// One clause, one configuration, as a healthy run writes it.
inline Records GreenRecords() {
  return Ended({RunRecord(), StartRecord("C-ZERO-001", "shard coverage"), ConfigurationRecord("C-ZERO-001", 3, "pass"),
                EndRecord("C-ZERO-001", "pass")},
               "conformant", 0);
}
/// Passed at W=1, failed at W=3, not applicable at W=4; a need and a coverage minimum missed in a second clause.
inline Records MixedRecords() {
  nlohmann::json unsupported = ConfigurationRecord("C-ZERO-001", 4, "not_applicable", 0);
  unsupported["reason"] = "needs: accumulation";
  nlohmann::json second_end = EndRecord("C-ZERO-007", "too_few");
  second_end["coverage_minimums"] = {{"zero_numel", {0, 5}}, {"uneven", {9, 5}}};
  second_end["needs"] = {"missing gradients: a parameter without one"};
  return Ended({RunRecord(), StartRecord("C-ZERO-001", "shard coverage"), ConfigurationRecord("C-ZERO-001", 1, "pass"),
                FailureRecord("C-ZERO-001", 3), ConfigurationRecord("C-ZERO-001", 3, "fail", 4), unsupported,
                EndRecord("C-ZERO-001", "fail"), StartRecord("C-ZERO-007", "padding is not data"),
                ConfigurationRecord("C-ZERO-007", 1, "pass"), second_end},
               "not conformant", 1);
}

/// `clauses` of one family, each with a failure under W=1, W=2 and W=3, and a need that all of them have. What the
/// failures of a clause say differs in a word, or is `cause`.
inline Records ManyFailures(int clauses, const std::string& cause = "") {
  Records records = {RunRecord()};
  for (int i = 1; i <= clauses; ++i) {
    const std::string id = "C-ZERO-" + std::to_string(100 + i);
    records.front()["families"]["cost"].push_back(id);
    records.push_back(StartRecord(id, "shard coverage"));
    for (const int world_size : {1, 2, 3}) {
      records.push_back(FailureRecord(id, world_size));
      records.back()["sentence"] = cause.empty() ? std::string(static_cast<size_t>(i), 'x') + " is broken" : cause;
      records.push_back(ConfigurationRecord(id, world_size, "fail"));
    }
    records.push_back(EndRecord(id, "fail"));
    records.back()["needs"] = {"fp16", "rare " + id, "bf16_step needs: bf16"};
  }
  return Ended(records, "not conformant", 1);
}
/// The last record's.
inline nlohmann::json DiagnosisOf(int failing, const std::string& note) {
  return {{"failing", failing},
          {"notes", {{{"text", note}, {"clauses", failing}}}},
          {"candidates", nlohmann::json::array()},
          {"order", nlohmann::json::array()}};
}

/// `records` with one more at index `at`, announced.
inline Records Inserted(Records records, int at, const nlohmann::json& record) {
  records.push_back(record);
  std::rotate(records.begin() + at, records.end() - 1, records.end());
  return Recounted(std::move(records));
}

}  // namespace zerocts
