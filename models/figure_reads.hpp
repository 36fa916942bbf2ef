#pragma once
// Records which figures of the catalogue are read; a test uses it to find figures that nothing reads.

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast::inline models {

// While an instance exists, it records every read from a part by its thread, by kind of part and name of the figure,
// also of figures that the part lacks. At most one instance per thread.
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

}  // namespace fabricast::inline models
