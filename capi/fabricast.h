/* fabricast for other programs: a simulator of serving or scheduling asks here what its collectives and messages take.
 *
 *     fabricast_cluster *cluster = fabricast_open("cluster.yaml", NULL, &error);
 *     fabricast_call call = {"all_reduce", 64 << 20, 2, 8};
 *     double seconds;
 *     if (fabricast_price(cluster, &call, 1, 0, &seconds, &error) != 0) fputs(error.text, stderr);
 *
 * Link with -lfabricast; by CMake: find_package(fabricast), fabricast::fabricast. A handle may be used from any thread.
 * No function prints, keeps what it is given, or changes anything outside its handle. */
#ifndef FABRICAST_H
#define FABRICAST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A cluster with its library and engine, as a scenario file says. */
typedef struct fabricast_cluster fabricast_cluster;

/* What went wrong: an exit code of the program (`fabricast help exit-codes`) and its message, which begins with
 * file:line:column where it is about a place in a file. May be NULL in every call. */
typedef struct {
    int code;
    char text[1000];
} fabricast_error;

/* "0.1.0" */
const char *fabricast_version(void);

/* Reads a scenario file. `overrides` are "path=value" as for --set, ended by NULL; may itself be NULL. NULL on error. */
fabricast_cluster *fabricast_open(const char *scenario_file, const char *const *overrides, fabricast_error *error);
void fabricast_close(fabricast_cluster *cluster); /* NULL is nothing to close */

/* A collective ("all_reduce", "all_gather", "all_to_all", ...) of nccl-tests' size among the first `gpus_per_node` GPUs
 * of each of `nodes` neighbouring nodes; 0: all that the scenario has. */
typedef struct {
    const char *collective;
    int64_t bytes;
    uint32_t nodes, gpus_per_node;
} fabricast_call;

/* Replay the very size. Without: of a grid of eight sizes an octave, finer where NCCL changes its ways, each is replayed
 * once, when first needed, and the others lie between them; docs/embedding.md says how far off that is. */
#define FABRICAST_EXACT 1U

/* Seconds of each of `count` calls, each alone on the cluster and in the steady state. Returns 0, or the error's code;
 * `seconds` is then undefined. */
int fabricast_price(fabricast_cluster *cluster, const fabricast_call *calls, size_t count, unsigned flags, double *seconds,
                    fabricast_error *error);

/* A message from device to device: "node0.gpu1", "node3.memory0". */
typedef struct {
    const char *from, *to;
    int64_t bytes;
} fabricast_transfer;

/* When each of `count` messages has arrived, in seconds after all of them began; they share the links. Sets that were
 * priced before are looked up. */
int fabricast_price_transfers(fabricast_cluster *cluster, const fabricast_transfer *transfers, size_t count, double *seconds,
                              fabricast_error *error);

#ifdef __cplusplus
}
#endif

#endif
