// What a user can choose of a subject, and what users ask for that it does not have yet.
#pragma once
#include <string>

#include "conformance/host/conductor/subject_info.hpp"
#include "conformance/host/subjects/subject_spec.hpp"

namespace zerocts {

/// Lines for people: its options with their values, the options of zerocts check with those that it declares, and what
/// is not there. Starts a rank that is given an option that it cannot know.
std::string ChoicesText(const SubjectSpec& subject, const SubjectInfo& info);

/// {"comm=auto|threads", "gpu=N"} of "option x is unknown; this subject has: comm=auto|threads, gpu=N"; the sentence
/// itself where it lists nothing.
std::vector<std::string> OptionsIn(const std::string& refusal);

}  // namespace zerocts
