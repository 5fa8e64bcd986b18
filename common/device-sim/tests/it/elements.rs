//! Elements in messages as the file writes them: all dimensions of an array, and the type's own size.

use crate::programs::attempt;

/// The message of a kernel body that must fail, in one block of 64 threads; `in` has 30 elements.
fn fails(body: &str) -> String {
    let text = format!(
        "struct Pair {{ float key; int value; }};\n__global__ void k(const float *in, float *out) {{\n    const int i = \
         threadIdx.x;\n{body}\n}}\n"
    );
    let input: Vec<u8> = (0..30).flat_map(|i| (i as f32).to_le_bytes()).collect();
    attempt(&text, 64, &[input, vec![0; 64 * 4]]).expect_err(body)
}

#[test]
fn an_element_is_named_as_it_is_written() {
    for (body, part) in [
        (
            "__shared__ float tile[3][5]; out[i] = tile[2][i & 1];",
            "`tile[2][0]` is read before anything is written",
        ),
        (
            "__shared__ float tile[3][5]; tile[i][1] = 1;",
            "`tile[3][1]` is outside `tile`, which has 15 elements of 4 bytes",
        ),
        ("__shared__ float cube[2][3][4]; cube[i & 1][2][3] = i;", "two threads use `cube[0][2][3]`"),
        ("__shared__ int count; count = i;", "two threads use `count` with no barrier"),
        ("__shared__ double sums[4]; if (i < 8) sums[i >> 1] = i;", "two threads use `sums[0]`"),
        (
            "__shared__ double sums[4]; if (i == 3) out[i] = sums[i];",
            "`sums[3]` is read before anything is written",
        ),
        (
            "__shared__ float4 fours[2][2]; if (i == 3) out[i] = fours[1][1].y;",
            "`fours[1][1].y` is read before",
        ),
        (
            "__shared__ Pair pairs[8]; pairs[i].value = i;",
            "`pairs[8]` is outside `pairs`, which has 8 elements of 8 bytes",
        ),
        ("float own[2][4]; own[i & 1][3] = 1; out[i] = own[i & 1][2];", "`own[0][2]` is read before"),
    ] {
        let text = fails(body);
        assert!(text.contains(part), "{part:?} is missing for {body}\n{text}");
    }
}

#[test]
fn bytes_that_are_never_written_are_told_from_words_that_are() {
    let text = fails(
        "    __shared__ int pool[80];\n    const unsigned char *bytes = (const unsigned char *)pool;\n    \
         __syncthreads();\n    pool[16 + i] = i;\n    __syncthreads();\n    out[i] = bytes[32 + (i & 31)];",
    );
    assert!(text.contains("`pool[8]` is read before anything is written"), "{text}");
}

#[test]
fn an_index_that_wrapped_around_below_zero_is_explained() {
    let text = fails("    out[i] = in[threadIdx.x - 2];");
    for part in ["`in[4294967294]`", "the index -2 converted to unsigned", "convert to `int` before"] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
}

#[test]
fn an_index_of_rows_that_wrapped_around_is_explained_too() {
    let text = fails("    __shared__ float tile[8][8]; tile[threadIdx.x - 3][1] = 1;");
    for part in ["`tile[4294967293][1]`", "4294967293 is the index -3 converted to unsigned"] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
}
