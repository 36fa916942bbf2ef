#pragma once
// What is really read of the catalogue: a test finds with it the figures that nothing reads.

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {

// While one lives, its thread's reads of parts go into it, by kind and name, of figures that a part lacks too. One at a
// time in a thread.
class FigureReads {
public:
    FigureReads();
    ~FigureReads();
    FigureReads(const FigureReads&) = delete;
    FigureReads& operator=(const FigureReads&) = delete;

    bool contains(const std::string& kind, const std::string& name) const { return seen_.contains({kind, name}); }

    static void note(const std::string& kind, std::string_view name);

private:
    std::set<std::pair<std::string, std::string>> seen_;
};

}  // namespace fabricast
