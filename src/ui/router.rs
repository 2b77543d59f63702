//! Finds what answers a request, after a check of who sends it.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    HeaderName, HeaderValue, LOCATION, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use http::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full};
use maud::{Markup, html};
use percent_encoding::percent_decode_str;

use super::ask::{Ask, parsed};
use super::assets::{self, Asset};
use super::changes::Changes;
use super::editor::{self, Editor};
use super::pages::{self, Shown};
use super::sessions::{Session, Sessions, cookie_name};
use super::shell;
use super::work::Work;
use crate::error::{Error, Kind, Result};
use crate::mcp::site::{Answering, Body, Site, Tree};

/// What pages may load: only what this server sends, no script and no style within a page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// Set by scripts that replace a part of a page: the response is that part alone.
const PART: HeaderName = HeaderName::from_static("x-part");

/// The bytes from which on a page is compressed: shorter ones are sent sooner as they are.
const PACKED_FROM: usize = 100 << 10;

/// How long a page may be made.
const PATIENCE: Duration = Duration::from_secs(30);

/// The site of a tree.
pub(super) struct Pages {
    inner: Arc<Inner>,
}

struct Inner {
    work: Work,
    sessions: Arc<Sessions>,
    changes: Changes,
    editor: Option<Editor>,
}

impl Pages {
    pub(super) fn new(tree: Tree, sessions: Arc<Sessions>, editor: Option<Editor>) -> Pages {
        let changes = Changes::new(tree.clone());
        Pages { inner: Arc::new(Inner { work: Work::new(tree), sessions, changes, editor }) }
    }
}

impl Site for Pages {
    fn answer(&self, request: Request<Full<Bytes>>) -> Answering {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move { inner.answer(request).await })
    }
}

impl Inner {
    async fn answer(&self, request: Request<Full<Bytes>>) -> Response<Body> {
        let (head, body) = request.into_parts();
        if let Some(name) = head.uri.path().strip_prefix("/assets/") {
            return assets::find(name).map_or_else(
                || plain(StatusCode::NOT_FOUND, "there is no such file\n"),
                |found| asset(found, &head.headers),
            );
        }
        let params = parsed(head.uri.query().unwrap_or_default().as_bytes());
        if let Some(response) = self.admitted(&head.uri, &head.headers, &params) {
            return response;
        }
        let Some(session) = self.sessions.of(&head.headers) else {
            return page(StatusCode::UNAUTHORIZED, shell::locked());
        };
        match head.method {
            Method::GET | Method::HEAD => {}
            Method::POST => {
                let bytes = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
                let is_part = head.headers.contains_key(PART);
                return self.sent(&head.uri, &session, &bytes, is_part).await;
            }
            _ => return plain(StatusCode::METHOD_NOT_ALLOWED, "use GET or POST\n"),
        }
        if head.uri.path() == "/events" {
            return events(self.changes.stream());
        }
        if head.uri.path() == "/" {
            return moved(pages::FIRST);
        }
        let ask = Ask::new(params, session.form.clone(), false);
        let is_part = head.headers.contains_key(PART);
        match self.shown(head.uri.path(), ask).await {
            Ok(Some(shown)) => packed(
                &head.headers,
                if is_part { shell::part(&shown) } else { shell::whole(&shown) },
            ),
            Ok(None) => respond(StatusCode::NOT_FOUND, shell::unknown(), is_part),
            Err(error) => respond(status_of(&error), shell::failed(&error), is_part),
        }
    }

    /// Answers a request with the token of a printed address.
    fn admitted(
        &self,
        uri: &Uri,
        headers: &HeaderMap,
        params: &[(String, String)],
    ) -> Option<Response<Body>> {
        let (_, token) = params.iter().find(|(name, _)| name == "token")?;
        let to = if uri.path() == "/" { pages::FIRST } else { uri.path() };
        let Some(cookie) = self.sessions.admit(token) else {
            // A reload of the printed address, by a browser that was admitted with it.
            let is_known = self.sessions.of(headers).is_some();
            return Some(if is_known {
                moved(to)
            } else {
                page(StatusCode::UNAUTHORIZED, shell::locked())
            });
        };
        let mut response = moved(to);
        let name = cookie_name(headers);
        let cookie = format!("{name}={cookie}; Path=/; HttpOnly; SameSite=Strict");
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().insert(SET_COOKIE, cookie);
        }
        Some(response)
    }

    /// Returns a page; `None` if there is none at the address.
    async fn shown(&self, path: &str, mut ask: Ask) -> Result<Option<Shown>> {
        let rest = path.strip_prefix('/').unwrap_or(path);
        let (name, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let Some(page) = pages::find(name) else { return Ok(None) };
        let Ok(decoded) = percent_decode_str(rest).decode_utf8() else {
            return Err(Error::usage("the path in this address is not UTF-8"));
        };
        decoded.trim_end_matches('/').clone_into(&mut ask.path);
        ask.editor.clone_from(&self.editor);
        let make = page.make;
        let making = self.work.run(move |call| make(call, &ask));
        let made = tokio::time::timeout(PATIENCE, making).await;
        made.unwrap_or_else(|_| {
            let seconds = PATIENCE.as_secs();
            Err(Error::new(Kind::Limit, format!("the page was not ready after {seconds} s"))
                .with_hint("narrow it to a folder or a file"))
        })
        .map(Some)
    }

    /// Answers a form.
    async fn sent(
        &self,
        uri: &Uri,
        session: &Session,
        bytes: &[u8],
        is_part: bool,
    ) -> Response<Body> {
        let params = parsed(bytes);
        let ask = Ask::new(params, session.form.clone(), true);
        if !ask.raw("form").is_some_and(|token| session.is_form(token)) {
            let error = Error::new(Kind::Usage, "this form was not sent by a page of this server");
            return respond(StatusCode::FORBIDDEN, shell::failed(&error), false);
        }
        if uri.path() == editor::ADDRESS {
            return match self.opened(ask).await {
                // The browser stays on its page.
                Ok(None) => bytes_of(StatusCode::NO_CONTENT, "text/plain", Bytes::new()),
                Ok(Some(command)) => page(StatusCode::OK, shell::with(editor::command(&command))),
                Err(error) => respond(status_of(&error), shell::failed(&error), false),
            };
        }
        match self.shown(uri.path(), ask).await {
            Ok(Some(shown)) => respond(StatusCode::OK, shown, is_part),
            Ok(None) => respond(StatusCode::NOT_FOUND, shell::unknown(), is_part),
            Err(error) => respond(status_of(&error), shell::failed(&error), is_part),
        }
    }
}

impl Inner {
    /// Opens a file in the editor; returns the command instead if that needs a terminal.
    async fn opened(&self, ask: Ask) -> Result<Option<String>> {
        let editor = self.editor.clone();
        let editor = editor.ok_or_else(|| {
            Error::usage("no editor is set").with_hint("set VISUAL or EDITOR and start again")
        })?;
        let path = ask.raw("path").unwrap_or_default().to_owned();
        let line = ask.number("line").unwrap_or(1).max(1);
        self.work.run(move |call| editor.open(call, &path, line)).await
    }
}

fn status_of(error: &Error) -> StatusCode {
    match error.kind() {
        Kind::NotFound => StatusCode::NOT_FOUND,
        Kind::Usage => StatusCode::BAD_REQUEST,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn respond(status: StatusCode, shown: Shown, is_part: bool) -> Response<Body> {
    let markup = if is_part { shell::part(&shown) } else { shell::whole(&shown) };
    page(status, markup)
}

fn page(status: StatusCode, markup: Markup) -> Response<Body> {
    let mut response = bytes_of(status, "text/html; charset=utf-8", markup.into_string().into());
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Returns a page, compressed if it is long and the browser can read that.
fn packed(headers: &HeaderMap, markup: Markup) -> Response<Body> {
    let accepted = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let accepts = |word: &str| word.trim() == "gzip" || word.trim().starts_with("gzip;q=1");
    if markup.0.len() < PACKED_FROM || !accepted.is_some_and(|words| words.split(',').any(accepts))
    {
        return page(StatusCode::OK, markup);
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(markup.0.as_bytes()).and_then(|()| encoder.finish());
    let Ok(bytes) = written else { return page(StatusCode::OK, markup) };
    let mut response = bytes_of(StatusCode::OK, "text/html; charset=utf-8", bytes.into());
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    response
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    bytes_of(status, "text/plain; charset=utf-8", Bytes::from_static(text.as_bytes()))
}

fn moved(to: &str) -> Response<Body> {
    let mut response = page(StatusCode::SEE_OTHER, html! { a href=(to) { (to) } });
    if let Ok(to) = HeaderValue::from_str(to) {
        response.headers_mut().insert(LOCATION, to);
    }
    response
}

fn asset(asset: &'static Asset, headers: &HeaderMap) -> Response<Body> {
    let tag = assets::tag();
    let has_it = headers.get(http::header::IF_NONE_MATCH).is_some_and(|given| given == tag);
    let mut response = if has_it {
        bytes_of(StatusCode::NOT_MODIFIED, asset.kind, Bytes::new())
    } else {
        bytes_of(StatusCode::OK, asset.kind, Bytes::from_static(asset.text.as_bytes()))
    };
    if let Ok(tag) = HeaderValue::from_str(tag) {
        response.headers_mut().insert(http::header::ETAG, tag);
    }
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn events(body: Body) -> Response<Body> {
    let mut response = with_headers(Response::new(body));
    let kind = HeaderValue::from_static("text/event-stream");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn bytes_of(status: StatusCode, kind: &'static str, bytes: Bytes) -> Response<Body> {
    let mut response = with_headers(Response::new(Full::new(bytes).boxed()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Adds what every response tells the browser.
fn with_headers(mut response: Response<Body>) -> Response<Body> {
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    let only_here = HeaderValue::from_static("same-origin");
    headers.insert(HeaderName::from_static("cross-origin-resource-policy"), only_here.clone());
    headers.insert(HeaderName::from_static("cross-origin-opener-policy"), only_here);
    response
}
