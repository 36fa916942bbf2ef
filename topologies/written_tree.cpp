#include "topologies/written_tree.hpp"

namespace fabricast::inline topologies {

yaml::Node scalar_like(const yaml::Node& like, std::string_view name, std::string text) {
    yaml::Node node;
    node.kind = yaml::Kind::scalar;
    node.name = name;
    node.text = std::move(text);
    node.place = like.place;
    node.key_place = like.place;
    return node;
}

yaml::Node empty_like(const yaml::Node& like, yaml::Kind kind, std::string_view name) {
    yaml::Node node = scalar_like(like, name, {});
    node.kind = kind;
    return node;
}

yaml::Node mesh_like(const yaml::Node& like, const std::string& link, std::int64_t gpus, std::int64_t group,
                     std::int64_t links) {
    yaml::Node rows = empty_like(like, yaml::Kind::list, "links");
    for (std::int64_t a = 0; a < gpus; ++a) {
        yaml::Node row = empty_like(like, yaml::Kind::list, "links");
        for (std::int64_t b = 0; b < gpus; ++b) {
            const bool direct = a != b && a / group == b / group;
            row.children.push_back(scalar_like(like, "links", std::to_string(direct ? links : 0)));
        }
        rows.children.push_back(std::move(row));
    }
    yaml::Node mesh = empty_like(like, yaml::Kind::map, "mesh");
    mesh.children.push_back(scalar_like(like, "link", link));
    mesh.children.push_back(std::move(rows));
    return mesh;
}

}  // namespace fabricast::inline topologies
