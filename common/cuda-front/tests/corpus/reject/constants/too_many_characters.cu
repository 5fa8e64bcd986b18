// A character constant has four characters at most.
__global__ void k(int *out) {
  out[0] = 'abcd';
  out[1] = 'abcde'; // ERROR
}
