/* A block comment
   over two lines */
__global__ void comments(int *out /* in the list */, int n) { // at the end
    out[0] = n /* between */ + 1; /* after */ // and more
    out[1] = n //* not a block comment
        + 2;
}
