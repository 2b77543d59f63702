//! Access control over HTTP: the only place that checks a request's host, origin and token.

use std::net::IpAddr;

use http::StatusCode;
use http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, ORIGIN};
use subtle::ConstantTimeEq;
use url::Url;

/// The rules for requests.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    /// The required token, if any.
    pub(super) token: Option<String>,
    /// Names of this machine in addition to the loopback names, without ports.
    pub(super) hosts: Vec<String>,
}

/// The response to a refused request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Refusal {
    /// The status.
    pub(super) status: StatusCode,
    /// The reason.
    pub(super) reason: &'static str,
}

impl Guard {
    /// Checks the headers of a request. A page in a browser can send requests to this machine under
    /// a host name of its own (DNS rebinding). Therefore the host must be one of this machine's
    /// names, and so must the origin if there is one.
    ///
    /// # Errors
    ///
    /// The refusal.
    pub(super) fn check(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        self.check_host(headers)?;
        let Some(token) = &self.token else { return Ok(()) };
        let refusal = Refusal {
            status: StatusCode::UNAUTHORIZED,
            reason: "missing or wrong token; send `Authorization: Bearer TOKEN`",
        };
        let given = one(headers, &AUTHORIZATION).flatten().ok_or(refusal)?;
        let given = given
            .split_once(' ')
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map(|(_, given)| given.trim())
            .ok_or(refusal)?;
        let is_equal = bool::from(given.as_bytes().ct_eq(token.as_bytes()));
        if is_equal { Ok(()) } else { Err(refusal) }
    }

    /// Performs the checks of [`Guard::check`] except that of the token.
    ///
    /// # Errors
    ///
    /// The refusal.
    pub(super) fn check_host(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = one(headers, &HOST).flatten();
        if !host.is_some_and(|host| self.is_own_host(host)) {
            return Err(Refusal {
                status: StatusCode::FORBIDDEN,
                reason: "the `Host` of the request is not a name of this server; allow it with `--allow-host`",
            });
        }
        let is_foreign = match one(headers, &ORIGIN) {
            Some(None) => false,
            Some(Some(origin)) => !self.is_own_origin(origin),
            None => true,
        };
        if is_foreign {
            return Err(Refusal {
                status: StatusCode::FORBIDDEN,
                reason: "the `Origin` of the request is another site",
            });
        }
        Ok(())
    }

    /// Returns true if this server is reached by `authority`: a host with an optional port.
    fn is_own_host(&self, authority: &str) -> bool {
        // The scheme has no default port and no rules for numeric hosts, so nothing is rewritten.
        let url = Url::parse(&format!("codedb://{authority}"));
        url.is_ok_and(|url| url.authority().eq_ignore_ascii_case(authority) && self.is_own(&url))
    }

    /// Returns true if `origin` (a scheme, a host and an optional port) is one of this machine.
    fn is_own_origin(&self, origin: &str) -> bool {
        let url = Url::parse(origin);
        url.is_ok_and(|url| {
            // A URL parser accepts many more spellings than a browser sends.
            let is_exact = format!("{}://{}", url.scheme(), url.authority());
            is_exact.eq_ignore_ascii_case(origin) && self.is_own(&url)
        })
    }

    fn is_own(&self, url: &Url) -> bool {
        let has_user = !url.username().is_empty() || url.password().is_some();
        let host = url.host_str().unwrap_or_default();
        let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let is_loopback =
            || address.unwrap_or(host).parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        let is_named = || self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host));
        !has_user && (host.eq_ignore_ascii_case("localhost") || is_loopback() || is_named())
    }
}

/// Returns the value of a header: `Some(None)` if it is absent, `None` if it occurs twice or is not
/// text, because two readers could interpret it differently.
fn one<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<Option<&'a str>> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Some(None) };
    match (values.next(), value.to_str()) {
        (None, Ok(value)) => Some(Some(value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(of: &[(HeaderName, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in of {
            headers.append(name.clone(), value.parse().expect("a value"));
        }
        headers
    }

    #[test]
    fn only_hosts_of_this_machine_are_accepted() {
        let guard = Guard { hosts: vec!["build.example".to_owned()], ..Guard::default() };
        for (host, is_ours) in [
            ("localhost", true),
            ("LOCALHOST:7370", true),
            ("127.0.0.1:7370", true),
            ("127.1.2.3", true),
            ("[::1]:7370", true),
            ("[::1]", true),
            ("build.example:80", true),
            ("evil.example", false),
            ("localhost.evil.example", false),
            ("127.0.0.1.evil.example", false),
            ("localhost:80:80", false),
            ("localhost:evil", false),
            ("[::1", false),
            ("[::1]evil", false),
            ("0.0.0.0", false),
            ("", false),
            ("me@localhost", false),
            ("evil.example@localhost", false),
            ("localhost/evil.example", false),
            ("localhost?evil", false),
            ("localhost:+80", false),
            ("2130706433", false),
            ("localhost:80", true),
        ] {
            let checked = guard.check(&headers(&[(HOST, host)]));
            assert_eq!(checked.is_ok(), is_ours, "{host}");
        }
        assert!(guard.check(&headers(&[])).is_err(), "no host");
        let twice = headers(&[(HOST, "localhost"), (HOST, "localhost")]);
        assert!(guard.check(&twice).is_err(), "two hosts");
    }

    #[test]
    fn pages_of_other_origins_are_refused() {
        for (origin, is_let_in) in [
            ("http://localhost:3000", true),
            ("https://127.0.0.1", true),
            ("http://evil.example", false),
            ("null", false),
            ("http://localhost.evil.example", false),
            ("http://localhost@evil.example", false),
            ("http://evil.example@localhost", false),
            ("http://localhost/evil", false),
            ("http://2130706433", false),
            ("tauri://localhost", true),
            ("localhost", false),
        ] {
            let headers = headers(&[(HOST, "localhost"), (ORIGIN, origin)]);
            assert_eq!(Guard::default().check(&headers).is_ok(), is_let_in, "{origin}");
        }
    }

    #[test]
    fn a_configured_token_is_required() {
        let guard = Guard { token: Some("secret".to_owned()), ..Guard::default() };
        let check = |given: Option<&str>| {
            let host = [(HOST, "localhost")];
            let given = given.map(|given| (AUTHORIZATION, given));
            let all: Vec<(HeaderName, &str)> = host.into_iter().chain(given).collect();
            guard.check(&headers(&all)).map_err(|refusal| refusal.status)
        };
        assert_eq!(check(Some("Bearer secret")), Ok(()));
        assert_eq!(check(Some("bearer  secret")), Ok(()));
        for given in [
            None,
            Some("Bearer wrong"),
            Some("Bearer secre"),
            Some("Bearer secrets"),
            Some("secret"),
            Some("Basic secret"),
        ] {
            assert_eq!(check(given), Err(StatusCode::UNAUTHORIZED), "{given:?}");
        }
        let host = headers(&[(HOST, "evil.example"), (AUTHORIZATION, "Bearer secret")]);
        assert_eq!(guard.check(&host).map_err(|of| of.status), Err(StatusCode::FORBIDDEN));
        assert!(guard.check_host(&headers(&[(HOST, "localhost")])).is_ok());
    }
}
