//! Nodes for tests: an HTTP/2 server whose answers are scripts, and sockets that follow no protocol.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::Future as _;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response};
use hyper::body::{Body, Frame, Incoming};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio::time::{Sleep, sleep};
use tokio_rustls::TlsAcceptor;

/// A step of an answer.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Sends bytes.
    Data(Vec<u8>),
    /// Sends nothing for some time.
    Wait(Duration),
    /// Ends the answer well.
    Ok,
    /// Ends it with a status and its message.
    Status(u16, String),
    /// Closes the connection.
    Die,
}

/// Returns a message with the length that precedes it in gRPC.
pub(super) fn framed(message: &[u8]) -> Vec<u8> {
    let len = u32::try_from(message.len()).expect("short").to_be_bytes();
    [&[0], &len[..], message].concat()
}

type Answer = dyn Fn(&Request<Incoming>) -> Vec<Step> + Send + Sync;

/// A node on a port of its own. It ends with the value.
pub(super) struct Node {
    address: SocketAddr,
    scheme: &'static str,
    seen: Arc<Seen>,
    stop: Option<(oneshot::Sender<()>, thread::JoinHandle<()>)>,
}

#[derive(Default)]
struct Seen {
    connections: AtomicUsize,
    cancelled: AtomicUsize,
}

impl Node {
    /// Starts a node that answers each request with the steps that `answer` returns.
    pub(super) fn start(
        answer: impl Fn(&Request<Incoming>) -> Vec<Step> + Send + Sync + 'static,
    ) -> Node {
        Node::start_at(([127, 0, 0, 1], 0).into(), answer)
    }

    /// [`Node::start`] at an address.
    pub(super) fn start_at(
        address: SocketAddr,
        answer: impl Fn(&Request<Incoming>) -> Vec<Step> + Send + Sync + 'static,
    ) -> Node {
        Node::serve(address, Arc::new(answer), None)
    }

    /// [`Node::start`] with TLS; returns the certificate of its authority, too.
    pub(super) fn start_tls(
        answer: impl Fn(&Request<Incoming>) -> Vec<Step> + Send + Sync + 'static,
    ) -> (Node, String) {
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("made");
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
        let chain = vec![CertificateDer::from(made.cert.der().to_vec())];
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth();
        let mut config = config.with_single_cert(chain, key).expect("a certificate");
        config.alpn_protocols = vec![b"h2".to_vec()];
        let tls = TlsAcceptor::from(Arc::new(config));
        let address = ([127, 0, 0, 1], 0).into();
        (Node::serve(address, Arc::new(answer), Some(tls)), made.cert.pem())
    }

    /// Returns a node whose port nobody listens on.
    pub(super) fn refusing() -> Node {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound");
        Node { address, scheme: "http", seen: Arc::default(), stop: None }
    }

    fn serve(address: SocketAddr, answer: Arc<Answer>, tls: Option<TlsAcceptor>) -> Node {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let listener = runtime.block_on(tokio::net::TcpListener::bind(address)).expect("a port");
        let address = listener.local_addr().expect("bound");
        let (stop, stopped) = oneshot::channel();
        let seen = Arc::new(Seen::default());
        let scheme = if tls.is_some() { "https" } else { "http" };
        let counted = Arc::clone(&seen);
        let drive = move || {
            runtime.spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    counted.connections.fetch_add(1, Ordering::Relaxed);
                    let (answer, seen) = (Arc::clone(&answer), Arc::clone(&counted));
                    let tls = tls.clone();
                    tokio::spawn(async move {
                        match tls {
                            None => connection(stream, answer, seen).await,
                            Some(tls) => {
                                let Ok(stream) = tls.accept(stream).await else { return };
                                connection(stream, answer, seen).await;
                            }
                        }
                    });
                }
            });
            let _ = runtime.block_on(stopped);
        };
        Node { address, scheme, seen, stop: Some((stop, thread::spawn(drive))) }
    }

    pub(super) fn address(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    pub(super) fn socket(&self) -> SocketAddr {
        self.address
    }

    /// Returns the number of connections that were made.
    pub(super) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::Relaxed)
    }

    /// Waits until an answer that was not finished is no longer wanted.
    pub(super) fn wait_until_cancelled(&self) {
        let start = Instant::now();
        while self.seen.cancelled.load(Ordering::Relaxed) == 0 {
            assert!(start.elapsed() < Duration::from_secs(5), "the node is still asked");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.stop.take() {
            drop(stop);
            thread.join().expect("the node ends");
        }
    }
}

/// Returns a node that accepts connections and does `with` on each.
pub(super) fn raw(with: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> Node {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    let with = Arc::new(with);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let with = Arc::clone(&with);
            thread::spawn(move || stream.map(|mut stream| with(&mut stream)));
        }
    });
    Node { address, scheme: "http", seen: Arc::default(), stop: None }
}

async fn connection<S>(stream: S, answer: Arc<Answer>, seen: Arc<Seen>)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let abort: Arc<Mutex<Option<AbortHandle>>> = Arc::default();
    let to_abort = Arc::clone(&abort);
    let service = service_fn(move |request: Request<Incoming>| {
        let steps = VecDeque::from(answer(&request));
        let (abort, seen) = (Arc::clone(&to_abort), Arc::clone(&seen));
        let script = Script { steps, pause: None, abort, seen, is_ended: false };
        let response = Response::builder().header("content-type", "application/grpc");
        async move { Ok::<_, Infallible>(response.body(script).expect("a response")) }
    });
    let served =
        http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service);
    let task = tokio::spawn(async move { drop(served.await) });
    *abort.lock().expect("free") = Some(task.abort_handle());
    let _ = task.await;
}

/// The body of an answer.
struct Script {
    steps: VecDeque<Step>,
    pause: Option<Pin<Box<Sleep>>>,
    abort: Arc<Mutex<Option<AbortHandle>>>,
    seen: Arc<Seen>,
    is_ended: bool,
}

impl Body for Script {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if let Some(pause) = &mut self.pause {
            if pause.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            self.pause = None;
        }
        match self.steps.pop_front() {
            Some(Step::Data(bytes)) => Poll::Ready(Some(Ok(Frame::data(bytes.into())))),
            Some(Step::Wait(time)) => {
                self.pause = Some(Box::pin(sleep(time)));
                self.poll_frame(context)
            }
            Some(Step::Ok) => self.end(0, ""),
            Some(Step::Status(code, message)) => self.end(code, &message),
            Some(Step::Die) => {
                let abort = self.abort.lock().expect("free").take();
                abort.expect("served").abort();
                Poll::Pending
            }
            None => {
                self.is_ended = true;
                Poll::Ready(None)
            }
        }
    }
}

impl Script {
    fn end(&mut self, code: u16, message: &str) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.is_ended = true;
        let escaped: String = message
            .bytes()
            .map(|byte| match byte {
                b' '..=b'~' if byte != b'%' => char::from(byte).to_string(),
                _ => format!("%{byte:02X}"),
            })
            .collect();
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", HeaderValue::from(code));
        trailers.insert("grpc-message", escaped.parse().expect("a header"));
        Poll::Ready(Some(Ok(Frame::trailers(trailers))))
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        if !self.is_ended {
            self.seen.cancelled.fetch_add(1, Ordering::Relaxed);
        }
    }
}
