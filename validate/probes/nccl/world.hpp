#pragma once
// The processes of a run: one, or those that mpirun started.

#include <cstddef>
#include <string>

namespace probe {

struct World {
    World(int* argc, char*** argv);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    // Over all processes; each must call.
    double average(double value) const;
    double most(double value) const;
    void barrier() const;
    // The bytes of process 0.
    void from_first(void* data, std::size_t bytes) const;

    // Ends every process of the run where there are several.
    void end_all(int code) const;

    // "Open MPI v4.1.4 ..."; "" without MPI.
    static std::string mpi_version();

    int rank = 0;
    int size = 1;
    int rank_in_node = 0;
    int nodes = 1;
};

}  // namespace probe
