//! What is indexed, what is left out and why, sizes, and the work in the background.

use maud::html;
use serde_json::json;

use super::{Page, Shown, section, shown};
use crate::error::Result;
use crate::tools::Call;
use crate::ui::ask::Ask;

pub(super) const PAGE: Page = Page {
    name: "status",
    title: "Status",
    summary: "What is indexed, what is left out, sizes, background work",
    key: 'i',
    make,
};

fn make(call: &Call<'_>, _: &Ask) -> Result<Shown> {
    let main = html! {
        h1 { "Status" }
        (section(call, "Index", "status", json!({}))?)
        (section(call, "Recorded data", "stats", json!({}))?)
        (section(call, "Projects", "projects", json!({}))?)
    };
    shown(call, &PAGE, "Status".to_owned(), main)
}
