// A character constant has at least one character.
__global__ void k(int *out) {
  out[0] = ''; // ERROR
}
