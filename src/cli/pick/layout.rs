//! [`Layout`]: which part of the screen is where.

use ratatui::layout::Rect;

/// From this width on, the preview is beside the list.
const BESIDE_WIDTH: u16 = 110;

/// From this height on, the preview is below the list.
const BELOW_HEIGHT: u16 = 16;

/// From this height on, the last line has the keys.
const KEYS_HEIGHT: u16 = 8;

/// The parts of the screen; those without room are empty.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Layout {
    /// The line that is typed, and the counts.
    pub(super) prompt: Rect,
    pub(super) list: Rect,
    /// The line above the preview, or the column beside it.
    pub(super) border: Rect,
    pub(super) preview: Rect,
    /// The last line, which explains the keys.
    pub(super) keys: Rect,
}

impl Layout {
    /// Divides the screen.
    pub(super) fn of(area: Rect) -> Layout {
        let Rect { x, y, width, height } = area;
        let (prompt, rest) = (height.min(1), height.saturating_sub(1));
        let keys = u16::from(height >= KEYS_HEIGHT);
        let rest = rest - keys;
        let (top, none) = (y + prompt, Rect::new(x, y, 0, 0));
        let (list, border, preview) = if width >= BESIDE_WIDTH {
            let left = width / 2;
            let right = width - left - 2;
            (
                Rect::new(x, top, left, rest),
                Rect::new(x + left, top, 1, rest),
                Rect::new(x + left + 2, top, right, rest),
            )
        } else if height >= BELOW_HEIGHT {
            let upper = rest / 2;
            (
                Rect::new(x, top, width, upper),
                Rect::new(x, top + upper, width, 1),
                Rect::new(x, top + upper + 1, width, rest - upper - 1),
            )
        } else {
            (Rect::new(x, top, width, rest), none, none)
        };
        Layout {
            prompt: Rect::new(x, y, width, prompt),
            list,
            border,
            preview,
            keys: Rect::new(x, top + rest, width, keys),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_fill_the_screen_and_do_not_overlap() {
        for (width, height) in [(0, 0), (1, 1), (40, 10), (80, 7), (80, 24), (110, 3), (200, 60)] {
            let area = Rect::new(0, 0, width, height);
            let of = Layout::of(area);
            let parts = [of.prompt, of.list, of.border, of.preview, of.keys];
            for (at, part) in parts.iter().enumerate() {
                assert_eq!(area.union(*part), area, "{width}x{height}: {part:?}");
                for other in &parts[at + 1..] {
                    assert!(part.intersection(*other).is_empty(), "{part:?} {other:?}");
                }
            }
            let rows = of.prompt.height + of.list.height + of.keys.height;
            let below =
                if of.border.width == width { of.border.height + of.preview.height } else { 0 };
            assert_eq!(rows + below, height, "{width}x{height}");
        }
    }
}
