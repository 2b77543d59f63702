//! The connection to a node: HTTP/2 over TCP, with TLS if its address says so, kept between calls.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Frame, Incoming, SizeHint};
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
use tonic::{Request, Status, Streaming};
use url::Host;

use super::codec::{Bounded, Budget, Reading, Response, Unread};
use super::failure;
use super::secret::Secret;
use crate::fleet::config::Node;

/// How often a connection is tested, also between calls, and how long the answer may take. A server that
/// finds this too often closes the connection, and the next call makes another one.
const PING_INTERVAL: Duration = Duration::from_secs(30);
const PING_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection. Clones share it.
#[derive(Clone)]
struct Connection {
    sender: SendRequest<Body>,
    /// Why it ended, as the end of a sentence. Requests on it know only that it did.
    broken: Arc<OnceLock<String>>,
}

/// The answer of a node, message by message.
pub(super) struct Answer<A> {
    messages: Streaming<Reading<A>>,
    unread: Unread,
    broken: Arc<OnceLock<String>>,
}

/// A node with its connection.
pub(super) struct Endpoint {
    pub(super) node: Node,
    origin: http::Uri,
    connect_timeout: Duration,
    tls: Option<TlsConnector>,
    authorization: Option<MetadataValue<Ascii>>,
    pub(super) token: Option<Secret>,
    kept: Mutex<Option<Connection>>,
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

    /// Sends a request and returns the answer when it begins. A request that fails because the kept
    /// connection had been closed is sent once more.
    ///
    /// # Errors
    ///
    /// The end of a sentence that begins with the node.
    pub(super) async fn call<Q, A>(
        &self,
        method: &'static str,
        message: Q,
        budget: &Arc<Budget>,
    ) -> Result<Answer<A>, String>
    where
        Q: prost::Message + Clone + 'static,
        A: Response,
    {
        if let Some(connection) = self.kept() {
            match self.send(&connection, method, message.clone(), budget).await {
                Err(status) if failure::is_of_connection(&status) => {}
                answer => {
                    return answer.map_err(|status| self.why(&status, &connection.broken, budget));
                }
            }
        }
        let connection = self.connect().await?;
        let answer = self.send(&connection, method, message, budget).await;
        answer.map_err(|status| self.why(&status, &connection.broken, budget))
    }

    /// Returns the next message of an answer, `None` at its end.
    ///
    /// # Errors
    ///
    /// The end of a sentence that begins with the node.
    pub(super) async fn next<A>(
        &self,
        answer: &mut Answer<A>,
        budget: &Budget,
    ) -> Result<Option<Reading<A>>, String> {
        match answer.messages.message().await {
            Ok(None) if !answer.unread.is_none() => Err(failure::half_a_message()),
            Ok(message) => Ok(message),
            Err(status) => Err(self.why(&status, &answer.broken, budget)),
        }
    }

    fn why(&self, status: &Status, broken: &OnceLock<String>, budget: &Budget) -> String {
        match broken.get() {
            Some(why) if failure::is_of_connection(status) => why.clone(),
            _ => failure::of_status(status, budget.whole(), self.token.as_ref()),
        }
    }

    async fn send<Q, A>(
        &self,
        connection: &Connection,
        method: &'static str,
        message: Q,
        budget: &Arc<Budget>,
    ) -> Result<Answer<A>, Status>
    where
        Q: prost::Message + 'static,
        A: Response,
    {
        let mut request = Request::new(message);
        if let Some(authorization) = &self.authorization {
            request.metadata_mut().insert("authorization", authorization.clone());
        }
        let unread = Unread::default();
        let channel = Channel { sender: connection.sender.clone(), unread: unread.clone() };
        let mut grpc = Grpc::with_origin(channel, self.origin.clone())
            .max_decoding_message_size(budget.whole());
        let path = http::uri::PathAndQuery::from_static(method);
        let answer =
            grpc.server_streaming(request, path, Bounded::<Q, A>::new(budget, &unread)).await?;
        let broken = Arc::clone(&connection.broken);
        Ok(Answer { messages: answer.into_inner(), unread, broken })
    }

    /// Returns the kept connection, if it is usable.
    fn kept(&self) -> Option<Connection> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|kept| !kept.sender.is_closed()).cloned()
    }

    /// Forgets the kept connection, so that the next call makes another one.
    pub(super) fn forget(&self) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Makes a connection and keeps it.
    async fn connect(&self) -> Result<Connection, String> {
        let ms = self.connect_timeout.as_millis();
        let connection = timeout(self.connect_timeout, self.connect_unbounded()).await;
        let connection = connection.map_err(|_| format!("made no connection within {ms} ms"))??;
        let kept = Some(connection.clone());
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = kept;
        Ok(connection)
    }

    async fn connect_unbounded(&self) -> Result<Connection, String> {
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

async fn handshake<S>(stream: S) -> Result<Connection, String>
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
    let broken = Arc::new(OnceLock::new());
    let reason = Arc::clone(&broken);
    tokio::spawn(async move {
        let end = connection.await.err();
        if let Some(why) = end.and_then(|error| failure::of_connection(&error)) {
            // This task alone sets it.
            let _ = reason.set(why);
        }
    });
    Ok(Connection { sender, broken })
}

/// The connection as tonic calls it.
struct Channel {
    sender: SendRequest<Body>,
    unread: Unread,
}

impl GrpcService<Body> for Channel {
    type ResponseBody = Counted;
    type Error = hyper::Error;
    type Future = Pin<Box<dyn Future<Output = hyper::Result<http::Response<Counted>>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<hyper::Result<()>> {
        self.sender.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let unread = self.unread.clone();
        let response = self.sender.send_request(request);
        Box::pin(async move { Ok(response.await?.map(|body| Counted { body, unread })) })
    }
}

/// The body of a response, whose bytes are counted as they arrive.
struct Counted {
    body: Incoming,
    unread: Unread,
}

impl hyper::body::Body for Counted {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if let Some(Ok(frame)) = &frame
            && let Some(bytes) = frame.data_ref()
        {
            self.unread.add(bytes.len());
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
