#pragma once
// Which sanitizer a build has: GCC says it by a macro, Clang by a feature.

#if defined(__has_feature)
#define FABRICAST_HAS_FEATURE(feature) __has_feature(feature)
#else
#define FABRICAST_HAS_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || FABRICAST_HAS_FEATURE(address_sanitizer)
#define FABRICAST_ADDRESS_SANITIZER 1
#else
#define FABRICAST_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__) || FABRICAST_HAS_FEATURE(thread_sanitizer)
#define FABRICAST_THREAD_SANITIZER 1
#else
#define FABRICAST_THREAD_SANITIZER 0
#endif

namespace fabricast::testing {

inline constexpr bool address_sanitizer = FABRICAST_ADDRESS_SANITIZER == 1;
inline constexpr bool sanitized = address_sanitizer || FABRICAST_THREAD_SANITIZER == 1;

}  // namespace fabricast::testing
