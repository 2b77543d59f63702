//! What is around a page: head, navigation, and the pages for what cannot be shown.

use maud::{DOCTYPE, Markup, html};

use super::page::failure;
use super::pages::{PAGES, Shown};
use crate::error::Error;

/// Returns a whole document.
pub(super) fn whole(shown: &Shown) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(&titled(shown)))
            body {
                a.skip href="#main" { "Skip to the content" }
                header {
                    a.brand href="/" title="codedb" { @if shown.tree.is_empty() { "codedb" } @else { (shown.tree) } }
                    nav aria-label="Pages" {
                        ul {
                            @for page in PAGES {
                                @let is_here = page.name == shown.page;
                                li {
                                    a href=(format!("/{}", page.name)) title=(format!("{} (g {})", page.summary, page.key))
                                        data-key=(page.key) aria-current=[is_here.then_some("page")] {
                                        (page.title)
                                    }
                                }
                            }
                        }
                    }
                    p #progress role="status" {}
                }
                (part(shown))
                script type="module" src="/assets/app.js" {}
            }
        }
    }
}

/// Returns the part of a document that changes with the tree.
pub(super) fn part(shown: &Shown) -> Markup {
    html! {
        main #main tabindex="-1" data-title=(titled(shown)) data-version=(shown.version) {
            (shown.main)
        }
    }
}

/// Returns the title of the window.
fn titled(shown: &Shown) -> String {
    let tree = if shown.tree.is_empty() { "codedb" } else { &shown.tree };
    format!("{} · {tree}", shown.title)
}

fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) }
            link rel="icon" href="/assets/icon.svg" type="image/svg+xml";
            link rel="stylesheet" href="/assets/style.css";
        }
    }
}

/// Returns the document for a browser that was not admitted.
pub(super) fn locked() -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head("Not admitted · codedb"))
            body {
                main #main {
                    h1 { "This address needs its token" }
                    p { "Open the address that " code { "codedb ui" } " printed; each admits one browser." }
                    p { "Press Enter in the terminal where it runs, and it prints another one." }
                }
            }
        }
    }
}

/// Returns the page for an address without one.
pub(super) fn unknown() -> Shown {
    let main = html! {
        h1 { "There is no such page" }
        ul { @for page in PAGES { li { a href=(format!("/{}", page.name)) { (page.title) } ": " (page.summary) } } }
    };
    Shown { page: "", title: "No such page".to_owned(), main, version: 0, tree: String::new() }
}

/// Returns a document that depends on no tree.
pub(super) fn with(main: Markup) -> Markup {
    whole(&Shown { page: "", title: "codedb".to_owned(), main, version: 0, tree: String::new() })
}

/// Returns the page for one that cannot be made.
pub(super) fn failed(error: &Error) -> Shown {
    let main = html! { h1 { "This cannot be shown" } (failure(error)) };
    Shown { page: "", title: "Error".to_owned(), main, version: 0, tree: String::new() }
}
