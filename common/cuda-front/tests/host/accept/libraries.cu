// Host code around a kernel: libraries, their types in classes, functions and variables, none of which a kernel uses.
#include <cublas_v2.h>
#include <cuda.h>
#include <dirent.h>
#include <mpi.h>
#include <nccl.h>
#include <omp.h>
#include <pthread.h>
#include <sys/time.h>
#include <thrust/device_vector.h>
#include <torch/extension.h>
#include <unistd.h>

#include <cub/cub.cuh>
#include <functional>
#include <map>
#include <string>
#include <vector>

using Job = std::function<void(int)>;
using Sum = cub::BlockReduce<float, 128>;
typedef struct {
    struct timeval begin, end;
    pthread_mutex_t lock;
} Stopwatch;

extern cublasHandle_t handle;
cublasHandle_t handle;
static CUcontext context = nullptr;
std::map<std::string, std::vector<int>> table = {{"a", {1, 2}}, {"b", {}}};

class Rank {
  public:
    Rank(MPI_Comm comm, ncclComm_t nccl) : comm_(comm), nccl_{nccl}, name_("rank") { start(); }
    virtual ~Rank() { stop(); }
    virtual void start() = 0;
    void stop() const;
    operator bool() const { return comm_ != MPI_COMM_NULL; }
    cudaEvent_t event() { return event_; }

  private:
    MPI_Comm comm_;
    ncclComm_t nccl_;
    cudaStream_t stream_;
    cudaEvent_t event_;
    cudaIpcMemHandle_t memory_;
    std::string name_;
};

template <typename T>
class Pool {
  public:
    Pool(int n);
    T *take();
    std::vector<T *> free_;
};

template <typename T>
Pool<T>::Pool(int n) : free_(n) {}

template <typename T>
T *Pool<T>::take() {
    return free_.back();
}

void fill(std::vector<float> &values, torch::Tensor out) try {
    for (auto &v : values) v = 1;
} catch (const std::exception &e) {
    throw;
}

template <typename T>
void sort(thrust::device_vector<T> &values, std::vector<std::pair<int, T>>& pairs)
{
    thrust::sort(values.begin(), values.end());
}

__global__ void scale(float *x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= a;
}

int main(int argc, char **argv) {
    std::vector<float> host(16);
    scale<<<1, 16>>>(nullptr, 2.0f, 16);
    return 0;
}
