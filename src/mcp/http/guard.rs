//! Access control over HTTP: the only place that checks a request's host, origin and token.

use std::net::IpAddr;

use http::StatusCode;
use http::Uri;
use http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, ORIGIN};
use subtle::ConstantTimeEq;
use url::Url;

/// Set by browsers: how the site of the page relates to that of this server.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The rules for requests.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    /// The required token, if any.
    pub(super) token: Option<String>,
    /// Names of this machine in addition to the loopback names, without ports.
    pub(super) hosts: Vec<String>,
    /// The port of the server: pages of other ports of this machine are other sites.
    pub(super) port: u16,
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
    /// names, in the target as well if that is absolute. The origin, if there is one, must be this
    /// server itself or a name that the user allowed.
    ///
    /// # Errors
    ///
    /// The refusal.
    pub(super) fn check(&self, target: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        self.check_host(target, headers)?;
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
    pub(super) fn check_host(&self, target: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = one(headers, &HOST).flatten();
        let is_own_target =
            target.authority().is_none_or(|authority| self.is_own_host(authority.as_str()));
        if !is_own_target || !host.is_some_and(|host| self.is_own_host(host)) {
            return Err(Refusal {
                status: StatusCode::FORBIDDEN,
                reason: "the `Host` of the request is not a name of this server; allow it with `--allow-host`",
            });
        }
        let is_foreign = match one(headers, &ORIGIN) {
            // A page of another site that loads this address as a script or an image.
            Some(None) => one(headers, &FETCH_SITE).is_none_or(|site| {
                site.is_some_and(|site| site.eq_ignore_ascii_case("cross-site"))
            }),
            Some(Some(origin)) => !self.is_own_origin(origin),
            None => true,
        };
        if is_foreign {
            return Err(Refusal {
                status: StatusCode::FORBIDDEN,
                reason: "the request comes from another site; allow its host with `--allow-host`",
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

    /// Returns true if `origin` (a scheme, a host and an optional port) is this server, or has a host
    /// that the user allowed, whose server may be a proxy with another scheme and port.
    fn is_own_origin(&self, origin: &str) -> bool {
        let url = Url::parse(origin);
        url.is_ok_and(|url| {
            // A URL parser accepts many more spellings than a browser sends.
            let is_exact = format!("{}://{}", url.scheme(), url.authority());
            let is_here = url.scheme() == "http" && url.port_or_known_default() == Some(self.port);
            let is_allowed = is_here || url.host_str().is_some_and(|host| self.is_named(host));
            is_exact.eq_ignore_ascii_case(origin) && is_allowed && self.is_own(&url)
        })
    }

    fn is_own(&self, url: &Url) -> bool {
        let has_user = !url.username().is_empty() || url.password().is_some();
        let host = url.host_str().unwrap_or_default();
        let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let is_loopback =
            || address.unwrap_or(host).parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        let is_local = host.eq_ignore_ascii_case("localhost") || is_loopback();
        !has_user && (is_local || self.is_named(host))
    }

    fn is_named(&self, host: &str) -> bool {
        self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
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

    fn target() -> Uri {
        Uri::from_static("/mcp")
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
            let checked = guard.check(&target(), &headers(&[(HOST, host)]));
            assert_eq!(checked.is_ok(), is_ours, "{host}");
        }
        assert!(guard.check(&target(), &headers(&[])).is_err(), "no host");
        let twice = headers(&[(HOST, "localhost"), (HOST, "localhost")]);
        assert!(guard.check(&target(), &twice).is_err(), "two hosts");
    }

    #[test]
    fn pages_of_other_origins_are_refused() {
        let hosts = vec!["app.example".to_owned()];
        let guard = Guard { hosts, port: 7370, ..Guard::default() };
        for (origin, is_let_in) in [
            ("http://localhost:7370", true),
            ("http://127.0.0.1:7370", true),
            ("http://[::1]:7370", true),
            ("https://app.example", true),
            ("http://app.example:3000", true),
            ("http://localhost:3000", false),
            ("http://localhost", false),
            ("https://localhost:7370", false),
            ("https://127.0.0.1", false),
            ("http://evil.example:7370", false),
            ("null", false),
            ("http://localhost.evil.example:7370", false),
            ("http://localhost@evil.example:7370", false),
            ("http://evil.example@localhost:7370", false),
            ("http://localhost:7370/evil", false),
            ("http://2130706433:7370", false),
            ("tauri://localhost", false),
            ("localhost", false),
        ] {
            let headers = headers(&[(HOST, "localhost"), (ORIGIN, origin)]);
            assert_eq!(guard.check(&target(), &headers).is_ok(), is_let_in, "{origin}");
        }
        for (site, is_let_in) in [("cross-site", false), ("same-origin", true), ("none", true)] {
            let headers = headers(&[(HOST, "localhost"), (FETCH_SITE, site)]);
            assert_eq!(guard.check(&target(), &headers).is_ok(), is_let_in, "{site}");
        }
    }

    #[test]
    fn an_absolute_target_is_checked_like_the_host() {
        for (target, is_let_in) in [
            ("/mcp", true),
            ("http://localhost:7370/mcp", true),
            ("http://evil.example/mcp", false),
            ("http://me@localhost/mcp", false),
        ] {
            let headers = headers(&[(HOST, "localhost")]);
            let checked = Guard::default().check(&target.parse().expect("a target"), &headers);
            assert_eq!(checked.is_ok(), is_let_in, "{target}");
        }
    }

    #[test]
    fn a_configured_token_is_required() {
        let guard = Guard { token: Some("secret".to_owned()), ..Guard::default() };
        let check = |given: Option<&str>| {
            let host = [(HOST, "localhost")];
            let given = given.map(|given| (AUTHORIZATION, given));
            let all: Vec<(HeaderName, &str)> = host.into_iter().chain(given).collect();
            guard.check(&target(), &headers(&all)).map_err(|refusal| refusal.status)
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
        assert_eq!(
            guard.check(&target(), &host).map_err(|of| of.status),
            Err(StatusCode::FORBIDDEN)
        );
        assert!(guard.check_host(&target(), &headers(&[(HOST, "localhost")])).is_ok());
    }
}
