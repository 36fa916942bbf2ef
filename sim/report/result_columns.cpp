#include "sim/report/result_columns.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/unit_text.hpp"

namespace fabricast::inline report {

namespace {

using html::Unit;

// Four significant digits, about as nccl-tests prints a time: 11.32, 113.2, 1132.
std::string microseconds_text(double seconds) {
    const double us = seconds * 1e6;
    return fmt::format("{:.{}f}", us, us < 99.995 ? 2 : us < 999.95 ? 1 : 0);
}

std::string gigabytes_text(double value) { return fmt::format("{:.2f}", value * 1e-9); }
std::string memory_text(double bytes) { return fmt::format("{:.1f} GB", bytes * 1e-9); }
std::string share_text(double share) { return fmt::format("{:.1f} %", share * 100); }
std::string size_text(double bytes) { return text(bytes, Dimension::size); }

// A part of the step as a share of it; only printed.
Column<StepRow> step_share(const char* heading, double StepRow::*part) {
    return Column<StepRow>([part](const StepRow& r) { return r.*part / r.step_time_s; })
        .printed(heading, 8, "", share_text);
}

}  // namespace

std::string interval_text(double time_s, double low80_s, double high80_s) {
    const auto percent = [&](double end) { return time_s > 0 ? 100 * (end / time_s - 1) : 0; };
    return fmt::format("{:.0f}/{:+.0f}", percent(low80_s) - 1e-9, percent(high80_s));
}

Columns<Row> row_columns(bool transfer) {
    using C = Column<Row>;
    const std::string way = transfer ? "transport" : "algorithm";
    return {
        C("size_bytes", "Message size as nccl-tests counts it.", [](const Row& r) { return r.size.count; })
            .printed("size", 14, "(B)", {}, 0)
            .on_page("size", Unit::size),
        C("time_s", "Time of one call in the steady state.", &Row::time_s)
            .number("time", 10, Unit::time, microseconds_text, "(us)"),
        C([](const Row& r) {
            return interval_text(r.time_s, r.time_low80_s, r.time_high80_s);
        }).printed("80 %", 9, "(%)"),
        C("time_low80_s", "Lower end of its 80 % interval.", &Row::time_low80_s).on_page("low", Unit::time),
        C("time_high80_s", "Upper end of its 80 % interval.", &Row::time_high80_s).on_page("high", Unit::time),
        C("algbw_Bps", "Size / time.", &Row::algbw).number("algbw", 9, Unit::rate, gigabytes_text, "(GB/s)"),
        C("busbw_Bps", "algbw times nccl-tests' factor of the collective.", &Row::busbw)
            .number("busbw", 9, Unit::rate, gigabytes_text, "(GB/s)"),
        C("algorithm", "As used.", &Row::algorithm).words(way, 18),
        C("protocol", "As used.", &Row::protocol).printed("protocol", -8).on_page("protocol"),
        C("channels", "As used.", &Row::channels)
            .printed(transfer ? "DMA" : "ch", 4)
            .on_page(transfer ? "DMA crossings" : "channels", Unit::count),
        C("bottleneck", "The busiest link and its utilisation, or what the time goes into.", &Row::bottleneck)
            .words("bottleneck", 44),
        C("evidence", "What the row rests on.", [](const Row& r) { return to_string(r.evidence); }).words("evidence"),
    };
}

Columns<ScalingPoint> point_columns() {
    using C = Column<ScalingPoint>;
    using P = ScalingPoint;
    return {
        C("nodes", "Number of nodes.", &P::nodes).printed("nodes", 8, "", {}, 0).on_page("nodes", Unit::count),
        C("gpus", "Number of GPUs.", &P::gpus).printed("gpus", 9).on_page("GPUs", Unit::count),
        C("busbw_Bps", "At the largest size.", &P::busbw).number("busbw", 10, Unit::rate, gigabytes_text, "(GB/s)"),
        C("busbw_retained", "Against the first point.", &P::busbw_retained)
            .printed("retained", 10, "", share_text)
            .on_page("kept", Unit::share),
        C("step_time_s", "Computation and exposed communication.", &P::step_time_s)
            .number("step", 12, Unit::time, time_text),
        C("exposed_comm_s", "Communication that computation does not hide.", &P::exposed_comm_s)
            .printed("exposed", 12, "", time_text)
            .on_page("exposed communication", Unit::time),
        C("efficiency", "Computation / step time.", &P::efficiency).number("efficiency", 11, Unit::share, share_text),
    };
}

Columns<StepRow> step_columns(bool tokens) {
    using C = Column<StepRow>;
    using R = StepRow;
    const auto of_goodput = [](double Goodput::*part) {
        return [part](const R& r) { return r.goodput ? Json((*r.goodput).*part) : Json(); };
    };
    const auto whole = [](double value) { return fmt::format("{:.0f}", value); };
    const auto teraflops = [](double value) { return fmt::format("{:.1f}", value * 1e-12); };
    const auto thousandths = [](double value) { return fmt::format("{:.3f}", value); };
    return {
        C("nodes", "Number of nodes.", &R::nodes),
        C("gpus", "Number of GPUs.", &R::gpus).printed("gpus", 8, "", {}, 0).on_page("GPUs", Unit::count),
        C("data_ranks", "Copies of the model that share the batch.", &R::data_ranks),
        C("global_batch", "Sequences or images a step.", &R::global_batch).number("batch", 9, Unit::count),
        C(&R::data_ranks).printed("data", 7),
        C("step_time_s", "One step.", &R::step_time_s).number("step", 10, Unit::time, time_text),
        C([](const R& r) { return interval_text(r.step_time_s, r.time_low80_s, r.time_high80_s); }).printed("80 %", 9),
        C("time_low80_s", "Nine in ten measured steps take longer.", &R::time_low80_s).on_page("low", Unit::time),
        C("time_high80_s", "Nine in ten measured steps take less.", &R::time_high80_s).on_page("high", Unit::time),
        C("samples_per_s", "Sequences or images a second.", &R::samples_per_s),
        C("tokens_per_s", "Tokens a second; 0 for images.", &R::tokens_per_s),
        C([](const R& r) {
            return r.tokens_per_s > 0 ? r.tokens_per_s : r.samples_per_s;
        }).printed(tokens ? "tokens/s" : "images/s", 13, "", whole),
        C([](const R& r) {
            return r.tokens_per_s > 0 ? Json(r.tokens_per_s) : Json();
        }).on_page("tokens/s", Unit::count),
        C(&R::samples_per_s).on_page("samples/s"),
        C("flops_per_gpu", "The model's own operations a second and GPU, nothing computed again counted.",
          &R::flops_per_gpu)
            .printed("TFLOP/s", 9, "", teraflops)
            .on_page("FLOP/s a GPU", Unit::flops),
        C("mfu", "flops_per_gpu over the dense peak of the precision.", &R::mfu)
            .number("MFU", 6, Unit::share, thousandths),
        C("efficiency", "Throughput a GPU against the first point.", &R::efficiency)
            .number("efficiency", 10, Unit::share, share_text),
        C("compute_s", "Computing, mean over the pipeline stages.", &R::compute_s),
        C("products_s", "Part of compute_s in matrix products; kernels that run beside communication share its delay.",
          &R::products_s),
        C("attention_s", "Part of compute_s in attention.", &R::attention_s),
        C("small_kernels_s", "Part of compute_s in element-wise kernels.", &R::small_kernels_s),
        C("logits_s", "Part of compute_s in the last product and the loss.", &R::logits_s),
        C("exposed_comm_s", "Communication while nothing is computed.", [](const R& r) { return r.exposed_s(); }),
        C("exposed_tensor_s", "Part of exposed_comm_s: tensor-parallel.", &R::exposed_tensor_s),
        C("exposed_context_s", "Part of exposed_comm_s: context-parallel.", &R::exposed_context_s),
        C("exposed_expert_s", "Part of exposed_comm_s: expert-parallel.", &R::exposed_expert_s),
        C("exposed_pipeline_s", "Part of exposed_comm_s: between pipeline stages.", &R::exposed_pipeline_s),
        C("exposed_data_s", "Part of exposed_comm_s: gradients and parameters.", &R::exposed_data_s),
        C("bubble_s", "Waiting for other pipeline stages to compute.", &R::bubble_s),
        C("bubble_imbalance_s", "Part of bubble_s because the longest stage computes more than the mean.",
          &R::bubble_imbalance_s),
        C("bubble_waits_s", "Part of bubble_s because other stages wait for communication.", &R::bubble_waits_s),
        C("fixed_s", "Optimizer, and what the framework adds once a step.", &R::fixed_s),
        step_share("compute", &R::compute_s),
        step_share("tensor", &R::exposed_tensor_s),
        step_share("context", &R::exposed_context_s),
        step_share("expert", &R::exposed_expert_s),
        step_share("pipeline", &R::exposed_pipeline_s),
        step_share("data", &R::exposed_data_s),
        step_share("bubble", &R::bubble_s),
        step_share("fixed", &R::fixed_s),
        C("parameter_bytes", "Parameters on the fullest GPU.", &R::parameter_bytes),
        C("gradient_bytes", "Gradients on that GPU.", &R::gradient_bytes),
        C("optimizer_bytes", "Optimizer states on that GPU.", &R::optimizer_bytes),
        C("activation_bytes", "Activations on that GPU.", &R::activation_bytes),
        C("reserved_bytes", "CUDA's context, NCCL's buffers and workspaces on that GPU.", &R::reserved_bytes),
        C([](const R& r) { return r.memory_bytes(); }).number("memory", 9, Unit::size, memory_text),
        C("bottleneck", "What the step spends most of its time in beside computing, or computing.", &R::bottleneck)
            .words("bottleneck", 24),
        C("busiest_link", "The most utilised link, over the whole step.", &R::busiest_link).words("busiest link", 30),
        C("goodput", "Share of a month that failures and checkpoints leave.", of_goodput(&Goodput::share))
            .on_page("goodput", Unit::share),
        C("goodput_low80", "Nine months in ten have more.", of_goodput(&Goodput::low80)).on_page("low", Unit::share),
        C("goodput_high80", "Nine months in ten have less.", of_goodput(&Goodput::high80)).on_page("high", Unit::share),
        C("checkpoint_every_s", "Computing between two checkpoints.", of_goodput(&Goodput::every_s)),
        C("interruptions", "Failures expected in 30 days.", of_goodput(&Goodput::failures)),
        C("evidence", "What the row rests on.", [](const R& r) { return to_string(r.evidence); }).words("evidence"),
    };
}

Columns<ReplayReport> replay_columns() {
    using C = Column<ReplayReport>;
    using R = ReplayReport;
    return {
        C("makespan_s", "From the first start to the last end.", &R::makespan_s),
        C("recorded_s", "The same of the recording itself.",
          [](const R& r) { return r.recorded_s ? Json(*r.recorded_s) : Json(); }),
        C("ranks", "Ranks that were replayed.", &R::ranks),
        C("bottleneck", "The busiest link, or what the time goes into.", &R::bottleneck),
    };
}

Columns<ReplayUse> replay_use_columns() {
    using C = Column<ReplayUse>;
    using U = ReplayUse;
    const auto printed_group = [](const U& u) { return u.group.empty() ? "-" : u.group.substr(0, 24); };
    const auto group_time = [](const U& u) { return u.time_s / std::max<std::uint32_t>(u.groups, 1); };
    return {
        C("group", "The communicator's name in the trace.", &U::group).on_page("group"),
        C(printed_group).printed_words("group", 24),
        C("ranks", "Ranks of one such group.", &U::ranks).number("ranks", 6, Unit::count),
        C("groups", "Number of groups with this name and size.", &U::groups).printed("groups", 7),
        C("collective", "What they call; sendrecv for messages.", &U::collective).words("collective", 14),
        C("calls", "Calls on all these groups.", &U::calls).number("calls", 8, Unit::count),
        C([](const U& u) { return u.bytes / static_cast<double>(u.calls); }).printed("a call", 10, "", size_text),
        C("size_bytes", "nccl-tests' size, summed over the calls.", &U::bytes)
            .printed("in all", 12, "", size_text)
            .on_page("bytes", Unit::size),
        C("time_s", "Summed over the calls, from the last rank's arrival on.", &U::time_s).on_page("time", Unit::time),
        C(group_time).printed("of one group", 14, "", time_text),
    };
}

Columns<ReplayRank> replay_rank_columns() {
    using C = Column<ReplayRank>;
    using R = ReplayRank;
    return {
        C("rank", "Its number in the job.", &R::rank).printed("rank", 8, "", {}, 0),
        C("device", "Where it runs.", &R::device).printed_words("device", 14),
        C("compute_s", "Time while at least one kernel runs.", &R::compute_s).printed("computing", 12, "", time_text),
        C("comm_s", "Time while at least one call runs.", &R::comm_s).printed("communicating", 14, "", time_text),
        C("waiting_s", "Time that it waits for other ranks to arrive at a call.", &R::waiting_s)
            .printed("waiting", 12, "", time_text),
        C("exposed_comm_s", "Time in calls and waiting while no kernel runs.", &R::exposed_s)
            .printed("exposed", 12, "", time_text),
        C("end_s", "When its last record ends.", &R::end_s).printed("end", 12, "", time_text),
    };
}

Columns<FigureUsed> figure_used_columns() {
    using C = Column<FigureUsed>;
    using F = FigureUsed;
    return {
        C("part", "Catalogue part.", &F::part),
        C("figure", "The part's figure.", &F::figure),
        C("value", "Its value, in `unit`.", &F::value),
        C("low80", "Lower end of its 80 % interval.", &F::low80),
        C("high80", "Upper end of its 80 % interval.", &F::high80),
        C("unit", "SI base unit, empty for a plain number.", &F::unit),
        C("origin", "spec, vendor, measured, fitted or estimated.", &F::origin),
        C("source", "Document and section, or datasets.", &F::source),
    };
}

}  // namespace fabricast::inline report
