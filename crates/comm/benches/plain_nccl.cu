// What a program written for NCCL alone takes for the messages of the bench `ranks`: two GPUs, each of which sends two messages
// to the other and receives two, in one group, a hundred groups in a CUDA graph. Each time is the least of twelve runs.
//
// nvcc -O3 plain_nccl.cu -o plain_nccl -lnccl && ./plain_nccl

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <nccl.h>
#include <pthread.h>
#include <thread>

#define CHECK(call)                                                                                                              \
    do {                                                                                                                         \
        const int code = (int)(call);                                                                                            \
        if (code != 0) {                                                                                                         \
            std::fprintf(stderr, "%s: error %d\n", #call, code);                                                                 \
            std::exit(1);                                                                                                        \
        }                                                                                                                        \
    } while (0)

static const int GROUPS = 100, RUNS = 12;
static pthread_barrier_t together;

static void rank_of(int rank, ncclUniqueId id) {
    CHECK(cudaSetDevice(rank));
    ncclComm_t comm;
    CHECK(ncclCommInitRank(&comm, 2, id, rank));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (size_t bytes : {8ul, 128ul, 2048ul, 32768ul, 1048576ul, 8388608ul}) {
        char *memory;
        CHECK(cudaMalloc(&memory, 4 * bytes));
        const auto exchange = [&] {
            CHECK(ncclGroupStart());
            for (int message = 0; message < 2; ++message) {
                CHECK(ncclSend(memory + message * bytes, bytes, ncclUint8, 1 - rank, comm, stream));
                CHECK(ncclRecv(memory + (2 + message) * bytes, bytes, ncclUint8, 1 - rank, comm, stream));
            }
            CHECK(ncclGroupEnd());
        };
        exchange();
        CHECK(cudaStreamSynchronize(stream));
        cudaGraph_t graph;
        cudaGraphExec_t executable;
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        for (int group = 0; group < GROUPS; ++group) exchange();
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&executable, graph, 0));
        const int times = 4 + (int)((1u << 20) / (bytes + 4096) / GROUPS);
        double least = 1e30;
        for (int run = 0; run < RUNS; ++run) {
            pthread_barrier_wait(&together);
            const auto start = std::chrono::steady_clock::now();
            for (int time = 0; time < times; ++time) CHECK(cudaGraphLaunch(executable, stream));
            CHECK(cudaStreamSynchronize(stream));
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
            if (seconds.count() < least) least = seconds.count();
        }
        if (rank == 0) std::printf("plain NCCL, 2 x %zu bytes both ways: %.3f us, recorded\n", bytes, least / times / GROUPS * 1e6);
        CHECK(cudaGraphExecDestroy(executable));
        CHECK(cudaGraphDestroy(graph));
        CHECK(cudaFree(memory));
    }
    CHECK(ncclCommDestroy(comm));
}

int main() {
    ncclUniqueId id;
    CHECK(ncclGetUniqueId(&id));
    pthread_barrier_init(&together, nullptr, 2);
    std::thread first(rank_of, 0, id), second(rank_of, 1, id);
    first.join();
    second.join();
}
