// Characters of other types.
__global__ void k(int *out) {
  out[0] = u'a' + U'b' + L'c';
}
