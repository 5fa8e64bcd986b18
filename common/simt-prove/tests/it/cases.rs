//! Kernels of courses, with what is to be proved of each; and the same with a mistake, of which it must not be.

use super::judge::Case;

/// A kernel for which everything that it accesses is to be proved, unless `b` or `s` is named.
struct Course {
    name: &'static str,
    parameters: &'static str,
    body: &'static str,
    grid: [u32; 3],
    block: [u32; 3],
    words: &'static [usize],
    numbers: &'static [i32],
    /// A text of the body, and one in its place that makes the kernel wrong.
    mistakes: &'static [(&'static str, &'static str)],
}

const COURSES: &[Course] = &[
    Course {
        name: "vector addition",
        parameters: "const float *a, const float *b, float *c, int n",
        body: "int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) c[i] = a[i] + b[i];",
        grid: [4, 1, 1],
        block: [64, 1, 1],
        words: &[200, 200, 200],
        numbers: &[200],
        mistakes: &[
            ("i < n", "i <= n"),
            ("if (i < n)", ""),
            ("c[i]", "c[i / 2]"),
            ("c[i]", "c[threadIdx.x]"),
        ],
    },
    Course {
        name: "grid-stride loop, in place",
        parameters: "float *x, const float *y, unsigned n",
        body: "for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) x[i] = 2 * x[i] + y[i];",
        grid: [3, 1, 1],
        block: [32, 1, 1],
        words: &[500, 500],
        numbers: &[500],
        mistakes: &[
            ("+= blockDim.x * gridDim.x", "+= blockDim.x"),
            ("x[i] + y", "x[i + 1] + y"),
            ("< n", "<= n"),
        ],
    },
    Course {
        name: "tiled product",
        parameters: "const float *a, const float *b, float *c, int n",
        body: "__shared__ float s[8][8], r[8][8];
            int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
            float sum = 0;
            for (int t = 0; t < (n + 7) / 8; t++) {
                int x = t * 8 + threadIdx.x, y = t * 8 + threadIdx.y;
                s[threadIdx.y][threadIdx.x] = row < n && x < n ? a[row * n + x] : 0;
                r[threadIdx.y][threadIdx.x] = col < n && y < n ? b[y * n + col] : 0;
                __syncthreads();
                for (int k = 0; k < 8; k++) sum += s[threadIdx.y][k] * r[k][threadIdx.x];
                __syncthreads(); // last
            }
            if (row < n && col < n) c[row * n + col] = sum;",
        grid: [3, 3, 1],
        block: [8, 8, 1],
        words: &[400, 400, 400],
        numbers: &[20],
        mistakes: &[
            ("__syncthreads(); // last", ""),
            ("__syncthreads();\n", "\n"),
            ("row < n && col < n) c", "row < n) c"),
            ("c[row * n + col]", "c[col]"),
            ("k < 8", "k <= 8"),
            ("s[threadIdx.y][threadIdx.x] =", "if (threadIdx.x < 7) s[threadIdx.y][threadIdx.x] ="),
        ],
    },
    Course {
        name: "sum by halves",
        parameters: "const int *in, int *out, unsigned n",
        body: "__shared__ int s[64];
            unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
            s[t] = i < n ? in[i] : 0;
            __syncthreads();
            for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
                if (t < k) s[t] += s[t + k];
                __syncthreads(); // last
            }
            if (t == 0) out[blockIdx.x] = s[0];",
        grid: [3, 1, 1],
        block: [64, 1, 1],
        words: &[180, 3],
        numbers: &[180],
        mistakes: &[
            ("__syncthreads(); // last", ""),
            ("__syncthreads();\n", "\n"),
            ("t < k", "t <= k"),
            ("if (t == 0)", ""),
            ("s[t + k]", "s[t + 1]"),
        ],
    },
    Course {
        name: "transposition through quotient and remainder",
        parameters: "const float *in, float *out, int w, int h",
        body: "int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= w * h) return;
            int row = i / w, col = i % w;
            out[col * h + row] = in[i];",
        grid: [5, 1, 1],
        block: [64, 1, 1],
        words: &[300, 300],
        numbers: &[20, 15],
        mistakes: &[("col * h", "col * w"), ("i % w", "i % h"), (">= w * h", "> w * h")],
    },
    Course {
        name: "elimination in place",
        parameters: "float *a, int n, int k",
        body: "int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
            if (i > k && j > k && i < n && j < n) a[i * n + j] -= a[i * n + k] * a[k * n + j];",
        grid: [3, 3, 1],
        block: [8, 8, 1],
        words: &[400],
        numbers: &[20, 2],
        mistakes: &[
            ("j > k && ", ""),
            ("i > k && ", ""),
            ("&& j < n", ""),
            ("[i * n + k]", "[i * n + k + 1]"),
        ],
    },
    Course {
        name: "sort by odd and even pairs",
        parameters: "int *a",
        body: "__shared__ int s[64];
            int t = threadIdx.x;
            s[t] = a[blockIdx.x * 64 + t];
            __syncthreads();
            for (int p = 0; p < 64; p++) {
                int i = 2 * t + (p & 1);
                if (i + 1 < 64 && s[i] > s[i + 1]) {
                    int x = s[i];
                    s[i] = s[i + 1];
                    s[i + 1] = x;
                }
                __syncthreads(); // last
            }
            a[blockIdx.x * 64 + t] = s[t];",
        grid: [2, 1, 1],
        block: [64, 1, 1],
        words: &[128],
        numbers: &[],
        mistakes: &[("__syncthreads(); // last", ""), ("2 * t", "t"), ("i + 1 < 64", "i < 64")],
    },
    Course {
        name: "halo in shared memory",
        parameters: "const float *in, float *out, int n",
        body: "__shared__ float s[68];
            int t = threadIdx.x, i = blockIdx.x * 64 + t;
            for (int k = t; k < 68; k += 64) {
                int from = blockIdx.x * 64 + k - 2;
                s[k] = from >= 0 && from < n ? in[from] : 0;
            }
            __syncthreads();
            if (i < n) out[i] = s[t] + s[t + 1] + s[t + 2] + s[t + 3] + s[t + 4];",
        grid: [4, 1, 1],
        block: [64, 1, 1],
        words: &[250, 250],
        numbers: &[250],
        mistakes: &[
            ("k < 68", "k < 67"),
            ("__syncthreads();", ""),
            ("from >= 0 && ", ""),
            ("s[t + 4]", "s[t + 5]"),
        ],
    },
    Course {
        name: "pointers that move",
        parameters: "const float *in, float *out, int n",
        body: "int col = blockIdx.x * blockDim.x + threadIdx.x;
            if (col >= n) return;
            const float *from = in + col;
            float *to = out + col;
            for (int row = 0; row < n; row++, from += n, to += n) *to = 3 * *from;",
        grid: [2, 1, 1],
        block: [16, 1, 1],
        words: &[625, 625],
        numbers: &[25],
        mistakes: &[("to += n", "to += 1"), ("row < n", "row <= n"), (">= n", "> n")],
    },
    Course {
        name: "a turn of two buffers",
        parameters: "const int *in, int *out",
        body: "__shared__ int s[2][32];
            int t = threadIdx.x, now = 0;
            s[0][t] = in[t];
            __syncthreads();
            for (int k = 1; k < 32; k *= 2) {
                s[1 - now][t] = t >= k ? s[now][t] + s[now][t - k] : s[now][t];
                now = 1 - now;
                __syncthreads(); // last
            }
            out[t] = s[now][t];",
        grid: [1, 1, 1],
        block: [32, 1, 1],
        words: &[32, 32],
        numbers: &[],
        mistakes: &[
            ("__syncthreads(); // last", ""),
            ("s[1 - now][t] =", "s[now][t] ="),
            ("t >= k ?", "true ?"),
        ],
    },
    Course {
        name: "rows of shared memory, each by one thread",
        parameters: "int *out",
        body: "__shared__ int s[32 * 8];
            int t = threadIdx.x, sum = 0;
            for (int k = 0; k < 8; k++) s[t * 8 + k] = k;
            for (int k = 0; k < 8; k++) sum += s[t * 8 + k];
            out[t] = sum;",
        grid: [1, 1, 1],
        block: [32, 1, 1],
        words: &[32],
        numbers: &[],
        mistakes: &[
            ("s[t * 8 + k] = k", "s[t + k] = k"),
            ("s[t * 8 + k] = k", "s[t * 7 + k] = k"),
            ("sum += s[t * 8 + k]", "sum += s[t * 8 + k + 1]"),
        ],
    },
];

impl Course {
    fn case(&self, body: &str) -> Case {
        let pointers = (0..self.words.len() as u32).collect();
        let text = format!("__global__ void k({}) {{\n{body}\n}}\n", self.parameters);
        let (grid, block) = (self.grid, self.block);
        Case { text, grid, block, buffers: self.words.to_vec(), pointers, numbers: self.numbers.to_vec() }
    }
}

#[test]
fn all_is_proved_of_kernels_of_courses() {
    for course in COURSES {
        let (wrong, proofs, shown) = course.case(course.body).judge();
        assert_eq!(wrong, Vec::<String>::new(), "{}", course.name);
        assert!(shown.done, "{} fails", course.name);
        assert_eq!(proofs.apart, proofs.accessed, "{}", course.name);
        let everything = [&proofs.shared_apart, &proofs.shared_written, &proofs.inside];
        assert!(everything.iter().all(|proved| !proved.contains(&false)), "{}: {proofs:?}", course.name);
    }
}

#[test]
fn less_is_proved_of_the_same_kernels_with_a_mistake() {
    for course in COURSES {
        for (right, wrong) in course.mistakes {
            let body = course.body.replacen(right, wrong, 1);
            assert_ne!(body, course.body, "{}: {right}", course.name);
            let (found, proofs, _) = course.case(&body).judge();
            let name = format!("{}, {wrong} for {right}", course.name);
            assert_eq!(found, Vec::<String>::new(), "{name}");
            let all = [&proofs.shared_apart, &proofs.shared_written, &proofs.inside];
            let is_complete =
                proofs.apart == proofs.accessed && all.iter().all(|proved| !proved.contains(&false));
            assert!(!is_complete, "{name}: {proofs:?}");
        }
    }
}
