// Fragments of other shapes and types, and their elements.
#include <mma.h>
using namespace nvcuda;
__global__ void shapes(const signed char *a, const unsigned char *b, const float *f, int *c, float *d) {
    wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 32, 8, 16, int> fc;
    wmma::fill_fragment(fc, 1);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, a, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major);
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> ta;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> tb;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> tc;
    wmma::fill_fragment(tc, 0.0f);
    wmma::load_matrix_sync(ta, f, 8);
    wmma::load_matrix_sync(tb, f, 16);
    for (int i = 0; i < ta.num_elements; i++) ta.x[i] = wmma::__float_to_tf32(ta.x[i]);
    for (int i = 0; i < tb.num_elements; i++) tb.x[i] = wmma::__float_to_tf32(tb.x[i]);
    wmma::mma_sync(tc, ta, tb, tc);
    for (int i = 0; i < tc.num_elements; i++) tc.x[i] *= 2.0f;
    wmma::store_matrix_sync(d, tc, 16, wmma::mem_col_major);
}
