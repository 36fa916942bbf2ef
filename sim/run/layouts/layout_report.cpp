#include "sim/run/layouts/layout_report.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "sim/report/html/run_page.hpp"
#include "sim/report/result_columns.hpp"

namespace fabricast::inline layouts {

namespace {

using html::Unit;

// "+1.2 % real": how much longer the next layout's step takes.
std::string to_next_text(const FoundLayout& found) {
    return found.to_next
               ? fmt::format("{:+.1f} % {}", 100 * found.to_next->time.value, to_string(found.to_next->verdict))
               : "";
}

Json axis_json(const FoundLayout& found, Axis axis) {
    const std::uint32_t value = found.choice[static_cast<std::size_t>(axis)];
    return has_words(axis) ? Json(value_text(axis, value)) : Json(value);
}

template <class Get> auto of_next(Get get) {
    return [get](const FoundLayout& found) { return found.to_next ? Json(get(*found.to_next)) : Json(); };
}

const Columns<FoundLayout>& columns() {
    using C = Column<FoundLayout>;
    using F = FoundLayout;
    const auto axis = [](const char* name, Axis of, const char* heading, int width) {
        return C(name, "", [of](const F& f) { return axis_json(f, of); }).printed(heading, width).on_page(heading);
    };
    const auto row = [](auto field) { return [field](const F& f) { return Json(std::invoke(field, f.row)); }; };
    const auto whole = [](double value) { return fmt::format("{:.0f}", value); };
    const auto share = [](double value) { return fmt::format("{:.0f} %", 100 * value); };
    static const Columns<FoundLayout> all = {
        axis("tensor", Axis::tensor, "tensor", 7),
        axis("context", Axis::context, "context", 7),
        axis("pipeline", Axis::pipeline, "pipeline", 8),
        axis("chunks", Axis::chunks, "chunks", 6),
        axis("expert", Axis::expert, "expert", 6),
        C("data", "", &F::data).number("data", 5, Unit::count),
        axis("micro_batch", Axis::micro_batch, "micro", 5),
        axis("sharding", Axis::sharding, "sharding", 8),
        axis("recompute", Axis::recompute, "recompute", 9),
        C("also", "", [](const F& f) { return Json(words_of(f.choice, Axis::order)); }).words("also", 4),
        C("step_time_s", "", row(&StepRow::step_time_s)).number("step", 9, Unit::time, time_text),
        C([](const F& f) {
            return interval_text(f.row.step_time_s, f.row.time_low80_s, f.row.time_high80_s);
        }).printed("80 %", 8),
        C("time_low80_s", "", row(&StepRow::time_low80_s)).on_page("low", Unit::time),
        C("time_high80_s", "", row(&StepRow::time_high80_s)).on_page("high", Unit::time),
        C("tokens_per_s", "", row(&StepRow::tokens_per_s)).number("tokens/s", 9, Unit::count, whole),
        C("mfu", "", row(&StepRow::mfu))
            .number("MFU", 6, Unit::share, [](double mfu) { return fmt::format("{:.3f}", mfu); }),
        C("memory_bytes", "", row(&StepRow::memory_bytes))
            .number("memory", 9, Unit::size, [](double bytes) { return fmt::format("{:.1f} GB", bytes * 1e-9); }),
        C("memory_free_share", "",
          [](const F& f) {
              return Json(1 - f.memory_share);
          }).number("free", 5, Unit::share, share),
        C("may_not_fit", "", [](const F& f) { return Json(f.may_not_fit); }),
        C("left_out", "", [](const F& f) { return Json(f.left_out); }),
        C("bottleneck", "", row(&StepRow::bottleneck)).words("bounded by", 21),
        C("evidence", "", [](const F& f) { return Json(to_string(f.row.evidence)); }),
        C("next_longer", "", of_next([](const studies::Difference& d) { return d.time.value; })),
        C("next_longer_low80", "", of_next([](const studies::Difference& d) { return d.time.low80; })),
        C("next_longer_high80", "", of_next([](const studies::Difference& d) { return d.time.high80; })),
        C("next_verdict", "", of_next([](const studies::Difference& d) { return to_string(d.verdict); })),
        C([](const F& f) { return Json(to_next_text(f)); }).words("the next takes"),
    };
    return all;
}

// "12 of 9,984 layouts": what was searched, and how.
std::string counts_text(const LayoutSearch& s) {
    std::string text = fmt::format("{}: {} too large for the memory, {} forecast, {} cannot be among the best",
                                   plural(s.layouts, "layout"), s.too_large, s.forecast, s.pruned());
    if (s.stopped && s.layouts == 0) {
        return "stopped while the layouts' least times were computed: none is forecast";
    }
    if (s.stopped) {
        text = fmt::format("{}: {} too large, {} forecast, then stopped", plural(s.layouts, "layout"), s.too_large,
                           s.forecast);
    }
    return text + (s.refused > 0 ? fmt::format(", {} refused by the planner", s.refused) : "");
}

std::vector<std::string> notes_of(const LayoutSearch& s) {
    std::vector<std::string> notes;
    if (s.written && !s.best.empty()) {
        notes.push_back(fmt::format("as written ({}): {}, {:+.1f} % against the first{}", words_of(s.written->choice),
                                    time_text(s.written->row.step_time_s),
                                    100 * (s.written->row.step_time_s / s.best.front().row.step_time_s - 1),
                                    s.written->left_out ? ", but left out: too large for the memory" : ""));
    }
    const auto tight = std::ranges::count_if(s.best, &FoundLayout::may_not_fit);
    if (tight > 0) {
        notes.push_back(fmt::format("memory: {} of these may not fit, by the high end of what they need", tight));
    }
    notes.insert(notes.end(), s.notes.begin(), s.notes.end());
    return notes;
}

}  // namespace

std::string layouts_table(const LayoutSearch& s) {
    std::string out = fmt::format("# {} on '{}', fastest first; {}\n", s.scenario, s.gpu, counts_text(s)) +
                      text_table(s.best, columns());
    for (const std::string& note : notes_of(s)) { out += "# " + note + "\n"; }
    if (!s.best.empty()) {
        out += fmt::format("# the first: --set {}\n", fmt::join(overrides_of(s.best.front().choice, s.own), " --set "));
    }
    return out;
}

Json layouts_json(const LayoutSearch& s) {
    return {{"schema_version", 1},
            {"program", "fabricast"},
            {"scenario", s.scenario},
            {"gpu", s.gpu},
            {"layouts", s.layouts},
            {"too_large", s.too_large},
            {"forecast", s.forecast},
            {"refused", s.refused},
            {"pruned", s.pruned()},
            {"stopped", s.stopped},
            {"best", records_json(s.best, columns())},
            {"as_written", s.written ? record_json(*s.written, columns()) : Json()},
            {"notes", s.notes}};
}

Records layouts_records(const LayoutSearch& s) { return records_of(s.best, columns()); }

html::Page layouts_page(const Scenario& scenario, const LayoutSearch& s) {
    html::Page page;
    page.title = s.scenario;
    page.answer = fmt::format("{}.", counts_text(s));
    if (!s.best.empty()) {
        const FoundLayout& first = s.best.front();
        page.answer = fmt::format("The fastest layout is {}: {} a step. {}.", words_of(first.choice),
                                  time_text(first.row.step_time_s), counts_text(s));
        page.headlines.push_back({"step", time_text(first.row.step_time_s), words_of(first.choice)});
    }
    page.sections.emplace_back(page_table("Layouts, fastest first",
                                          "Intervals hold four steps in five. The last column: how much longer the "
                                          "next layout's step takes, and whether a study calls the difference real.",
                                          s.best, columns()));
    html::Bars bars{"Where a step goes", "Seconds, mean over the pipeline stages.", Unit::time, {}, {}};
    for (const FoundLayout& found : s.best) { bars.labels.push_back(words_of(found.choice)); }
    for (const StepPart& part : step_parts) {
        html::BarPart& bar = bars.parts.emplace_back(html::BarPart{part.name, {}});
        for (const FoundLayout& found : s.best) { bar.values.push_back(found.row.*part.seconds); }
    }
    if (!s.best.empty()) { page.sections.emplace_back(std::move(bars)); }
    html::add_provenance(page, scenario);
    page.notes = notes_of(s);
    return page;
}

}  // namespace fabricast::inline layouts
