#pragma once
// The processes of a run: one, or those that mpirun started.

#include <cstddef>
#include <string>

namespace probe {

class World {
public:
    World(int* argc, char*** argv);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }
    int rank_in_node() const { return rank_in_node_; }
    int nodes() const { return nodes_; }

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

private:
    int rank_ = 0;
    int size_ = 1;
    int rank_in_node_ = 0;
    int nodes_ = 1;
};

}  // namespace probe
