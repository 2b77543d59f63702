//! Who may use the pages: browsers that opened an address with a token, each of which is accepted once.
//!
//! The token is in the address that a person opens; the response stores a cookie, which other sites cannot
//! send (`SameSite=Strict`) and scripts cannot read. What changes something also needs the token of the page.

use std::sync::{Mutex, PoisonError};

use http::HeaderMap;
use http::header::{COOKIE, HOST};
use subtle::ConstantTimeEq;
use uuid::Uuid;

/// The greatest number of addresses that were printed and not opened.
const LINKS_MAX: usize = 16;

/// The greatest number of browsers; the first ones are forgotten.
const SESSIONS_MAX: usize = 64;

/// The browsers that may use the pages, and the tokens that admit more.
#[derive(Debug, Default)]
pub struct Sessions {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    links: Vec<String>,
    sessions: Vec<Session>,
}

/// A browser that may use the pages.
#[derive(Clone, Debug)]
pub(super) struct Session {
    cookie: String,
    /// The token that forms of its pages contain.
    pub(super) form: String,
}

impl Sessions {
    /// Returns the token of a new address, which admits one browser.
    pub fn link(&self) -> String {
        let token = random();
        let mut state = self.lock();
        if state.links.len() >= LINKS_MAX {
            state.links.remove(0);
        }
        state.links.push(token.clone());
        token
    }

    /// Admits a browser with the token of an address; returns the value of its cookie.
    pub(super) fn admit(&self, token: &str) -> Option<String> {
        let mut state = self.lock();
        let at = state.links.iter().position(|link| is_equal(link, token))?;
        state.links.remove(at);
        if state.sessions.len() >= SESSIONS_MAX {
            state.sessions.remove(0);
        }
        let session = Session { cookie: random(), form: random() };
        state.sessions.push(session.clone());
        Some(session.cookie)
    }

    /// Returns the session of a request.
    pub(super) fn of(&self, headers: &HeaderMap) -> Option<Session> {
        let name = cookie_name(headers);
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = cookies.flat_map(|line| line.split(';'));
        let mut values = pairs.filter_map(|pair| pair.trim().split_once('='));
        let (_, value) = values.find(|(of, _)| *of == name)?;
        self.lock().sessions.iter().find(|session| is_equal(&session.cookie, value)).cloned()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// Returns true for the token of one of its forms.
    pub(super) fn is_form(&self, token: &str) -> bool {
        is_equal(&self.form, token)
    }
}

/// Returns the name of the cookie of a server: cookies of a host are sent to all of its ports.
pub(super) fn cookie_name(headers: &HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let port = host.rsplit_once(':').map_or("80", |(_, port)| port);
    let port: String = port.chars().filter(char::is_ascii_digit).collect();
    format!("codedb-{port}")
}

fn is_equal(one: &str, other: &str) -> bool {
    bool::from(one.as_bytes().ct_eq(other.as_bytes()))
}

/// Returns 244 random bits as text.
fn random() -> String {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(cookie: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, "127.0.0.1:7371".parse().expect("a value"));
        headers.insert(COOKIE, cookie.parse().expect("a value"));
        headers
    }

    #[test]
    fn an_address_admits_one_browser() {
        let sessions = Sessions::default();
        let token = sessions.link();
        assert!(sessions.admit("").is_none() && sessions.admit(&token[1..]).is_none());
        let cookie = sessions.admit(&token).expect("the first use");
        assert!(sessions.admit(&token).is_none(), "the second use");
        let session = sessions.of(&headers(&format!("a=b; codedb-7371={cookie}")));
        let session = session.expect("its cookie");
        assert!(session.is_form(&session.form) && !session.is_form(&cookie));
        assert!(sessions.of(&headers(&format!("codedb-7372={cookie}"))).is_none());
        assert!(sessions.of(&headers("codedb-7371=")).is_none());
    }

    #[test]
    fn old_addresses_and_browsers_are_forgotten() {
        let sessions = Sessions::default();
        let first = sessions.link();
        let links: Vec<String> = (0..LINKS_MAX).map(|_| sessions.link()).collect();
        assert!(sessions.admit(&first).is_none());
        let cookie = sessions.admit(&links[0]).expect("a cookie");
        for _ in 0..SESSIONS_MAX {
            sessions.admit(&sessions.link()).expect("a cookie");
        }
        assert!(sessions.of(&headers(&format!("codedb-7371={cookie}"))).is_none());
    }
}
