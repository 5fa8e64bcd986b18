// Tensor cores and asynchronous copies by inline PTX.
#include <cuda_fp16.h>
__global__ void tile(const __half *a, const __half *b, float *c) {
    __shared__ __align__(16) __half sa[16][24], sb[8][24];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        unsigned to = (unsigned)__cvta_generic_to_shared(&sa[lane / 2][lane % 2 * 8]);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(a + 8 * lane));
    }
    if (threadIdx.x < 16) {
        unsigned to = (unsigned)__cvta_generic_to_shared(&sb[lane / 2][lane % 2 * 8]);
        asm volatile("cp.async.cg.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(b + 8 * lane), "n"(16), "r"(16));
    }
    asm volatile("cp.async.commit_group;\n" ::: "memory");
    asm volatile("cp.async.wait_group %0;\n" ::"n"(0) : "memory");
    __syncthreads();
    unsigned fa[4], fb[2];
    float d[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    unsigned at = (unsigned)__cvta_generic_to_shared(&sa[lane % 16][lane / 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                 : "r"(at));
    at = (unsigned)__cvta_generic_to_shared(&sb[lane % 8][lane / 8 % 2 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(fb[0]), "=r"(fb[1]) : "r"(at));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    for (int i = 0; i < 4; i++) c[4 * lane + i] = d[i];
}
