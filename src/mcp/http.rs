//! The transport over HTTP: each request is a POST to `/mcp`, answered on its own, so that there are
//! no sessions that could run out while a client thinks. `/healthz` and `/metrics` are for monitors.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::metrics::{self, Metrics};
use super::roots::Roots;
use super::server::Server;

mod guard;

use guard::{Guard, Refusal};

/// Connections at once; further ones wait.
const CONNECTIONS_MAX: usize = 256;

/// Requests of the protocol under way at once; further ones wait, unread.
const REQUESTS_MAX: usize = 64;

/// Bytes of a request: a diff of 1 MiB, however it is escaped, and what stands around it.
const REQUEST_BYTES_MAX: usize = 4 << 20;

/// How long a client may take to send the head of a request.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait where the system grants no descriptor for a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How a server is reached.
#[derive(Clone, Debug)]
pub struct Address {
    /// Where it listens; port 0 stands for any that is free.
    pub listen: SocketAddr,
    /// The token that requests must bear, if any.
    pub token: Option<String>,
    /// Names that requests may call this machine, beside those of the loopback.
    pub hosts: Vec<String>,
}

type Body = BoxBody<Bytes, Infallible>;

/// What all connections share.
struct Shared {
    mcp: StreamableHttpService<Server, NeverSessionManager>,
    requests: Semaphore,
    guard: Guard,
    metrics: Arc<Metrics>,
    roots: Arc<Roots>,
}

/// Serves for ever; `ready` is called with the address once clients can connect.
///
/// # Errors
///
/// If the address cannot be listened on, or the system grants no threads.
pub(super) fn run(
    server: Server,
    roots: Arc<Roots>,
    metrics: Arc<Metrics>,
    address: &Address,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().enable_io().build()?;
    // Host and origin are the guard's to check, for every path alike.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(REQUEST_BYTES_MAX)
        .disable_allowed_hosts();
    let manager = Arc::new(NeverSessionManager::default());
    let mcp = StreamableHttpService::new(move || Ok(server.clone()), manager, config);
    let guard = Guard { token: address.token.clone(), hosts: address.hosts.clone() };
    let requests = Semaphore::new(REQUESTS_MAX);
    let shared = Arc::new(Shared { mcp, requests, guard, metrics, roots });
    runtime.block_on(async {
        let listener = TcpListener::bind(address.listen).await?;
        ready(listener.local_addr()?);
        let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return Ok(()) };
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            };
            // Replies are small and are waited for.
            let _ = stream.set_nodelay(true);
            let shared = Arc::clone(&shared);
            tokio::spawn(async move {
                let _place = place;
                let service = service_fn(|request| answer(Arc::clone(&shared), request));
                let served = hyper::server::conn::http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(HEAD_PATIENCE)
                    .serve_connection(TokioIo::new(stream), service);
                if let Err(error) = served.await {
                    log::debug!("a connection ended: {error}");
                }
            });
        }
    })
}

async fn answer(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let path = request.uri().path();
    // Whether it lives is no secret, but not for pages of others either.
    let checked = match path {
        "/healthz" => shared.guard.check_host(request.headers()),
        _ => shared.guard.check(request.headers()),
    };
    if let Err(Refusal { status, reason }) = checked {
        shared.metrics.refused();
        let mut response = text(status, &format!("{reason}\n"));
        if status == StatusCode::UNAUTHORIZED {
            let scheme = header::HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
        }
        return Ok(response);
    }
    Ok(match (path, request.method()) {
        ("/mcp", _) => {
            let _place = shared.requests.acquire().await;
            shared.mcp.handle(request).await
        }
        ("/healthz", &Method::GET) => text(StatusCode::OK, "ok\n"),
        ("/metrics", &Method::GET) => {
            let is_full = shared.roots.project(None).is_ok_and(|project| project.is_full());
            let mut response = text(StatusCode::OK, &shared.metrics.render(is_full));
            let kind = header::HeaderValue::from_static(metrics::CONTENT_TYPE);
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
            response
        }
        ("/healthz" | "/metrics", _) => {
            let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "only GET\n");
            let allowed = header::HeaderValue::from_static("GET");
            response.headers_mut().insert(header::ALLOW, allowed);
            response
        }
        _ => text(StatusCode::NOT_FOUND, "there are /mcp, /healthz and /metrics\n"),
    })
}

fn text(status: StatusCode, body: &str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::copy_from_slice(body.as_bytes())).boxed());
    *response.status_mut() = status;
    let kind = header::HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
