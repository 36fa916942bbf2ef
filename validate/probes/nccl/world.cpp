#include "nccl/world.hpp"

#ifdef PROBES_HAVE_MPI
#include <mpi.h>
#endif

namespace probe {

#ifdef PROBES_HAVE_MPI

World::World(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank_in_node);
    MPI_Comm_free(&node);
    const int first = rank_in_node == 0 ? 1 : 0;
    MPI_Allreduce(&first, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

World::~World() { MPI_Finalize(); }

double World::average(double value) const {
    double sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum / size;
}

double World::most(double value) const {
    double most = 0;
    MPI_Allreduce(&value, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

void World::barrier() const { MPI_Barrier(MPI_COMM_WORLD); }

void World::from_first(void* data, std::size_t bytes) const {
    MPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
}

void World::end_all(int code) const {
    if (size > 1) { MPI_Abort(MPI_COMM_WORLD, code); }
}

std::string World::mpi_version() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string whole(text);
    return whole.substr(0, whole.find(','));
}

#else

World::World(int*, char***) {}
World::~World() = default;
double World::average(double value) const { return value; }
double World::most(double value) const { return value; }
void World::barrier() const {}
void World::from_first(void*, std::size_t) const {}
void World::end_all(int) const {}
std::string World::mpi_version() { return ""; }

#endif

}  // namespace probe
