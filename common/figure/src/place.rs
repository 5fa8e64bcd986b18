//! Places labels so that they overlap neither each other nor anything that must stay visible.
//!
//! The algorithm is greedy: each label takes the first free place in a fixed list of places around its point, nearest
//! first (Christensen, Marks and Shieber, "An empirical study of algorithms for point-feature label placement", 1995,
//! call it the greedy baseline). A label without a free place is left out, so a figure with labels needs a legend
//! that names every point.

use crate::svg::{Point, Rect};

/// A label that needs a place.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The point that the label names.
    pub point: Point,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

/// Distances tried, from the point to the nearest edge of the label. A label at any distance but the first needs a
/// leader line.
const DISTANCES: [f64; 4] = [9.0, 20.0, 32.0, 46.0];

/// Directions in the order tried, as signs of x and y. Places beside the point come first, because a reader connects
/// them with the point most easily.
const DIRECTIONS: [(f64, f64); 8] =
    [(1.0, 0.0), (-1.0, 0.0), (1.0, -1.0), (-1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 1.0)];

/// The place of a label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// The area that it covers.
    pub area: Rect,
    /// End of the leader line from the point to the label; `None` if the label is right beside the point.
    pub leader: Option<Point>,
}

/// Finds a place within `bounds` for each label; `None` if no place is free. Leader lines cross no labels.
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

/// Small squares that cover a leader line, to test overlaps.
fn along(from: Point, to: Option<Point>) -> impl Iterator<Item = Rect> {
    let steps = 16;
    let at = move |to: Point, share: f64| {
        Point::new(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y))
    };
    // The squares stop before the end, where the line touches its own label.
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
