int main() {
  if (1) {
  return 0;
}
