#pragma once
// The columns of a study: what is known of a design, for text, JSON, CSV and the page.

#include "sim/report/columns.hpp"
#include "sim/run/study/study.hpp"

namespace fabricast::inline studies {

enum class StudyPart : std::uint8_t { speed, cost };  // the page has a table for each

struct StudyColumn : Column<DesignResult> {
    StudyPart part = StudyPart::speed;  // of the page
    bool range = false;                 // the value is {value, low80, high80}, or null
    bool optional = false;              // printed only if a design of the study has a value
};

const std::vector<StudyColumn>& study_columns();

}  // namespace fabricast::inline studies
