//! Places for labels that overlap neither each other nor what must stay visible.
//!
//! Greedy: each label takes the first free one of a fixed list of places around its point, near ones first (Christensen, Marks and
//! Shieber, "An empirical study of algorithms for point-feature label placement", 1995, call it the greedy baseline). A label without
//! a free place is left out, so a figure with labels needs a key that names every point.

use crate::svg::{Point, Rect};

/// A label that needs a place.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// What it names.
    pub point: Point,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

/// Distances from the point to the nearest edge of a label. One beyond the first needs a leader line.
const DISTANCES: [f64; 4] = [9.0, 20.0, 32.0, 46.0];

/// Directions in the order in which they are tried, as signs of x and y: beside the point first, where a label is read with it.
const DIRECTIONS: [(f64, f64); 8] =
    [(1.0, 0.0), (-1.0, 0.0), (1.0, -1.0), (-1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 1.0)];

/// Where a label is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// What it covers.
    pub area: Rect,
    /// The end of a line from the point to the label, where the two are not beside each other.
    pub leader: Option<Point>,
}

/// A place for each label within `bounds`; `None` where there is no free one. No leader line crosses a label.
pub fn place(requests: &[Request], obstacles: &[Rect], bounds: Rect) -> Vec<Option<Placed>> {
    let mut taken = obstacles.to_vec();
    let mut labels: Vec<Rect> = Vec::new();
    let place = |request: &Request| {
        let mut places = DISTANCES.iter().enumerate().flat_map(|(ring, distance)| {
            DIRECTIONS.iter().map(move |direction| candidate(request, *direction, *distance, ring > 0))
        });
        let free = |placed: &Placed| {
            bounds.contains(&placed.area)
                && !taken.iter().any(|other| placed.area.overlaps(other))
                && !along(request.point, placed.leader)
                    .any(|part| labels.iter().any(|label| part.overlaps(label)))
        };
        let found = places.find(free);
        if let Some(placed) = found {
            labels.push(placed.area);
            taken.push(placed.area);
            taken.extend(along(request.point, placed.leader));
        }
        found
    };
    requests.iter().map(place).collect()
}

/// Small squares along a leader line.
fn along(from: Point, to: Option<Point>) -> impl Iterator<Item = Rect> {
    let steps = 16;
    let at = move |to: Point, share: f64| {
        Point::new(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y))
    };
    // The end touches the line's own label.
    let part = move |to: Point| {
        (0..steps).map(move |i| Rect::around(at(to, f64::from(i) / f64::from(steps)), 1.0, 1.0))
    };
    to.into_iter().flat_map(part)
}

fn candidate(request: &Request, (right, down): (f64, f64), distance: f64, far: bool) -> Placed {
    let Request { point, width, height } = *request;
    let center = Point::new(
        point.x + right * (distance + width / 2.0),
        point.y + down * (distance + height / 2.0) * if right == 0.0 { 1.0 } else { 0.7 },
    );
    let area = Rect::around(center, width, height);
    let end = Point::new(point.x.clamp(area.x, area.right()), point.y.clamp(area.y, area.bottom()));
    Placed { area, leader: far.then_some(end) }
}
