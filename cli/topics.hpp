#pragma once
// What no single command explains: `fabricast help exit-codes`.

#include <span>
#include <string>
#include <string_view>

namespace fabricast::cli {

struct Topic {
    std::string_view name;
    std::string_view summary;
    std::string (*text)();
};
std::span<const Topic> topics();

}  // namespace fabricast::cli
