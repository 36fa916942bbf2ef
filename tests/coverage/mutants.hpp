#pragma once
// Forced into every source of a build by mutate.py: all mutants are in one program, and FABRICAST_MUTANT chooses one.
// What each test comes by is noted, so that a mutant is tried by those tests alone (reached.hpp).

#if __cplusplus > 201703L  // not where CMake tries the compiler
#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace fabricast_mutants {

inline constexpr int most = 4096;
inline unsigned char reached[most] = {};
inline const int active = [] {
    const char* number = std::getenv("FABRICAST_MUTANT");
    return number == nullptr ? -1 : std::atoi(number);
}();

template <int Number> constexpr bool on() {
    if (std::is_constant_evaluated()) { return false; }
    if (reached[Number] == 0) { reached[Number] = 1; }  // written once: threads share its cache line
    return active == Number;
}

// What an operator is before and after; `a + b` becomes `a + plus_minus<7>() + b`, so that it binds as it did.
#define FABRICAST_MUTANT_OPERATOR(Name, sign)                                                \
    struct Name {                                                                            \
        template <typename A, typename B> static constexpr decltype(auto) of(A&& a, B&& b) { \
            return std::forward<A>(a) sign std::forward<B>(b);                               \
        }                                                                                    \
    };                                                                                       \
    template <typename A, typename Mark>                                                     \
    requires std::is_same_v<typename Mark::Before, Name>                                     \
    constexpr Left<A, Mark> operator sign(A&& a, Mark) { return {std::forward<A>(a)}; }      \
    template <typename A, typename Mark, typename B>                                         \
    requires std::is_same_v<typename Mark::Before, Name>                                     \
    constexpr auto operator sign(Left<A, Mark> left, B&& b) {                                \
        return decided<Mark>(std::forward<A>(left.value), std::forward<B>(b));               \
    }

template <int Number, typename From, typename To> struct Swapped {
    using Before = From;
    using After = To;
    static constexpr int number = Number;
};
template <typename A, typename Mark> struct Left { A&& value; };
template <typename Mark, typename A, typename B> constexpr auto decided(A&& a, B&& b) {
    using Result = std::decay_t<decltype(Mark::Before::of(std::forward<A>(a), std::forward<B>(b)))>;
    if (on<Mark::number>()) { return Result(Mark::After::of(std::forward<A>(a), std::forward<B>(b))); }
    return Result(Mark::Before::of(std::forward<A>(a), std::forward<B>(b)));
}

FABRICAST_MUTANT_OPERATOR(Plus, +)
FABRICAST_MUTANT_OPERATOR(Minus, -)
FABRICAST_MUTANT_OPERATOR(Times, *)
FABRICAST_MUTANT_OPERATOR(Over, /)
FABRICAST_MUTANT_OPERATOR(Less, <)
FABRICAST_MUTANT_OPERATOR(More, >)
FABRICAST_MUTANT_OPERATOR(AtMost, <=)
FABRICAST_MUTANT_OPERATOR(AtLeast, >=)
FABRICAST_MUTANT_OPERATOR(Same, ==)
FABRICAST_MUTANT_OPERATOR(Other, !=)

#define FABRICAST_MUTANT_SWAP(name, From, To) \
    template <int Number> constexpr Swapped<Number, From, To> name() { return {}; }
FABRICAST_MUTANT_SWAP(plus_minus, Plus, Minus)
FABRICAST_MUTANT_SWAP(minus_plus, Minus, Plus)
FABRICAST_MUTANT_SWAP(times_over, Times, Over)
FABRICAST_MUTANT_SWAP(over_times, Over, Times)
FABRICAST_MUTANT_SWAP(less_at_least, Less, AtLeast)
FABRICAST_MUTANT_SWAP(more_at_most, More, AtMost)
FABRICAST_MUTANT_SWAP(at_most_less, AtMost, Less)
FABRICAST_MUTANT_SWAP(at_least_more, AtLeast, More)
FABRICAST_MUTANT_SWAP(same_other, Same, Other)

template <int Number, typename T> constexpr T number(T from, T to) { return on<Number>() ? to : from; }
template <int Number, typename T> constexpr T max_or_min(std::initializer_list<T> of) {
    return on<Number>() ? (std::min)(of) : (std::max)(of);
}
template <int Number, typename T> constexpr T min_or_max(std::initializer_list<T> of) {
    return on<Number>() ? (std::max)(of) : (std::min)(of);
}
template <int Number, typename... T> constexpr auto max_or_min(const T&... of) {
    if (on<Number>()) { return (std::min)(of...); }
    return (std::max)(of...);
}
template <int Number, typename... T> constexpr auto min_or_max(const T&... of) {
    if (on<Number>()) { return (std::max)(of...); }
    return (std::min)(of...);
}

}  // namespace fabricast_mutants
#endif
