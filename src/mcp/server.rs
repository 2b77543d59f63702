//! The server: dispatches messages and runs calls concurrently.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    self, CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode,
    InitializeRequestParams, InitializeResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ServerConfig,
};
use rmcp::service::{NotificationContext, Peer, RequestContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::Semaphore;

use super::Handle;
use super::call::{self, Format, ToolCall};
use super::project::Project;
use super::quiet::{QUIET, Quiet};
use super::roots::Roots;
use super::stdio::{Stdio, either};
use super::visit::Activity;
use super::{listing, toolset};
use crate::error::{Error, Kind};
use crate::tools::session::ProjectSelector;
use crate::tools::{Effect, Needs, Speed, Tool};

/// Concurrent calls in addition to one per processor, so that calls that wait for a disk do not
/// block others.
const CALLS_EXTRA: usize = 2;

/// How long a tool of [`Speed::Immediate`] may read the tree: with the reply, it stays below 50 ms.
const IMMEDIATE: Duration = Duration::from_millis(35);

/// The interval of progress notifications.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);

/// How long a client may take to name its directories.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(10);

/// The supported methods, to distinguish invalid parameters from an unknown method.
const METHODS: [&str; 4] = ["initialize", "tools/call", "tools/list", "server/discover"];

/// Called after each call of a tool, with its time and whether it failed; counts calls for `/metrics`.
pub(super) type OnCall = Box<dyn Fn(&Tool, Duration, bool) + Send + Sync>;

/// The server of one client. Clones share everything.
#[derive(Clone)]
pub(super) struct Server {
    roots: Arc<Roots>,
    tools: Arc<[&'static Tool]>,
    on_call: Arc<OnCall>,
    slots: Arc<Semaphore>,
    quiet: Arc<Quiet>,
}

impl Server {
    pub(super) fn new(
        roots: Arc<Roots>,
        tools: Vec<&'static Tool>,
        on_call: OnCall,
        threads: usize,
    ) -> Server {
        let slots = Arc::new(Semaphore::new(threads + CALLS_EXTRA));
        let quiet = Arc::new(Quiet::new(QUIET));
        Server { roots, tools: tools.into(), on_call: Arc::new(on_call), slots, quiet }
    }

    /// Serves until `input` ends or `output` is closed.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub(super) fn run(
        self,
        input: impl Read + Handle + Send + 'static,
        output: impl Write + Handle + Send + 'static,
    ) -> io::Result<()> {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().enable_io().build()?;
        let started = runtime.block_on(async {
            let transport = Stdio::start(input, output)?;
            // There is no handshake: the first message of a client may be of any kind.
            let running = rmcp::service::serve_directly(self, transport, None);
            // Whatever the result is, the client has disconnected.
            let _ = running.waiting().await;
            Ok(())
        });
        // Calls that are still running are not awaited; they end with the process.
        runtime.shutdown_background();
        started
    }

    /// Returns an offered tool.
    fn tool(&self, name: &str) -> Option<&'static Tool> {
        toolset::named(name, &self.tools)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        listing::about(&self.tools)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let answer = self.negotiate_initialize(&request)?;
        if self.roots.set_client_has_roots(request.capabilities.roots.is_some()) {
            // The response does not wait until the tree is open.
            let roots = Arc::clone(&self.roots);
            drop(tokio::task::spawn_blocking(move || roots.project(None)));
        }
        let mut client = request;
        client.protocol_version = answer.protocol_version.clone();
        context.peer.set_peer_info(client);
        Ok(answer)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.request_roots(&context.peer).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.request_roots(&context.peer).await;
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools.iter().map(|tool| listing::entry(tool, &self.tools));
        let mut listed = ListToolsResult::with_all_items(tools.collect());
        listed.meta = Some(listing::server_meta());
        Ok(listed)
    }

    fn get_tool(&self, name: &str) -> Option<model::Tool> {
        self.tool(name).map(|tool| listing::entry(tool, &self.tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tool(&request.name) else {
            return Err(ErrorData::invalid_params(
                toolset::unknown(&request.name, &self.tools),
                None,
            ));
        };
        let received_at = Instant::now();
        let arguments = request.arguments.unwrap_or_default();
        let format = Format::of(&arguments);
        let parsed = match ToolCall::new(tool, Arc::clone(&self.tools), arguments) {
            Ok(parsed) => parsed,
            Err(error) => return Ok(call::failed(&error, format).into()),
        };
        self.roots.wait_for_client().await;
        let home = match self.project(parsed.wanted()).await {
            // A tree on other machines needs none here.
            _ if self.roots.remote(parsed.wanted()).is_some() => None,
            Ok(home) => Some(home),
            // Projects can be listed and added even if there is none yet.
            Err(_) if tool.needs == Needs::Session && parsed.wanted().is_none() => None,
            Err(error) => return Ok(call::failed(&error, format).into()),
        };
        let cancelled = context.ct.clone();
        let activity = Arc::new(Activity::new());
        let is_too_late = Arc::new(AtomicBool::new(false));
        let immediate = home.clone().filter(|_| tool.speed == Speed::Immediate);
        let immediate = immediate.map(|home| (home, parsed.clone()));
        let work = {
            let (roots, home, activity) =
                (Arc::clone(&self.roots), home.clone(), Arc::clone(&activity));
            let (cancelled, is_too_late) = (cancelled.clone(), Arc::clone(&is_too_late));
            move || {
                let is_cancelled =
                    || cancelled.is_cancelled() || is_too_late.load(Ordering::Relaxed);
                parsed.answer(&roots, home.as_deref(), &activity, &is_cancelled)
            }
        };
        let answered = if let Some((home, parsed)) = immediate {
            // An immediate call takes no slot, so that calls that wait for a disk cannot delay it.
            match tokio::time::timeout(IMMEDIATE, tokio::task::spawn_blocking(work)).await {
                Ok(answered) => answered.ok(),
                Err(_) => {
                    is_too_late.store(true, Ordering::Relaxed);
                    Some(parsed.unchecked_status(&self.roots, &home))
                }
            }
        } else {
            let Some(answered) =
                self.in_thread(tool, home.as_deref(), &context, &activity, work).await
            else {
                let sentence = "the call was cancelled before it started".to_owned();
                return Ok(call::failed_with(sentence).into());
            };
            answered
        };
        self.quiet.call_ended();
        let is_failed = answered.as_ref().is_none_or(|result| result.is_error == Some(true));
        if !cancelled.is_cancelled() {
            (self.on_call)(tool, received_at.elapsed(), is_failed);
        }
        match answered {
            Some(result) => Ok(result.into()),
            // The panic hook has printed the panic on standard error.
            None => {
                let name = tool.name;
                let sentence = format!(
                    "internal error in `{name}` (a bug; please report it); other calls work, and this \
                     one may work with other arguments"
                );
                Ok(call::failed_with(sentence).into())
            }
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method: String = crate::base::text::plain(&request.method).chars().take(80).collect();
        if METHODS.contains(&request.method.as_str()) {
            let needs = match request.method.as_str() {
                "tools/call" => {
                    "a string `name` and an object `arguments`: \
                     {\"name\": \"codedb_find\", \"arguments\": {\"query\": \"main\"}}"
                }
                "initialize" => {
                    "`protocolVersion`, `capabilities` and `clientInfo` with `name` and `version`"
                }
                _ => "an object, or nothing",
            };
            let sentence = format!("invalid `params` of `{method}`; expected {needs}");
            return Err(ErrorData::invalid_params(sentence, None));
        }
        let sentence = format!("unknown method `{method}`; use `tools/call` to call tools");
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, sentence, None))
    }
}

impl Server {
    /// Runs the work of a call in a separate thread when a slot is free. Returns `None` if the call
    /// was cancelled before, `Some(None)` if the work panicked.
    async fn in_thread<T: Send + 'static>(
        &self,
        tool: &Tool,
        home: Option<&Project>,
        context: &RequestContext<RoleServer>,
        activity: &Activity,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<Option<T>> {
        let slot = async {
            if let Some(home) = home {
                settle(home, toolset::patience(tool), context).await;
            }
            match tool.effect {
                // Such a call takes no slot, because it mostly waits for the network or the index.
                Effect::Adds => Ok(None),
                Effect::ReadOnly | Effect::Records | Effect::Starts | Effect::Writes => {
                    Arc::clone(&self.slots).acquire_owned().await.map(Some)
                }
            }
        };
        let slot = {
            let (slot, gone) = (std::pin::pin!(slot), std::pin::pin!(context.ct.cancelled()));
            either(slot, gone).await?.ok()?
        };
        let answer = tokio::task::spawn_blocking(move || {
            let _slot = slot;
            work()
        });
        Some(match tool.effect {
            Effect::Adds => {
                let progress = std::pin::pin!(report_progress(context, || activity.state()));
                either(answer, progress).await.and_then(Result::ok)
            }
            Effect::ReadOnly | Effect::Records | Effect::Starts | Effect::Writes => {
                answer.await.ok()
            }
        })
    }

    /// Returns the requested project. Opens it in another thread, because that reads directories.
    async fn project(&self, wanted: Option<&ProjectSelector>) -> Result<Arc<Project>, Error> {
        if let Some(project) = self.roots.open_project(wanted)? {
            return Ok(project);
        }
        let (roots, wanted) = (Arc::clone(&self.roots), wanted.cloned());
        let opened = tokio::task::spawn_blocking(move || roots.project(wanted.as_ref())).await;
        opened.unwrap_or_else(|_| Err(Error::new(Kind::Io, "the project cannot be opened")))
    }

    /// Requests the client's directories if it supports that and the user named no tree.
    #[expect(deprecated, reason = "clients of the era with `initialize` name their folders so")]
    async fn request_roots(&self, peer: &Peer<RoleServer>) {
        let has_roots = peer.peer_info().is_some_and(|client| client.capabilities.roots.is_some());
        if !has_roots || !self.roots.requests_client_roots() {
            return;
        }
        let listed = tokio::time::timeout(ROOTS_TIMEOUT, peer.list_roots()).await;
        let named = match listed {
            Ok(Ok(named)) => named.roots,
            _ => Vec::new(),
        };
        // Before the next message of the client is handled.
        self.roots.begin_naming();
        let roots = Arc::clone(&self.roots);
        // A panic was printed by its hook; the next call opens the default tree.
        let _ = tokio::task::spawn_blocking(move || {
            roots.client_named(named.iter().map(|root| root.uri.as_str()));
        })
        .await;
    }
}

/// Waits for the index within the tool's patience, and reports progress if the client passed a
/// token.
async fn settle(project: &Project, patience: Duration, context: &RequestContext<RoleServer>) {
    if project.is_full() || patience.is_zero() {
        return;
    }
    let settled = std::pin::pin!(project.settle(patience));
    let progress = std::pin::pin!(report_progress(context, || {
        let (done, total) = project.counts();
        (done, total, project.progress_message())
    }));
    either(settled, progress).await;
}

/// Sends progress notifications at an interval if the client passed a token: files done, the total,
/// and a message.
async fn report_progress(
    context: &RequestContext<RoleServer>,
    state: impl Fn() -> (u64, u64, Option<String>),
) {
    let Some(token) = context.meta.get_progress_token() else {
        return std::future::pending().await;
    };
    let mut last = 0;
    loop {
        tokio::time::sleep(PROGRESS_INTERVAL).await;
        let (done, total, message) = state();
        // Progress must not decrease, although each stage counts from 0.
        last = done.max(last + 1);
        let mut progress = ProgressNotificationParam::new(token.clone(), last as f64);
        if last <= total {
            progress = progress.with_total(total as f64);
        }
        progress.message = message;
        if context.peer.notify_progress(progress).await.is_err() {
            return std::future::pending().await;
        }
    }
}
