//! Pictures and pages of reports: SVG and self-contained HTML.
//!
//! Each layer uses only those before it:
//!
//! | layer | what it is |
//! |---|---|
//! | [`markup`] | elements with escaped text and attributes, written so that HTML and XML parsers read the same |
//! | [`theme`] | colours of the light and the dark theme, and the style sheets |
//! | [`number`] | numbers and units as text |
//! | [`svg`] | points, shapes, markers, labels, and a [`svg::Figure`] with title and description |
//! | [`cells`] | elements of memory, threads and banks as cells, and their key |
//! | [`lanes`] | lanes of a warp: their numbers in words, and sets of them as rows |
//! | [`access`], [`banks`] | what one access of a warp touches: sectors of global memory, banks of shared memory |
//! | [`warp`] | an access, a branch or a race that a run recorded, as a picture and as text |
//! | [`place`] | labels that overlap neither each other nor what must stay visible |
//! | [`chart`] | logarithmic axes whose tick labels do not collide, log-log plots, bars |
//! | [`roofline`] | attainable rate over arithmetic intensity, with kernels as points |
//! | [`html`] | a page: content security policy, tables, prose with code |
//! | [`highlight`], [`listing`] | CUDA C++ with classes of tokens; numbered lines with marks, heat and annotations |
//! | [`report`] | the page of graded exercises, from the JSON of a report |
//!
//! # What holds for everything drawn here
//!
//! - A page or picture is one file. It loads nothing and runs no script.
//! - Text from kernels, paths and messages cannot become markup: names of elements and attributes are `&'static str`,
//!   and no function inserts markup from a string.
//! - Colour never carries a meaning alone; a word, a shape or a number says the same.
//! - The same input produces the same bytes on every computer. The crate uses no clock, threads or files, so it also
//!   builds for a browser.
//!
//! # Example
//!
//! ```
//! use figure::roofline::{Kernel, Roofline};
//!
//! let roofline = Roofline {
//!     id: "tiled".into(),
//!     device: "NVIDIA H200 SXM".into(),
//!     source: "device model `h200`".into(),
//!     bandwidth: 4.8e12,
//!     peak: 66.9e12,
//!     basis: "modelled (h200)".into(),
//!     kernels: vec![Kernel { name: "tiled".into(), intensity: 27.8, rate: 5.92e12 }],
//! };
//! let svg = roofline.figure().expect("there is a kernel to draw").document();
//! assert!(svg.starts_with("<svg ") && svg.contains("tiled"));
//! ```

pub mod access;
pub mod banks;
pub mod cells;
pub mod chart;
pub mod highlight;
pub mod html;
pub mod lanes;
pub mod listing;
pub mod markup;
pub mod number;
pub mod place;
pub mod report;
pub mod roofline;
pub mod svg;
pub mod theme;
pub mod warp;
