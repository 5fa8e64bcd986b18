//! Names of CUDA that the simulator does not support yet, and names that exist on the host alone.

use source::words;

/// Prefixes of names of unsupported libraries.
const PREFIXES: &[&str] = words!(
    "__half cudaError __nv_bfloat __float2half __floats2half __float22half __double2half __float2bfloat
     __floats2bfloat __bfloat16 __ushort2half __short2half __int2half __uint2half __low2 __high2 __lows2
     __highs2 __heq __hne __hgt __hge __hlt __hle __hneg __habs __hisnan __hadd2 __ldmatrix __nv_fp8
     __nv_fp6 __nv_fp4 __nv_atomic_ __NV_ __pipeline_ __shfl_down_half __hmul __hfma __hdiv __hsub __hmax
     __hmin __nvvm_ __cvta_ __nv_ __barrier_sync __u128Atomic __cluster curand CURAND_"
);

const NAMES: &[&str] = words!(
    "tiles_of_more_than_32_threads half half2 hsqrt hrsqrt hrcp hexp hexp2 hlog hlog2 hsin hcos htanh htanh_approx h2tanh_approx h2sqrt
     h2exp h2log nv_bfloat16 nv_bfloat162 cooperative_groups cg this_thread_block tiled_partition
     this_cluster cluster_group this_multi_grid multi_grid_group coalesced_threads binary_partition
     labeled_partition invoke_one invoke_one_broadcast wmma nvcuda mma memcpy_async pipeline barrier atomic atomic_ref
     __cvta_generic_to_shared __cvta_generic_to_global globaltimer __isGridConstant
     __isClusterShared __isCtaShared __uni_sync cudaLaunchDevice
     numeric_limits array tuple pair optional complex bit_cast is_constant_evaluated
     __builtin_is_constant_evaluated"
);

/// What device code may call of the CUDA run-time, in a program that is linked with its device library.
const DEVICE_RUNTIME: &[&str] = words!(
    "cudaDeviceGetAttribute cudaDeviceGetCacheConfig cudaDeviceGetLimit cudaDeviceGetSharedMemConfig
     cudaEventCreateWithFlags cudaEventDestroy cudaEventRecord cudaEventRecordWithFlags
     cudaFuncGetAttributes cudaGetDevice cudaGetDeviceCount cudaGetErrorName cudaGetErrorString
     cudaGetLastError cudaGetParameterBuffer cudaGetParameterBufferV2 cudaLaunchDeviceV2
     cudaMemcpy2DAsync cudaMemcpy3DAsync cudaMemcpyAsync cudaMemset2DAsync cudaMemset3DAsync
     cudaMemsetAsync cudaOccupancyMaxActiveBlocksPerMultiprocessor cudaPeekAtLastError
     cudaRuntimeGetVersion cudaStreamCreateWithFlags cudaStreamDestroy cudaStreamWaitEvent"
);

/// Whether CUDA has the name but the simulator does not.
pub(in super::super) fn is_unsupported(name: &str) -> bool {
    NAMES.contains(&name) || DEVICE_RUNTIME.contains(&name) || PREFIXES.iter().any(|p| name.starts_with(p))
}

/// The header that would have brought the name.
pub(in super::super) fn header(name: &str) -> Option<&'static str> {
    Some(match name {
        "half" | "half2" | "__half" | "__half2" | "__float2half" | "__float2half_rn"
        | "__floats2half2_rn" | "__float22half2_rn" | "__float2half2_rn" | "__half2float"
        | "__half22float2" | "__low2float" | "__high2float" | "__hadd2" | "__hmul2" | "__hfma2"
        | "__hadd" | "__hmul" | "__hfma" => "cuda_fp16.h",
        "nv_bfloat16"
        | "nv_bfloat162"
        | "__nv_bfloat16"
        | "__nv_bfloat162"
        | "__float2bfloat16"
        | "__float2bfloat16_rn"
        | "__floats2bfloat162_rn"
        | "__bfloat162float" => "cuda_bf16.h",
        "curandState" | "curandState_t" | "curand_init" | "curand_uniform" | "curand_normal" => {
            "curand_kernel.h"
        }
        "cooperative_groups" | "cg" => "cooperative_groups.h",
        _ => return None,
    })
}

/// Whether CUDA had the name once.
pub(in super::super) fn is_removed(name: &str) -> bool {
    matches!(name, "__ballot" | "__any" | "__all" | "__shfl" | "__shfl_up" | "__shfl_down" | "__shfl_xor")
}

/// What to do instead of a function of the host, if the name is one.
pub(in super::super) fn host_only(name: &str) -> Option<&'static str> {
    Some(match name {
        "cout" | "cerr" | "clog" | "endl" | "puts" | "fprintf" | "sprintf" | "snprintf" | "scanf"
        | "putchar" => "in a kernel, print with `printf`",
        "vector" | "string" | "map" | "unordered_map" | "set" | "list" | "unique_ptr" | "shared_ptr"
        | "make_unique" => {
            "containers of the standard library are for the host: pass plain pointers to the kernel"
        }
        "rand" | "srand" | "random_device" | "mt19937" => "generate random numbers on the host and pass them",
        "exit" | "abort" => "to stop a kernel with an error, use `__trap()` or `assert`",
        name if is_removed(name) => "which has a mask of lanes as its first argument",
        "strlen" | "strcmp" | "strncmp" | "strcpy" | "strncpy" | "strcat" | "strchr" | "strstr"
        | "memcmp" | "memmove" | "atoi" | "atof" | "strtol" | "strtod" | "toupper" | "tolower"
        | "isalpha" | "isdigit" | "isspace" | "qsort" | "bsearch" | "getchar" | "gets" | "fgets"
        | "fputs" | "fflush" | "perror" => "this function of the C library is not available in device code",
        "throw" | "fopen" | "fclose" | "fread" | "fwrite" | "getenv" | "system" | "time" | "sleep"
        | "usleep" => "only the host can do this",
        "sort" | "accumulate" | "reduce" | "copy" | "fill" | "transform" | "for_each" | "iota" => {
            "algorithms of the standard library are for the host: write the loop"
        }
        "cudaDeviceSynchronize" | "cudaThreadSynchronize" => {
            "the host waits with it; in a kernel, the threads of a block wait with `__syncthreads()`"
        }
        name if name.starts_with("cuda") && name.chars().nth(4).is_some_and(char::is_uppercase) => {
            "functions of the CUDA run-time are called by the host"
        }
        _ => return None,
    })
}
