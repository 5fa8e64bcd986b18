//! The labs' host references, against values worked out by hand.

#![allow(clippy::float_cmp)] // Small whole numbers and dyadic fractions: exact.

use lab_1::Rim;
use lab_2::Ghost;

#[test]
fn stencil_is_zero_where_the_window_leaves_the_array() {
    let window = lab_1::stencil(&[1.0, 2.0, 4.0, 8.0], &[1.0, -10.0, 100.0]);
    // 1·1 - 10·2 + 100·4, 1·2 - 10·4 + 100·8.
    assert_eq!(window.values, [0.0, 381.0, 762.0, 0.0]);
    assert_eq!(window.scales, [0.0, 421.0, 842.0, 0.0]);
}

#[test]
fn stencil_of_radius_0_scales_and_a_window_larger_than_the_array_never_fits() {
    assert_eq!(lab_1::stencil(&[3.0, 5.0], &[2.0]).values, [6.0, 10.0]);
    assert_eq!(lab_1::stencil(&[3.0, 5.0], &[1.0; 5]).values, [0.0, 0.0]);
}

#[test]
fn adjacent_difference_keeps_the_first_element() {
    assert_eq!(lab_1::adjacent_difference(&[5.0, 7.0, 4.0]), [5.0, 2.0, -3.0]);
}

const RIM: Rim = Rim { top: 1.0, bottom: 2.0, left: 3.0, right: 4.0 };

#[test]
fn relaxation_moves_inner_cells_toward_the_mean_of_their_neighbours() {
    let grid = [9.0, 9.0, 9.0, 9.0, 8.0, 9.0, 9.0, 9.0, 9.0];
    // The mean of 1, 2, 3 and 4 is 2.5; half of the way from 8 is 5.25, from there 3.875.
    let one = [1.0, 1.0, 1.0, 3.0, 5.25, 4.0, 2.0, 2.0, 2.0];
    assert_eq!(lab_1::relax(&grid, 3, 3, 1, 0.5, RIM), one);
    assert_eq!(lab_1::relax(&grid, 3, 3, 2, 0.5, RIM)[4], 3.875);
}

#[test]
fn relaxation_of_one_row_or_column_is_its_border() {
    assert_eq!(lab_1::relax(&[9.0; 3], 1, 3, 2, 0.5, RIM), [1.0, 1.0, 1.0]);
    assert_eq!(lab_1::relax(&[9.0; 3], 3, 1, 2, 0.5, RIM), [1.0, 3.0, 2.0]);
}

/// An asymmetric filter: a flipped or transposed one gives other sums.
const FILTER: [f32; 9] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];

#[test]
fn convolution_takes_the_filter_as_it_is_and_ghosts_as_zero() {
    let image = [1.0, 10.0, 100.0, 1000.0];
    let result = lab_2::convolve(&image, 2, &FILTER, 1, Ghost::Value(0.0));
    assert_eq!(result.values, [9865.0, 8754.0, 6532.0, 5421.0]);
    assert_eq!(result.scales, result.values);
}

#[test]
fn convolution_with_a_ghost_value_counts_every_cell() {
    let result = lab_2::convolve(&[2.0], 1, &FILTER, 1, Ghost::Value(-1.0));
    assert_eq!(result.values, [10.0 - 40.0]);
    assert_eq!(result.scales, [50.0]);
}

#[test]
fn convolution_clamps_row_and_column_each_for_itself() {
    let image = [1.0, 10.0, 100.0, 1000.0];
    let result = lab_2::convolve(&image, 2, &FILTER, 1, Ghost::Clamp);
    // Of the first output: 1 by 1 + 2 + 4 + 5, 10 by 3 + 6, 100 by 7 + 8, 1000 by 9.
    assert_eq!(result.values[0], 12.0 + 90.0 + 1500.0 + 9000.0);
    assert_eq!(lab_2::convolve(&[2.0], 1, &FILTER, 1, Ghost::Clamp).values, [90.0]);
}

#[test]
fn fir_looks_forward_and_ends_with_the_samples() {
    let result = lab_3::fir(&[1.0, 2.0, 4.0], &[1.0, -10.0]);
    assert_eq!(result.values, [-19.0, -38.0, 4.0]);
    assert_eq!(result.scales, [21.0, 42.0, 4.0]);
}

#[test]
fn product_of_a_row_and_rectangles() {
    // (1 2 3; 4 5 6) times (1 0; 10 -1; 100 2).
    let a = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let b = [1.0, 0.0, 10.0, -1.0, 100.0, 2.0];
    let product = lab_6::multiply(&a, &b, 2, 3);
    assert_eq!(product.values, [321.0, 4.0, 654.0, 7.0]);
    assert_eq!(product.scales, [321.0, 8.0, 654.0, 17.0]);
}

#[test]
fn transposed_rectangle() {
    assert_eq!(lab_7::transposed(&[1, 2, 3, 4, 5, 6], 3), [1, 4, 2, 5, 3, 6]);
    assert_eq!(lab_7::transposed(&[1, 2, 3], 1), [1, 2, 3]);
}
