//! The transport over HTTP. Each request is a POST to `/mcp` that is answered independently, so
//! that there are no sessions that could expire while a client is idle. `/healthz` and `/metrics`
//! serve monitoring systems.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::metrics::{self, Metrics};
use super::roots::Roots;
use super::server::Server;
use super::site::{Body, Site};
use super::stdio::either;

mod body;
mod connections;
mod guard;

use connections::{Connection, Connections};
use guard::{Guard, Refusal};

/// The maximum number of concurrent requests; further ones wait.
const REQUESTS_MAX: usize = 64;

/// How long a client may take to send the head of a request, and how long it may be idle.
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

/// State shared by all connections.
struct Shared {
    mcp: StreamableHttpService<Server, NeverSessionManager>,
    requests: Semaphore,
    /// The memory of request bodies, in bytes.
    memory: Arc<Semaphore>,
    connections: Connections,
    guard: Guard,
    metrics: Arc<Metrics>,
    roots: Arc<Roots>,
    site: Option<Arc<dyn Site>>,
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
    site: Option<Arc<dyn Site>>,
    address: &Address,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().enable_io().build()?;
    // The guard checks host and origin, for all paths in the same way.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(body::REQUEST_BYTES_MAX)
        .disable_allowed_hosts();
    let manager = Arc::new(NeverSessionManager::default());
    let mcp = StreamableHttpService::new(move || Ok(server.clone()), manager, config);
    let (token, hosts) = (address.token.clone(), address.hosts.clone());
    let requests = Semaphore::new(REQUESTS_MAX);
    let memory = Arc::new(Semaphore::new(body::BODIES_BYTES_MAX));
    let connections = Connections::new();
    runtime.block_on(async {
        let listener = TcpListener::bind(address.listen).await?;
        let listening = listener.local_addr()?;
        let guard = Guard { token, hosts, port: listening.port() };
        let shared = Shared { mcp, requests, memory, connections, guard, metrics, roots, site };
        let shared = Arc::new(shared);
        ready(listening);
        loop {
            shared.connections.room().await;
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            };
            // Replies are small and must be sent without delay.
            let _ = stream.set_nodelay(true);
            tokio::spawn(serve(Arc::clone(&shared), stream));
            // Many connections may be waiting. Each must be read before others displace it.
            tokio::task::yield_now().await;
        }
    })
}

/// Serves a connection until it ends or is closed for another one.
async fn serve(shared: Arc<Shared>, stream: TcpStream) {
    let connection = shared.connections.add();
    let service = service_fn(|request| {
        let (shared, connection) = (Arc::clone(&shared), Arc::clone(&connection));
        answer(shared, connection, request)
    });
    let served = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE)
        .serve_connection(TokioIo::new(stream), service);
    match either(std::pin::pin!(served), std::pin::pin!(connection.closed())).await {
        Some(Ok(())) => {}
        Some(Err(error)) => log::debug!("a connection ended: {error}"),
        None => log::debug!("a connection without an authorised request was closed"),
    }
    shared.connections.remove(&connection);
}

async fn answer(
    shared: Arc<Shared>,
    connection: Arc<Connection>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let is_health_check = request.uri().path() == "/healthz";
    // The health check needs no token, but pages of other origins must not read it.
    let checked = if is_health_check {
        shared.guard.check_host(request.uri(), request.headers())
    } else {
        shared.guard.check(request.uri(), request.headers())
    };
    if let Err(refusal) = checked {
        shared.metrics.refused();
        body::discard(request.into_body()).await;
        return Ok(refused(refusal));
    }
    if is_health_check {
        let response = closing(health(&request));
        body::discard(request.into_body()).await;
        return Ok(response);
    }
    shared.connections.authorise(&connection).await;
    Ok(authorised(&shared, request).await)
}

/// Answers a request of a client that may use the server.
async fn authorised(shared: &Shared, request: Request<Incoming>) -> Response<Body> {
    match (request.uri().path(), request.method()) {
        ("/mcp", _) => {
            let (head, body) = request.into_parts();
            let body::Received { bytes, share } = match body::read(body, &shared.memory).await {
                Ok(received) => received,
                Err(refusal) => return refused(refusal),
            };
            let _place = shared.requests.acquire().await;
            let _share = share;
            shared.mcp.handle(Request::from_parts(head, Full::new(bytes))).await
        }
        ("/metrics", &Method::GET) => {
            let project = shared.roots.open_project(None).ok().flatten();
            let is_full = project.is_some_and(|project| project.is_full());
            let mut response = text(StatusCode::OK, &shared.metrics.render(is_full));
            let kind = HeaderValue::from_static(metrics::CONTENT_TYPE);
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
            response
        }
        ("/metrics", _) => use_get(),
        _ => {
            let Some(site) = &shared.site else {
                let valid = "unknown path; valid: /mcp, /healthz, /metrics\n";
                return text(StatusCode::NOT_FOUND, valid);
            };
            let (head, body) = request.into_parts();
            match body::read(body, &shared.memory).await {
                Ok(received) => {
                    site.answer(Request::from_parts(head, Full::new(received.bytes))).await
                }
                Err(refusal) => refused(refusal),
            }
        }
    }
}

fn health(request: &Request<Incoming>) -> Response<Body> {
    match *request.method() {
        Method::GET => text(StatusCode::OK, "ok\n"),
        _ => use_get(),
    }
}

fn use_get() -> Response<Body> {
    let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "use GET\n");
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET"));
    response
}

/// Returns the response to a refused request. The connection is closed.
fn refused(Refusal { status, reason }: Refusal) -> Response<Body> {
    let mut response = text(status, &format!("{reason}\n"));
    if status == StatusCode::UNAUTHORIZED {
        let scheme = HeaderValue::from_static("Bearer");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
    }
    closing(response)
}

/// Makes a response the last one of its connection.
fn closing(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

fn text(status: StatusCode, body: &str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::copy_from_slice(body.as_bytes())).boxed());
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
