// What mdBook's own script must find when it runs: CUDA among the languages of the highlighter, which knows C++, and a real button for the
// sidebar. So this stands in the head of each page.
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

    const registerCuda = () => hljs.registerLanguage("cuda", (api) => {
        const cpp = api.getLanguage("cpp").rawDefinition();
        const keywords = cpp.keywords;
        keywords.keyword = joined(keywords.keyword, KEYWORDS);
        keywords.built_in = joined(keywords.built_in, NAMES);
        return { ...cpp, name: "CUDA C++", aliases: ["cu"] };
    });

    /** mdBook shows the sidebar by the label of a hidden checkbox, which keys cannot reach. */
    const replaceLabel = () => {
        const label = document.getElementById("mdbook-sidebar-toggle");
        const button = document.createElement("button");
        for (const { name, value } of label.attributes) {
            button.setAttribute(name === "for" ? "type" : name, name === "for" ? "button" : value);
        }
        button.append(...label.childNodes);
        label.replaceWith(button);
        // On the parent, so that mdBook's listeners of the button come first, as those of the label do.
        button.parentElement.addEventListener("click", ({ target }) => {
            if (button.contains(target)) {
                document.getElementById("mdbook-sidebar-toggle-anchor").click();
            }
        });
    };

    // A script's `load` event comes right after the script has run, before the next one does. It does not bubble, but it can be captured.
    document.addEventListener("load", function prepare() {
        if (typeof hljs !== "undefined") {
            document.removeEventListener("load", prepare, true);
            registerCuda();
            replaceLabel();
        }
    }, true);
})();
