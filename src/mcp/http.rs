//! The transport over HTTP. Each request is a POST to `/mcp` that is answered independently, so
//! that there are no sessions that could expire while a client is idle. `/healthz` and `/metrics`
//! serve monitoring systems.

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

/// The maximum number of concurrent connections; further ones wait.
const CONNECTIONS_MAX: usize = 256;

/// The maximum number of concurrent requests; further ones wait and are not read.
const REQUESTS_MAX: usize = 64;

/// The maximum size of a request in bytes: enough for a diff of 1 MiB with JSON escapes.
const REQUEST_BYTES_MAX: usize = 4 << 20;

/// How long a client may take to send the head of a request.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait before the next attempt if the system has no descriptor for a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The address and access control of a server.
#[derive(Clone, Debug)]
pub struct Address {
    /// The address to listen on; port 0 selects a free one.
    pub listen: SocketAddr,
    /// The token that requests must contain, if any.
    pub token: Option<String>,
    /// Accepted host names in addition to the loopback names.
    pub hosts: Vec<String>,
}

type Body = BoxBody<Bytes, Infallible>;

/// State shared by all connections.
struct Shared {
    mcp: StreamableHttpService<Server, NeverSessionManager>,
    requests: Semaphore,
    guard: Guard,
    metrics: Arc<Metrics>,
    roots: Arc<Roots>,
}

/// Serves forever; calls `ready` with the address once clients can connect.
///
/// # Errors
///
/// If the server cannot listen on the address, or no thread can be started.
pub(super) fn run(
    server: Server,
    roots: Arc<Roots>,
    metrics: Arc<Metrics>,
    address: &Address,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().enable_io().build()?;
    // The guard checks host and origin, for all paths in the same way.
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
            // Replies are small and must be sent without delay.
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
    // The health check needs no token, but pages of other origins must not read it.
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
            let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "use GET\n");
            let allowed = header::HeaderValue::from_static("GET");
            response.headers_mut().insert(header::ALLOW, allowed);
            response
        }
        _ => text(StatusCode::NOT_FOUND, "unknown path; valid: /mcp, /healthz, /metrics\n"),
    })
}

fn text(status: StatusCode, body: &str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::copy_from_slice(body.as_bytes())).boxed());
    *response.status_mut() = status;
    let kind = header::HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
