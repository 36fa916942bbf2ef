#include "sim/scenario/clouds.hpp"

#include "base/text.hpp"

namespace fabricast::inline scenario {

const std::vector<Cloud>& clouds() {
    static const std::vector<Cloud> all = [] {
        std::vector<Cloud> read;
        for (const EmbeddedFile& file : embedded_clouds()) {
            const yaml::Node tree = yaml::parse(file.text, std::string(file.name));
            for (const yaml::Node& member : tree.members()) {
                Cloud& cloud = read.emplace_back();
                cloud.name = member.name;
                cloud.keys = member;
                std::erase_if(cloud.keys.children, [&](const yaml::Node& key) {
                    if (key.name != "note" && key.name != "source") { return false; }
                    (key.name == "note" ? cloud.note : cloud.source) = key.as_string();
                    return true;
                });
            }
        }
        return read;
    }();
    return all;
}

yaml::Node cloud_keys(const yaml::Node& entry) {
    const std::string name = entry.as_string().substr(cloud_prefix.size());
    const auto found = std::ranges::find(clouds(), name, &Cloud::name);
    if (found == clouds().end()) {
        const std::vector<std::string> names = names_of(clouds(), &Cloud::name);
        entry.fail("no instance of a cloud has this name", "see `fabricast catalog list cloud`",
                   nearest_word(name, names));
    }
    return found->keys;
}

}  // namespace fabricast::inline scenario
