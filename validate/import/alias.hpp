#pragma once
// The alias table: how people spell GPUs, networks and benchmarks, as data (validate/aliases.yaml, embedded). Each list
// is searched from the top; the first pattern found in a text wins. No entry names a dataset.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/pattern.hpp"
#include "base/yaml.hpp"

namespace fabricast::inline validate_import {

using WordMap = std::map<std::string, std::string, std::less<>>;
// The word under `key`, or "".
std::string_view word_in(const WordMap& words, std::string_view key);

// A pattern (RE2 syntax, case-insensitive, found anywhere in a text) and what it means. `also` (`and` in the file) must
// be found too; `unless` must not be found.
struct Alias {
    std::optional<Pattern> match, also, unless;
    WordMap means;

    std::string_view word(std::string_view key) const { return word_in(means, key); }
};

using AliasList = std::vector<Alias>;

// The list under `key`. Throws InputError if it is malformed.
AliasList read_aliases(const yaml::Node& root, std::string_view key);

// The first alias found in `text`, or nullptr.
const Alias* first_match(const AliasList& list, std::string_view text);

// The node template of the catalogue for a number of GPUs of one kind that are connected in one way.
struct NodeAlias {
    std::string gpu, intra, node;
    std::uint32_t gpus = 0;        // in the template
    std::string network;           // the template is for this family of networks; empty: for any
    std::optional<Pattern> words;  // a machine of its own kind: what else the file says of it, in place of `intra`
};

// The keys of validate/aliases.yaml, in the order of the file's reader.
struct AliasTable {
    AliasList gpus;          // system.gpu -> gpu, part, generation, intra (the usual connection of several)
    AliasList unnamed_gpus;  // where no GPU is named: all that the file says of the machine -> the same
    AliasList intra;         // system.intra -> intra
    std::vector<NodeAlias> nodes;
    AliasList networks;           // software.env, system.network, system.nic -> family, transport, fabric, ...
    AliasList speeds;             // the same texts -> Gb/s of one NIC
    AliasList hosts;              // system.cpu -> vendor, part
    WordMap cpu_by_generation;    // "hopper", "hopper amd" -> the usual processor of such a box
    AliasList collectives;        // benchmark.collective -> collective
    AliasList dtypes;             // benchmark.dtype -> dtype
    AliasList launchers;          // benchmark.tool -> mode
    WordMap link;                 // "infiniband 400" -> the catalogue's link
    WordMap speed_by_generation;  // "hopper" -> Gb/s of the NIC it is usually sold with
    WordMap nccl_by_generation;
    WordMap nccl_usual;  // by generation: releases in use on it, with blanks between
    WordMap nccl_dates;  // by release: the month when it came out
    std::vector<std::pair<std::string, std::string>> nccl_by_cuda;  // from this CUDA release on, ascending
};

// The table embedded in the program.
const AliasTable& builtin_aliases();

}  // namespace fabricast::inline validate_import
