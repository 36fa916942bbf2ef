#include "base/decimal.hpp"

#include <algorithm>
#include <utility>

namespace fabricast::inline base {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Int128 gcd(Int128 a, Int128 b) {
    while (b != 0) { a = std::exchange(b, a % b); }
    return a;
}

}  // namespace

std::size_t read_decimal(std::string_view text, Decimal& number) {
    constexpr int most_digits = 30;
    std::size_t at = 0;
    int significant = 0;
    bool any = false;
    bool point = false;
    for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !point)); ++at) {
        if (text[at] == '.') {
            point = true;
            continue;
        }
        any = true;
        number.digits = number.digits * 10 + (text[at] - '0');
        significant += number.digits > 0 ? 1 : 0;
        number.exponent -= point ? 1 : 0;
        if (significant > most_digits) { return 0; }
    }
    if (!any) { return 0; }
    // An exponent only when digits follow: the E of "1 EFLOP/s" is a unit.
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        std::size_t next = at + 1;
        const bool minus = next < text.size() && text[next] == '-';
        next += next < text.size() && (text[next] == '-' || text[next] == '+') ? 1 : 0;
        if (next < text.size() && is_digit(text[next])) {
            int exponent = 0;
            for (; next < text.size() && is_digit(text[next]); ++next) {
                exponent = std::min(exponent * 10 + (text[next] - '0'), 1000);
            }
            number.exponent += minus ? -exponent : exponent;
            at = next;
        }
    }
    return at;
}

std::optional<Fraction> fraction(const Decimal& number, std::int64_t num, std::int64_t den, int exponent) {
    Fraction f{number.digits, den};
    if (f.num == 0) { return Fraction{}; }
    const Int128 common = gcd(f.num, f.den);
    f = {f.num / common, f.den / common};
    if (__builtin_mul_overflow(f.num, static_cast<Int128>(num), &f.num)) { return std::nullopt; }
    exponent += number.exponent;
    for (; exponent > 0; --exponent) {
        if (__builtin_mul_overflow(f.num, static_cast<Int128>(10), &f.num)) { return std::nullopt; }
    }
    for (; exponent < 0; ++exponent) {
        if (f.num % 10 == 0) {
            f.num /= 10;
        } else if (__builtin_mul_overflow(f.den, static_cast<Int128>(10), &f.den)) {
            return std::nullopt;
        }
    }
    const Int128 rest = gcd(f.num, f.den);
    return Fraction{f.num / rest, f.den / rest};
}

}  // namespace fabricast::inline base
