// A string initialises arrays of the character type of its prefix only.
__global__ void k(int *out) {
  wchar_t right[] = L"abc";
  int wrong[] = L"abc"; // ERROR
  out[0] = right[0] + wrong[0];
}
