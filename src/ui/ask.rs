//! What a page is asked for.

use url::form_urlencoded;

use super::editor::Editor;

/// What a page is asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Ask {
    /// What follows the name of the page, decoded: a repository path, for pages about one.
    pub(super) path: String,
    /// The parameters, in the order of the address or of the form.
    params: Vec<(String, String)>,
    /// The token that forms must contain.
    pub(super) form: String,
    /// The editor of the person at the page, if one is set.
    pub(super) editor: Option<Editor>,
    /// True for a form that was sent with its token: it may change something.
    pub(super) is_sent: bool,
}

impl Ask {
    /// Returns what an address, or a form if `is_sent`, asks for.
    pub(super) fn new(params: Vec<(String, String)>, form: String, is_sent: bool) -> Ask {
        Ask { params, form, is_sent, ..Ask::default() }
    }

    /// Returns the first value of a parameter, without blanks around it; `None` if it is empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.params.iter().filter(|(of, _)| of == name);
        values.next().map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    }

    /// Returns the first value of a parameter as it is.
    pub(super) fn raw(&self, name: &str) -> Option<&str> {
        let mut values = self.params.iter().filter(|(of, _)| of == name);
        values.next().map(|(_, value)| value.as_str())
    }

    /// Returns a parameter that is a number.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }

    /// Returns true if a parameter is set.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value != "0" && value != "false")
    }

    /// Returns what an address asks for: its path below the name of the page, decoded, and its query.
    pub(super) fn of(path: &str, query: &str) -> Ask {
        Ask { path: path.to_owned(), params: parsed(query.as_bytes()), ..Ask::default() }
    }
}

/// Returns the parameters of an address or a form.
pub(super) fn parsed(text: &[u8]) -> Vec<(String, String)> {
    form_urlencoded::parse(text).into_owned().collect()
}
