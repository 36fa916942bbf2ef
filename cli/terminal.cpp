#include "cli/terminal.hpp"

#include <array>
#include <cstdio>

namespace fabricast::cli {

PlainText::int_type PlainText::overflow(int_type c) {
    if (traits_type::eq_int_type(c, traits_type::eof())) { return traits_type::not_eof(c); }
    const auto byte = static_cast<unsigned char>(c);
    const bool c1 = after_c2_ && byte >= 0x80 && byte < 0xA0;
    const bool held = after_c2_;
    after_c2_ = byte == 0xC2 && !held;
    if (after_c2_) {
        return c;  // held back until the next byte shows which character it starts
    }
    if (held && !c1 && traits_type::eq_int_type(to_->sputc('\xC2'), traits_type::eof())) { return traits_type::eof(); }
    if (!c1 && ((byte >= 0x20 && byte != 0x7F) || byte == '\n' || byte == '\t')) {
        return to_->sputc(static_cast<char>(byte));
    }
    std::array<char, 8> shown{};
    const int length = std::snprintf(shown.data(), shown.size(), "\\x%02x", static_cast<unsigned>(byte));
    return to_->sputn(shown.data(), length) == length ? c : traits_type::eof();
}

}  // namespace fabricast::cli
