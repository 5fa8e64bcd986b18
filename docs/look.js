// CUDA for the highlighter, which knows C++; and folded parts are open on paper.
(() => {
    "use strict";

    const KEYWORDS = "__global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ " +
        "__forceinline__ __noinline__ __launch_bounds__ __align__ __grid_constant__";
    const NAMES = "threadIdx blockIdx blockDim gridDim warpSize __syncthreads __syncwarp __ldg " +
        "__shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __threadfence atomicAdd tex1Dfetch " +
        "fmaf dim3 float2 float4 cudaMalloc cudaMemcpy cudaFree cudaTextureObject_t";

    /** Both keywords of C++ and those of CUDA; `keywords` is a text or a list. */
    const joined = (keywords, more) =>
        Array.isArray(keywords) ? keywords.concat(more.split(" ")) : `${keywords || ""} ${more}`;

    const highlight = () => {
        if (typeof hljs === "undefined" || !hljs.getLanguage("cpp")) {
            return;
        }
        hljs.registerLanguage("cuda", (api) => {
            const cpp = api.getLanguage("cpp").rawDefinition();
            const keywords = cpp.keywords;
            keywords.keyword = joined(keywords.keyword, KEYWORDS);
            keywords.built_in = joined(keywords.built_in, NAMES);
            return { ...cpp, name: "CUDA C++", aliases: ["cu"] };
        });
        // The book's own script ran before, and left out what it did not know.
        for (const block of document.querySelectorAll("code.language-cuda, code.language-cu")) {
            (hljs.highlightElement || hljs.highlightBlock)(block);
        }
    };

    const folded = () => document.querySelectorAll("main details:not([open])");
    let opened = [];
    window.addEventListener("beforeprint", () => {
        opened = [...folded()];
        opened.forEach((part) => { part.open = true; });
    });
    window.addEventListener("afterprint", () => {
        opened.forEach((part) => { part.open = false; });
        opened = [];
    });

    highlight();
})();
