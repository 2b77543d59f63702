//! Treemaps: rectangles within rectangles whose areas are in proportion to sizes. Geometry alone.
//!
//! [`squarified`] divides one frame; [`arrange`] nests two levels and merges what is too small to be seen.
//! The lengths are units of a drawing, and each rectangle is named by its place in what was given.

/// The area below which a rectangle is merged with others: too small to be pointed at.
const AREA_MIN: f64 = 120.0;

/// The area from which a rectangle shows what is in it.
const FRAME_AREA_MIN: f64 = 6000.0;

/// The shortest side of a rectangle that shows what is in it.
const FRAME_SIDE_MIN: f64 = 40.0;

/// The height of the line above what is in a rectangle, for its name.
const HEADER: f64 = 17.0;

/// The space around what is in a rectangle.
const BORDER: f64 = 2.0;

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rect {
    /// Its left end.
    pub(super) x: f64,
    /// Its upper end.
    pub(super) y: f64,
    /// Its width.
    pub(super) width: f64,
    /// Its height.
    pub(super) height: f64,
}

/// What is drawn as one rectangle, with what is in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Item {
    /// Its size, which determines its area.
    pub(super) size: u64,
    /// The sizes of what is in it, the greatest first; none for a file.
    pub(super) inner: Vec<u64>,
}

/// What a rectangle stands for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Content {
    /// An item around those in it, which follow.
    Frame(usize),
    /// An item as a whole.
    Whole(usize),
    /// Something in an item: the places of both.
    Inner(usize, usize),
    /// The items from a place on: those of a frame, or of the whole map.
    Rest(Option<usize>, usize),
}

/// A rectangle of a treemap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tile {
    /// Where it is.
    pub(super) rect: Rect,
    /// What it stands for.
    pub(super) content: Content,
}

impl Rect {
    /// Returns its area.
    pub(super) fn area(self) -> f64 {
        self.width * self.height
    }

    /// Returns where the content of a frame is: below its header, within its border.
    fn content(self) -> Rect {
        Rect {
            x: self.x + BORDER,
            y: self.y + HEADER,
            width: (self.width - 2.0 * BORDER).max(0.0),
            height: (self.height - HEADER - BORDER).max(0.0),
        }
    }
}

/// Returns a treemap with at most `tiles_max` rectangles, or one for each frame and its rest, if these are
/// more. `items` are ordered by size, the greatest first. Items without a size are not drawn, and those that
/// are too small are the rest of their frame. O(n log n) in the items and what is in them.
pub(super) fn arrange(items: &[Item], frame: Rect, tiles_max: usize) -> Vec<Tile> {
    let total: u64 = items.iter().map(|item| item.size).sum();
    if total == 0 || frame.area() <= 0.0 {
        return Vec::new();
    }
    let area = |size: u64| frame.area() * size as f64 / total as f64;
    let opens = |item: &Item| !item.inner.is_empty() && area(item.size) >= FRAME_AREA_MIN;
    let frames = items.iter().filter(|item| opens(item)).count();
    // Those that may be drawn by their sizes alone; the largest of them are.
    let mut sizes: Vec<u64> = Vec::new();
    for item in items {
        if opens(item) {
            sizes.extend(&item.inner);
        } else {
            sizes.push(item.size);
        }
    }
    sizes.retain(|size| *size > 0 && area(*size) >= AREA_MIN);
    sizes.sort_unstable_by_key(|size| std::cmp::Reverse(*size));
    let room = tiles_max.saturating_sub(2 * frames + 1);
    let mut quota = Quota::new(&sizes, room);
    let mut tiles = Vec::new();
    let is_shown = |quota: &mut Quota, item: &Item| {
        opens(item) || area(item.size) >= AREA_MIN && quota.admits(item.size)
    };
    let shown = items.iter().take_while(|item| is_shown(&mut quota, item)).count();
    let outer = cut(items.iter().map(|item| item.size), shown);
    for (at, rect) in squarified(&outer, frame).into_iter().enumerate() {
        if at == shown {
            tiles.push(Tile { rect, content: Content::Rest(None, shown) });
            continue;
        }
        let item = &items[at];
        let is_wide = rect.width.min(rect.height) >= FRAME_SIDE_MIN;
        if !opens(item) || !is_wide {
            tiles.push(Tile { rect, content: Content::Whole(at) });
            continue;
        }
        tiles.push(Tile { rect, content: Content::Frame(at) });
        let admitted = |size: &&u64| area(**size) >= AREA_MIN && quota.admits(**size);
        let shown = item.inner.iter().take_while(admitted).count();
        let inner = cut(item.inner.iter().copied(), shown);
        for (place, rect) in squarified(&inner, rect.content()).into_iter().enumerate() {
            let content = match place {
                _ if place == shown => Content::Rest(Some(at), shown),
                _ => Content::Inner(at, place),
            };
            tiles.push(Tile { rect, content });
        }
    }
    tiles
}

/// The sizes that are drawn: greater ones than `least`, and as many of that size as there is room for.
struct Quota {
    least: Option<u64>,
    ties: usize,
}

impl Quota {
    /// Admits the first `room` of sizes in descending order.
    fn new(sizes: &[u64], room: usize) -> Quota {
        let least = sizes.get(room).copied();
        let greater = sizes.partition_point(|size| least.is_none_or(|least| *size > least));
        Quota { least, ties: room.saturating_sub(greater) }
    }

    fn admits(&mut self, size: u64) -> bool {
        let Some(least) = self.least else { return size > 0 };
        if size == least && self.ties > 0 {
            self.ties -= 1;
            return true;
        }
        size > least
    }
}

/// Returns the first sizes and, if that is not 0, the sum of the others.
fn cut(sizes: impl Iterator<Item = u64>, shown: usize) -> Vec<f64> {
    let sizes: Vec<u64> = sizes.collect();
    let rest: u64 = sizes[shown..].iter().sum();
    let all = sizes[..shown].iter().chain((rest > 0).then_some(&rest));
    all.map(|size| *size as f64).collect()
}

/// Divides a frame into rectangles with areas in proportion to `sizes`, which are positive, in their order;
/// they are the closer to squares the more the sizes descend. Rows are filled as long as the worst of their
/// aspect ratios improves (Bruls, Huizing and van Wijk, Squarified Treemaps, 2000). O(n).
pub(super) fn squarified(sizes: &[f64], frame: Rect) -> Vec<Rect> {
    let total: f64 = sizes.iter().sum();
    let mut rects = Vec::with_capacity(sizes.len());
    if total <= 0.0 {
        return vec![Rect { width: 0.0, height: 0.0, ..frame }; sizes.len()];
    }
    let areas: Vec<f64> = sizes.iter().map(|size| size / total * frame.area()).collect();
    let mut free = frame;
    let mut start = 0;
    while start < areas.len() {
        let side = free.width.min(free.height);
        let mut end = start + 1;
        let mut row = Row::default().with(areas[start]);
        while end < areas.len() {
            let longer = row.with(areas[end]);
            if longer.worst(side) > row.worst(side) {
                break;
            }
            (row, end) = (longer, end + 1);
        }
        let is_last = end == areas.len();
        free = place(&areas[start..end], row.sum, free, is_last, &mut rects);
        start = end;
    }
    rects
}

/// The sum and the extremes of the areas of a row.
#[derive(Clone, Copy, Default)]
struct Row {
    sum: f64,
    least: f64,
    greatest: f64,
}

impl Row {
    fn with(self, area: f64) -> Row {
        let least = if self.sum == 0.0 { area } else { self.least.min(area) };
        Row { sum: self.sum + area, least, greatest: self.greatest.max(area) }
    }

    /// Returns the worst aspect ratio of the rectangles of a row along a side.
    fn worst(self, side: f64) -> f64 {
        let (side, sum) = (side * side, self.sum * self.sum);
        (side * self.greatest / sum).max(sum / (side * self.least))
    }
}

/// Places a row along the shorter side of what is free; returns what is free then.
fn place(areas: &[f64], sum: f64, free: Rect, is_last: bool, rects: &mut Vec<Rect>) -> Rect {
    let is_column = free.width >= free.height;
    let (side, across) =
        if is_column { (free.height, free.width) } else { (free.width, free.height) };
    let depth = if is_last || side <= 0.0 { across } else { (sum / side).min(across) };
    let mut done = 0.0;
    for area in areas {
        let length = (side * area / sum).min((side - done).max(0.0));
        rects.push(if is_column {
            Rect { x: free.x, y: free.y + done, width: depth, height: length }
        } else {
            Rect { x: free.x + done, y: free.y, width: length, height: depth }
        });
        done += length;
    }
    if is_column {
        Rect { x: free.x + depth, width: free.width - depth, ..free }
    } else {
        Rect { y: free.y + depth, height: free.height - depth, ..free }
    }
}

#[cfg(test)]
mod tests;
