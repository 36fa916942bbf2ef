/* What a simulator of a serving system asks: a layer's all-reduce over eight GPUs, and a prefill node that sends its
 * keys and values to a decode node while another one does the same.
 *
 *     cc price.c -lfabricast -o price && ./price scenario.yaml */
#include <fabricast.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char **argv) {
    fabricast_error error = {0, ""};
    fabricast_cluster *cluster = argc == 2 ? fabricast_open(argv[1], NULL, &error) : NULL;
    if (cluster == NULL) {
        fprintf(stderr, "%s\n", argc == 2 ? error.text : "usage: price SCENARIO");
        return 2;
    }
    fabricast_call layer = {"all_reduce", 0, 1, 8};
    double seconds = 0, sum = 0;
    enum { calls = 100000 };
    clock_t begun = 0;
    for (int i = -1000; i < calls; ++i) { /* the first thousand fill the grid */
        if (i == 0) { begun = clock(); }
        layer.bytes = 16384 + 4096L * ((i + 1000L) % 997);
        if (fabricast_price(cluster, &layer, 1, 0, &seconds, &error) != 0) { break; }
        sum += seconds;
    }
    const double each = (double)(clock() - begun) / CLOCKS_PER_SEC / calls;
    const fabricast_transfer caches[] = {{"node0.gpu0", "node1.gpu0", 64 << 20}, {"node0.gpu1", "node1.gpu1", 64 << 20}};
    double arrived[2] = {0, 0};
    if (error.code == 0) { fabricast_price_transfers(cluster, caches, 2, arrived, &error); }
    fabricast_close(cluster);
    if (error.code != 0) {
        fprintf(stderr, "%s\n", error.text);
        return error.code;
    }
    printf("an all-reduce takes %.1f us on average; asking takes %.2f us\n", 1e6 * sum / (calls + 1000), 1e6 * each);
    printf("the caches arrive after %.0f and %.0f us\n", 1e6 * arrived[0], 1e6 * arrived[1]);
    return 0;
}
