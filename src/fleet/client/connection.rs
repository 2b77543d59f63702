//! The connection to a node: HTTP/2 over TCP, with TLS if its address says so, kept between calls.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tonic::body::Body;
use tonic::client::{Grpc, GrpcService};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::{Request, Streaming};
use url::Host;

use super::codec::{Bounded, Budget, Reading, Response};
use super::failure;
use super::secret::Secret;
use crate::fleet::config::Node;

/// How often a connection is tested while it is used, and how long the answer may take.
const PING_INTERVAL: Duration = Duration::from_secs(10);
const PING_TIMEOUT: Duration = Duration::from_secs(5);

/// A node with its connection.
pub(super) struct Endpoint {
    pub(super) node: Node,
    origin: http::Uri,
    connect_timeout: Duration,
    tls: Option<TlsConnector>,
    authorization: Option<MetadataValue<Ascii>>,
    pub(super) token: Option<Secret>,
    kept: Mutex<Option<SendRequest<Body>>>,
}

impl Endpoint {
    /// Returns the endpoint of a node. Nothing is sent yet.
    pub(super) fn new(
        node: Node,
        connect_timeout: Duration,
        tls: Option<TlsConnector>,
        token: Option<(&Secret, &MetadataValue<Ascii>)>,
    ) -> Endpoint {
        let address = node.address.as_str().trim_end_matches('/');
        // The configuration accepts no address without a host, or with anything after the port.
        let origin = address.parse().unwrap_or_default();
        let (token, authorization) = token.map(|(a, b)| (a.clone(), b.clone())).unzip();
        let kept = Mutex::new(None);
        Endpoint { node, origin, connect_timeout, tls, authorization, token, kept }
    }

    /// Sends a request and returns the stream of the answer's messages. A request that fails because
    /// the kept connection had been closed is sent once more.
    ///
    /// # Errors
    ///
    /// The end of a sentence that begins with the node.
    pub(super) async fn call<Q, A>(
        &self,
        method: &'static str,
        message: Q,
        budget: &Arc<Budget>,
    ) -> Result<Streaming<Reading<A>>, String>
    where
        Q: prost::Message + Clone + 'static,
        A: Response,
    {
        let kept = self.kept();
        let is_kept = kept.is_some();
        let connection = match kept {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        match self.send(connection, method, message.clone(), budget).await {
            Err(status) if is_kept && failure::is_of_connection(&status) => {
                let connection = self.connect().await?;
                self.send(connection, method, message, budget).await
            }
            answer => answer,
        }
        .map_err(|status| failure::of_status(&status, budget.whole(), self.token.as_ref()))
    }

    async fn send<Q, A>(
        &self,
        connection: SendRequest<Body>,
        method: &'static str,
        message: Q,
        budget: &Arc<Budget>,
    ) -> Result<Streaming<Reading<A>>, tonic::Status>
    where
        Q: prost::Message + 'static,
        A: Response,
    {
        let mut request = Request::new(message);
        if let Some(authorization) = &self.authorization {
            request.metadata_mut().insert("authorization", authorization.clone());
        }
        let mut grpc = Grpc::with_origin(Channel(connection), self.origin.clone())
            .max_decoding_message_size(budget.whole());
        let path = http::uri::PathAndQuery::from_static(method);
        let answer = grpc.server_streaming(request, path, Bounded::<Q, A>::new(budget)).await?;
        Ok(answer.into_inner())
    }

    /// Returns the kept connection, if it is usable.
    fn kept(&self) -> Option<SendRequest<Body>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|connection| !connection.is_closed()).cloned()
    }

    /// Forgets the kept connection, so that the next call makes another one.
    pub(super) fn forget(&self) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Makes a connection and keeps it.
    async fn connect(&self) -> Result<SendRequest<Body>, String> {
        let ms = self.connect_timeout.as_millis();
        let connection = timeout(self.connect_timeout, self.connect_unbounded()).await;
        let connection = connection.map_err(|_| format!("made no connection within {ms} ms"))??;
        let kept = Some(connection.clone());
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = kept;
        Ok(connection)
    }

    async fn connect_unbounded(&self) -> Result<SendRequest<Body>, String> {
        let address = &self.node.address;
        let port = address.port_or_known_default().unwrap_or_default();
        let (tcp, name) = match address.host() {
            Some(Host::Ipv4(ip)) => (TcpStream::connect((ip, port)).await, Some(ip.into())),
            Some(Host::Ipv6(ip)) => (TcpStream::connect((ip, port)).await, Some(ip.into())),
            Some(Host::Domain(host)) => {
                let name = ServerName::try_from(host.to_owned()).ok();
                (TcpStream::connect((host, port)).await, name)
            }
            None => return Err("has an address without a host".to_owned()),
        };
        let tcp = tcp.map_err(|error| failure::of_connecting(&error))?;
        // Requests are small, so they are sent at once; without this, they are only slower.
        let _ = tcp.set_nodelay(true);
        let Some(tls) = &self.tls else { return handshake(tcp).await };
        let name = name.ok_or("has an address that is no name of a server")?;
        let stream = tls.connect(name, tcp).await.map_err(|error| failure::of_tls(&error))?;
        handshake(stream).await
    }
}

async fn handshake<S>(stream: S) -> Result<SendRequest<Body>, String>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (sender, connection) = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PING_TIMEOUT)
        .keep_alive_while_idle(true)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(|error| failure::of_connection(&error).unwrap_or_else(|| error.to_string()))?;
    // It ends with the connection, whose errors the requests on it return.
    tokio::spawn(async move { drop(connection.await) });
    Ok(sender)
}

/// The connection as tonic calls it.
struct Channel(SendRequest<Body>);

impl GrpcService<Body> for Channel {
    type ResponseBody = Incoming;
    type Error = hyper::Error;
    type Future = Pin<Box<dyn Future<Output = hyper::Result<http::Response<Incoming>>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<hyper::Result<()>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        Box::pin(self.0.send_request(request))
    }
}
