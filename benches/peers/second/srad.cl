// Diffusion coefficients of SRAD (speckle-reducing anisotropic diffusion), and the differences to the neighbours. Which row or
// column a neighbour is in is looked up.

kernel void srad_guarded(global const float *image, global const int *north, global const int *south, global const int *west,
                     global const int *east, global float *dn, global float *de, global float *coefficient, int rows, int columns,
                     float q0) {
    int j = get_group_id(0) * get_local_size(0) + get_local_id(0);
    int i = get_group_id(1) * get_local_size(1) + get_local_id(1);
    if (i < rows && j < columns) {
        int k = i * columns + j;
        float here = image[k];
        float n = image[north[i] * columns + j] - here;
        float s = image[south[i] * columns + j] - here;
        float w = image[i * columns + west[j]] - here;
        float e = image[i * columns + east[j]] - here;
        float g2 = (n * n + s * s + w * w + e * e) / (here * here);
        float l = (n + s + w + e) / here;
        float num = (0.5f * g2) - ((1.0f / 16.0f) * (l * l));
        float den = 1.0f + (0.25f * l);
        float qsqr = num / (den * den);
        den = (qsqr - q0) / (q0 * (1.0f + q0));
        float c = 1.0f / (1.0f + den);
        if (c < 0.0f) {
            c = 0.0f;
        } else if (c > 1.0f) {
            c = 1.0f;
        }
        dn[k] = n;
        de[k] = e;
        coefficient[k] = c;
    }
}

float square(float x) {
    return x * x;
}

// A thread per cell by its number.
kernel void srad_flat(global const float *image, global const int *north, global const int *south, global const int *west,
                  global const int *east, global float *dn, global float *de, global float *coefficient, int rows, int columns,
                  float q0) {
    const unsigned int k = get_group_id(0) * get_local_size(0) + get_local_id(0);
    if (k >= (unsigned int)(rows * columns))
        return;
    const unsigned int row = k / columns;
    const unsigned int column = k - row * columns;
    global const float *line = image + row * columns;
    const float here = line[column];
    const float d[4] = {
        image[column + north[row] * columns] - here,
        image[column + south[row] * columns] - here,
        line[west[column]] - here,
        line[east[column]] - here,
    };
    float squares = 0.0f, sum = 0.0f;
    for (int direction = 0; direction < 4; direction++) {
        squares += square(d[direction]);
        sum += d[direction];
    }
    const float l = sum / here;
    const float q = (0.5f * (squares / square(here)) - 0.0625f * square(l)) / square(1.0f + 0.25f * l);
    dn[k] = d[0];
    de[k] = d[3];
    coefficient[k] = fmin(fmax(1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0))), 0.0f), 1.0f);
}
