//! Properties of treemaps: areas in proportion, no overlap, nothing lost.

use proptest::prelude::*;

use super::*;

const FRAME: Rect = Rect { x: 10.0, y: 20.0, width: 1200.0, height: 640.0 };

fn right(rect: Rect) -> f64 {
    rect.x + rect.width
}

fn bottom(rect: Rect) -> f64 {
    rect.y + rect.height
}

fn is_inside(rect: Rect, frame: Rect) -> bool {
    let slack = 1e-6;
    rect.x >= frame.x - slack
        && rect.y >= frame.y - slack
        && right(rect) <= right(frame) + slack
        && bottom(rect) <= bottom(frame) + slack
}

fn overlap(one: Rect, other: Rect) -> f64 {
    let width = right(one).min(right(other)) - one.x.max(other.x);
    let height = bottom(one).min(bottom(other)) - one.y.max(other.y);
    width.max(0.0) * height.max(0.0)
}

fn items(sizes: Vec<Vec<u64>>) -> Vec<Item> {
    let mut items: Vec<Item> = sizes
        .into_iter()
        .map(|mut inner| {
            inner.sort_unstable_by(|a, b| b.cmp(a));
            let size = inner.iter().sum();
            Item { size, inner: if inner.len() > 1 { inner } else { Vec::new() } }
        })
        .collect();
    items.sort_by_key(|item| std::cmp::Reverse(item.size));
    items
}

proptest! {
    #[test]
    fn areas_are_in_proportion_and_disjoint(
        mut sizes in prop::collection::vec(1_u32..1_000_000, 1..60),
        is_sorted: bool,
    ) {
        if is_sorted {
            sizes.sort_unstable_by(|a, b| b.cmp(a));
        }
        let sizes: Vec<f64> = sizes.into_iter().map(f64::from).collect();
        let rects = squarified(&sizes, FRAME);
        let unit = FRAME.area() / sizes.iter().sum::<f64>();
        prop_assert_eq!(rects.len(), sizes.len());
        for (at, (rect, size)) in rects.iter().zip(&sizes).enumerate() {
            prop_assert!(is_inside(*rect, FRAME), "{:?}", rect);
            let expected = size * unit;
            prop_assert!((rect.area() - expected).abs() < 1e-3 + expected * 1e-6, "{:?} {}", rect, expected);
            for other in &rects[at + 1..] {
                prop_assert!(overlap(*rect, *other) < 1e-3, "{:?} {:?}", rect, other);
            }
        }
    }

    #[test]
    fn what_is_not_drawn_alone_is_in_a_rest(
        sizes in prop::collection::vec(prop::collection::vec(0_u64..100_000, 1..40), 0..60),
        tiles_max in 1_usize..400,
    ) {
        let items = items(sizes);
        let tiles = arrange(&items, FRAME, tiles_max);
        prop_assert!(tiles.len() <= tiles_max.max(2 * items.len() + 1));
        let mut size = 0;
        let mut around = FRAME;
        for tile in &tiles {
            let (outer, own) = match tile.content {
                Content::Frame(_) => (FRAME, 0),
                Content::Whole(at) => (FRAME, items[at].size),
                Content::Inner(at, place) => (around, items[at].inner[place]),
                Content::Rest(Some(at), from) => (around, items[at].inner[from..].iter().sum()),
                Content::Rest(None, from) => {
                    (FRAME, items[from..].iter().map(|item| item.size).sum())
                }
            };
            if matches!(tile.content, Content::Frame(_)) {
                around = tile.rect.content();
            }
            prop_assert!(is_inside(tile.rect, outer), "{:?}", tile);
            size += own;
        }
        prop_assert_eq!(size, items.iter().map(|item| item.size).sum::<u64>());
        let leaves: Vec<Rect> = tiles
            .iter()
            .filter(|tile| !matches!(tile.content, Content::Frame(_)))
            .map(|tile| tile.rect)
            .collect();
        for (at, rect) in leaves.iter().enumerate() {
            for other in &leaves[at + 1..] {
                prop_assert!(overlap(*rect, *other) < 1e-3);
            }
        }
    }
}

#[test]
fn many_equal_files_are_drawn_as_far_as_there_is_room() {
    let item = Item { size: 10, inner: Vec::new() };
    let tiles = arrange(&vec![item; 5000], FRAME, 300);
    assert_eq!(tiles.len(), 300);
    assert_eq!(tiles[299].content, Content::Rest(None, 299));
}

#[test]
fn nothing_is_drawn_of_nothing() {
    assert_eq!(arrange(&[], FRAME, 10), []);
    assert_eq!(arrange(&[Item::default()], FRAME, 10), []);
    assert_eq!(squarified(&[], FRAME), []);
}
