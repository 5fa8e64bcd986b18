//! The list: every entry point that `cust` names, and those that `device-gpu` calls besides.
//!
//! A signature that is not the one of `cust_raw` does not compile: each is compared with its declaration there.

use crate::{Entry, answer};
use cust_raw::*;
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ulonglong, c_ushort, c_void};

macro_rules! entry_points {
    ($($name:ident($($type:ty),*);)*) => {$(
        entry_point! { $name() ($($type,)*) a b c d e f g h i j k }
    )*};
}

/// Declares an entry point whose arguments have names; before, names them one by one from the list of names.
macro_rules! entry_point {
    ($name:ident($($argument:ident: $type:ty,)*) () $($unused:ident)*) => {
        #[doc = concat!("`", stringify!($name), "` of the installed driver; without one, an error code.")]
        ///
        /// # Safety
        /// As the driver's manual asks of its callers.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)] // The driver's own names.
        unsafe extern "C" fn $name($($argument: $type),*) -> CUresult {
            static ENTRY: Entry = Entry::new(stringify!($name));
            let Some(address) = ENTRY.address() else { return ENTRY.missing() };
            type Function = unsafe extern "C" fn($($type),*) -> c_uint;
            // SAFETY: the driver's function of this name has this signature; a code it may return that the enumeration
            // does not know is why it is taken as a number.
            let function = unsafe { std::mem::transmute::<*mut c_void, Function>(address.as_ptr()) };
            // SAFETY: the caller keeps what the driver's manual asks.
            answer(unsafe { function($($argument),*) })
        }

        const _: unsafe extern "C" fn($($type),*) -> CUresult = cust_raw::$name;
    };
    ($name:ident($($named:tt)*) ($type:ty, $($types:ty,)*) $argument:ident $($rest:ident)*) => {
        entry_point! { $name($($named)* $argument: $type,) ($($types,)*) $($rest)* }
    };
}

entry_points! {
    cuArray3DCreate_v2(*mut CUarray, *const CUDA_ARRAY3D_DESCRIPTOR);
    cuArray3DGetDescriptor_v2(*mut CUDA_ARRAY3D_DESCRIPTOR, CUarray);
    cuArrayDestroy(CUarray);
    cuCtxCreate_v2(*mut CUcontext, c_uint, CUdevice);
    cuCtxDestroy_v2(CUcontext);
    cuCtxGetApiVersion(CUcontext, *mut c_uint);
    cuCtxGetCacheConfig(*mut CUfunc_cache);
    cuCtxGetCurrent(*mut CUcontext);
    cuCtxGetDevice(*mut CUdevice);
    cuCtxGetFlags(*mut c_uint);
    cuCtxGetLimit(*mut usize, CUlimit);
    cuCtxGetSharedMemConfig(*mut CUsharedconfig);
    cuCtxGetStreamPriorityRange(*mut c_int, *mut c_int);
    cuCtxPopCurrent_v2(*mut CUcontext);
    cuCtxPushCurrent_v2(CUcontext);
    cuCtxSetCacheConfig(CUfunc_cache);
    cuCtxSetCurrent(CUcontext);
    cuCtxSetLimit(CUlimit, usize);
    cuCtxSetSharedMemConfig(CUsharedconfig);
    cuCtxSynchronize();
    cuDestroyExternalMemory(CUexternalMemory);
    cuDeviceGet(*mut CUdevice, c_int);
    cuDeviceGetAttribute(*mut c_int, CUdevice_attribute, CUdevice);
    cuDeviceGetCount(*mut c_int);
    cuDeviceGetName(*mut c_char, c_int, CUdevice);
    cuDevicePrimaryCtxRelease_v2(CUdevice);
    cuDevicePrimaryCtxReset_v2(CUdevice);
    cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice);
    cuDevicePrimaryCtxSetFlags_v2(CUdevice, c_uint);
    cuDeviceTotalMem_v2(*mut usize, CUdevice);
    cuDriverGetVersion(*mut c_int);
    cuEventCreate(*mut CUevent, c_uint);
    cuEventDestroy_v2(CUevent);
    cuEventElapsedTime(*mut f32, CUevent, CUevent);
    cuEventQuery(CUevent);
    cuEventRecord(CUevent, CUstream);
    cuEventSynchronize(CUevent);
    cuExternalMemoryGetMappedBuffer(*mut CUdeviceptr, CUexternalMemory,
        *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC);
    cuFuncGetAttribute(*mut c_int, CUfunction_attribute, CUfunction);
    cuFuncSetAttribute(CUfunction, CUfunction_attribute, c_int);
    cuFuncSetCacheConfig(CUfunction, CUfunc_cache);
    cuFuncSetSharedMemConfig(CUfunction, CUsharedconfig);
    cuGetErrorString(CUresult, *mut *const c_char);
    cuGraphAddKernelNode(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize,
        *const CUDA_KERNEL_NODE_PARAMS);
    cuGraphCreate(*mut CUgraph, c_uint);
    cuGraphDebugDotPrint(CUgraph, *const c_char, c_uint);
    cuGraphDestroy(CUgraph);
    cuGraphExecDestroy(CUgraphExec);
    cuGraphGetEdges(CUgraph, *mut CUgraphNode, *mut CUgraphNode, *mut usize);
    cuGraphGetNodes(CUgraph, *mut CUgraphNode, *mut usize);
    cuGraphInstantiateWithFlags(*mut CUgraphExec, CUgraph, c_ulonglong);
    cuGraphKernelNodeGetParams(CUgraphNode, *mut CUDA_KERNEL_NODE_PARAMS);
    cuGraphLaunch(CUgraphExec, CUstream);
    cuGraphNodeGetType(CUgraphNode, *mut CUgraphNodeType);
    cuImportExternalMemory(*mut CUexternalMemory, *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC);
    cuInit(c_uint);
    cuLaunchCooperativeKernel(CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream,
        *mut *mut c_void);
    cuLaunchHostFunc(CUstream, CUhostFn, *mut c_void);
    cuLaunchKernel(CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream,
        *mut *mut c_void, *mut *mut c_void);
    cuLinkAddData_v2(CUlinkState, CUjitInputType, *mut c_void, usize, *const c_char, c_uint,
        *mut CUjit_option, *mut *mut c_void);
    cuLinkComplete(CUlinkState, *mut *mut c_void, *mut usize);
    cuLinkCreate_v2(c_uint, *mut CUjit_option, *mut *mut c_void, *mut CUlinkState);
    cuLinkDestroy(CUlinkState);
    cuMemAdvise(CUdeviceptr, usize, CUmem_advise, CUdevice);
    cuMemAllocAsync(*mut CUdeviceptr, usize, CUstream);
    cuMemAllocHost_v2(*mut *mut c_void, usize);
    cuMemAllocManaged(*mut CUdeviceptr, usize, c_uint);
    cuMemAlloc_v2(*mut CUdeviceptr, usize);
    cuMemFreeAsync(CUdeviceptr, CUstream);
    cuMemFreeHost(*mut c_void);
    cuMemFree_v2(CUdeviceptr);
    cuMemGetInfo_v2(*mut usize, *mut usize);
    cuMemPrefetchAsync(CUdeviceptr, usize, CUdevice, CUstream);
    cuMemcpy2D_v2(*const CUDA_MEMCPY2D);
    cuMemcpy3D_v2(*const CUDA_MEMCPY3D);
    cuMemcpyAtoH_v2(*mut c_void, CUarray, usize, usize);
    cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, usize, CUstream);
    cuMemcpyDtoD_v2(CUdeviceptr, CUdeviceptr, usize);
    cuMemcpyDtoHAsync_v2(*mut c_void, CUdeviceptr, usize, CUstream);
    cuMemcpyDtoH_v2(*mut c_void, CUdeviceptr, usize);
    cuMemcpyHtoA_v2(CUarray, usize, *const c_void, usize);
    cuMemcpyHtoDAsync_v2(CUdeviceptr, *const c_void, usize, CUstream);
    cuMemcpyHtoD_v2(CUdeviceptr, *const c_void, usize);
    cuMemsetD16Async(CUdeviceptr, c_ushort, usize, CUstream);
    cuMemsetD16_v2(CUdeviceptr, c_ushort, usize);
    cuMemsetD32Async(CUdeviceptr, c_uint, usize, CUstream);
    cuMemsetD32_v2(CUdeviceptr, c_uint, usize);
    cuMemsetD8Async(CUdeviceptr, c_uchar, usize, CUstream);
    cuMemsetD8_v2(CUdeviceptr, c_uchar, usize);
    cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
    cuModuleGetGlobal_v2(*mut CUdeviceptr, *mut usize, CUmodule, *const c_char);
    cuModuleLoad(*mut CUmodule, *const c_char);
    cuModuleLoadData(*mut CUmodule, *const c_void);
    cuModuleLoadDataEx(*mut CUmodule, *const c_void, c_uint, *mut CUjit_option, *mut *mut c_void);
    cuModuleUnload(CUmodule);
    cuOccupancyAvailableDynamicSMemPerBlock(*mut usize, CUfunction, c_int, c_int);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(*mut c_int, CUfunction, c_int, usize);
    cuOccupancyMaxPotentialBlockSize(*mut c_int, *mut c_int, CUfunction, CUoccupancyB2DSize, usize, c_int);
    cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode);
    cuStreamCreateWithPriority(*mut CUstream, c_uint, c_int);
    cuStreamDestroy_v2(CUstream);
    cuStreamEndCapture(CUstream, *mut CUgraph);
    cuStreamGetFlags(CUstream, *mut c_uint);
    cuStreamGetPriority(CUstream, *mut c_int);
    cuStreamSynchronize(CUstream);
    cuStreamWaitEvent(CUstream, CUevent, c_uint);
    cuSurfObjectCreate(*mut CUsurfObject, *const CUDA_RESOURCE_DESC);
    cuSurfObjectDestroy(CUsurfObject);
    cuSurfObjectGetResourceDesc(*mut CUDA_RESOURCE_DESC, CUsurfObject);
    cuTexObjectCreate(*mut CUtexObject, *const CUDA_RESOURCE_DESC, *const CUDA_TEXTURE_DESC,
        *const CUDA_RESOURCE_VIEW_DESC);
    cuTexObjectDestroy(CUtexObject);
    cuTexObjectGetResourceDesc(*mut CUDA_RESOURCE_DESC, CUtexObject);
    cuTexObjectGetResourceViewDesc(*mut CUDA_RESOURCE_VIEW_DESC, CUtexObject);
}
