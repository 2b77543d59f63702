//! The server: what it answers to each message, and how calls run beside each other.

use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
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
use super::call::{self, Question};
use super::metrics::Metrics;
use super::project::Project;
use super::roots::Roots;
use super::stdio::{Stdio, either};
use super::visit::Doing;
use super::{listing, toolset};
use crate::tools::{Effect, Needs, Speed, Tool};

/// Calls that run at once beside one for each processor, so that those that wait for a disk hold up
/// no others.
const CALLS_BESIDE: usize = 2;

/// How long the last call of a tool that looks something up took at the most where the next one is answered
/// by the thread that reads requests, which hears nothing else meanwhile.
const QUICK: Duration = Duration::from_millis(1);

/// How long a tool of [`Speed::Immediate`] may read the tree: with the reply, it stays below 50 ms.
const IMMEDIATE: Duration = Duration::from_millis(35);

/// How often a caller that waits for the index is told how far it is.
const TELLING: Duration = Duration::from_millis(250);

/// How long a client may take to name its folders.
const NAMING: Duration = Duration::from_secs(10);

/// Methods that are known, for a request whose parameters are wrong rather than its name.
const METHODS: [&str; 4] = ["initialize", "tools/call", "tools/list", "server/discover"];

/// The server of one client; clones share everything.
#[derive(Clone)]
pub(super) struct Server {
    roots: Arc<Roots>,
    tools: Arc<[&'static Tool]>,
    /// Whether the last call of each was quick.
    quick: Arc<[AtomicBool]>,
    metrics: Arc<Metrics>,
    slots: Arc<Semaphore>,
}

impl Server {
    pub(super) fn new(
        roots: Arc<Roots>,
        tools: Vec<&'static Tool>,
        metrics: Arc<Metrics>,
        threads: usize,
    ) -> Server {
        let slots = Arc::new(Semaphore::new(threads + CALLS_BESIDE));
        let quick = tools.iter().map(|_| AtomicBool::new(false)).collect();
        Server { roots, tools: tools.into(), quick, metrics, slots }
    }

    /// Serves until `input` ends or `output` is closed.
    ///
    /// # Errors
    ///
    /// If the system grants no threads.
    pub(super) fn run(
        self,
        input: impl Read + Handle + Send + 'static,
        output: impl Write + Handle + Send + 'static,
    ) -> io::Result<()> {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().enable_io().build()?;
        let started = runtime.block_on(async {
            let transport = Stdio::start(input, output)?;
            // Without a handshake of its own: a client may say anything first, and is answered.
            let running = rmcp::service::serve_directly(self, transport, None);
            // However it ends, the client is gone.
            let _ = running.waiting().await;
            Ok(())
        });
        // A call that is still running ends with the process.
        runtime.shutdown_background();
        started
    }

    /// Returns a tool that is offered, and whether its last call was quick.
    fn tool(&self, name: &str) -> Option<(&'static Tool, &AtomicBool)> {
        let mut all = self.tools.iter().zip(&*self.quick);
        all.find(|(tool, _)| tool.name == name).map(|(tool, quick)| (*tool, quick))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        listing::about()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let answer = self.negotiate_initialize(&request)?;
        if self.roots.is_known_if(request.capabilities.roots.is_some()) {
            // The answer does not wait for it.
            let roots = Arc::clone(&self.roots);
            drop(tokio::task::spawn_blocking(move || roots.project(None)));
        }
        let mut client = request;
        client.protocol_version = answer.protocol_version.clone();
        context.peer.set_peer_info(client);
        Ok(answer)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.ask_for_roots(&context.peer).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.ask_for_roots(&context.peer).await;
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            self.tools.iter().map(|tool| listing::entry(tool)).collect(),
        ))
    }

    fn get_tool(&self, name: &str) -> Option<model::Tool> {
        self.tool(name).map(|(tool, _)| listing::entry(tool))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some((tool, was_quick)) = self.tool(&request.name) else {
            return Err(ErrorData::invalid_params(
                toolset::unknown(&request.name, &self.tools),
                None,
            ));
        };
        let asked_at = Instant::now();
        let question = match Question::new(tool, request.arguments.unwrap_or_default()) {
            Ok(question) => question,
            Err(error) => return Ok(call::failed(call::sentence(&error)).into()),
        };
        self.roots.known().await;
        let home = match self.roots.project(question.wanted()) {
            Ok(home) => Some(home),
            // Projects can be listed and added where none is there yet.
            Err(_) if tool.needs == Needs::Session && question.wanted().is_none() => None,
            Err(error) => return Ok(call::failed(call::sentence(&error)).into()),
        };
        let cancelled = context.ct.clone();
        let doing = Arc::new(Doing::new());
        let is_too_late = Arc::new(AtomicBool::new(false));
        let immediate = home.clone().filter(|_| tool.speed == Speed::Immediate);
        let immediate = immediate.map(|home| (home, question.clone()));
        let work = {
            let (roots, home, doing) = (Arc::clone(&self.roots), home.clone(), Arc::clone(&doing));
            let (cancelled, is_too_late) = (cancelled.clone(), Arc::clone(&is_too_late));
            move || {
                let began = Instant::now();
                let is_cancelled =
                    || cancelled.is_cancelled() || is_too_late.load(Ordering::Relaxed);
                let result = question.answer(&roots, home.as_deref(), &doing, &is_cancelled);
                (result, began.elapsed() <= QUICK)
            }
        };
        // To hand a call to another thread and back takes longer than most look-ups.
        let is_at_rest = |home: &Arc<Project>| home.is_full() && home.engine().is_settled();
        let is_quick = tool.speed != Speed::Scan && was_quick.load(Ordering::Relaxed);
        let answered = if is_quick && home.as_ref().is_some_and(is_at_rest) {
            catch_unwind(AssertUnwindSafe(work)).ok()
        } else if let Some((home, question)) = immediate {
            // It takes no slot: calls that wait for a disk must not hold it up.
            match tokio::time::timeout(IMMEDIATE, tokio::task::spawn_blocking(work)).await {
                Ok(answered) => answered.ok(),
                Err(_) => {
                    is_too_late.store(true, Ordering::Relaxed);
                    Some((question.at_hand(&self.roots, &home), false))
                }
            }
        } else {
            let Some(answered) = self.beside(tool, home.as_deref(), &context, &doing, work).await
            else {
                let sentence = "the call was cancelled before its turn came".to_owned();
                return Ok(call::failed(sentence).into());
            };
            answered
        };
        let answered = answered.map(|(result, is_quick)| {
            was_quick.store(is_quick, Ordering::Relaxed);
            result
        });
        let is_failed = answered.as_ref().is_none_or(|result| result.is_error == Some(true));
        if !cancelled.is_cancelled() {
            self.metrics.called(tool, asked_at.elapsed(), is_failed);
        }
        match answered {
            Some(result) => Ok(result.into()),
            // The panic itself was told on standard error.
            None => {
                let name = tool.name;
                let sentence = format!(
                    "`{name}` failed on this by a fault of its own; other calls work, and so may \
                     this one with other arguments"
                );
                Ok(call::failed(sentence).into())
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
                    "a `name`, which is a string, and `arguments`, which is an object: \
                     {\"name\": \"codedb_find\", \"arguments\": {\"query\": \"main\"}}"
                }
                "initialize" => {
                    "`protocolVersion`, `capabilities` and `clientInfo` with `name` and `version`"
                }
                _ => "an object, or nothing",
            };
            let sentence = format!("the `params` of `{method}` cannot be read; they have {needs}");
            return Err(ErrorData::invalid_params(sentence, None));
        }
        let sentence = format!("there is no method `{method}`; tools are called by `tools/call`");
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, sentence, None))
    }
}

impl Server {
    /// Does the work of a call in a thread of its own, once it is its turn: `None` if the call was cancelled
    /// before, `Some(None)` if the work panicked.
    async fn beside<T: Send + 'static>(
        &self,
        tool: &Tool,
        home: Option<&Project>,
        context: &RequestContext<RoleServer>,
        doing: &Doing,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<Option<T>> {
        let slot = async {
            if let Some(home) = home {
                settle(home, toolset::patience(tool), context).await;
            }
            match tool.effect {
                // It waits for others more than it works.
                Effect::Adds => Ok(None),
                Effect::ReadOnly | Effect::Writes => {
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
                let telling = std::pin::pin!(tell(context, || doing.told()));
                either(answer, telling).await.and_then(Result::ok)
            }
            Effect::ReadOnly | Effect::Writes => answer.await.ok(),
        })
    }

    /// Asks the client for its folders, where it has some and nobody else named the tree.
    #[expect(deprecated, reason = "clients of the era with `initialize` name their folders so")]
    async fn ask_for_roots(&self, peer: &Peer<RoleServer>) {
        let has_roots = peer.peer_info().is_some_and(|client| client.capabilities.roots.is_some());
        if !has_roots || !self.roots.wants_names() {
            return;
        }
        let asked = tokio::time::timeout(NAMING, peer.list_roots()).await;
        let named = match asked {
            Ok(Ok(named)) => named.roots,
            _ => Vec::new(),
        };
        self.roots.client_named(named.iter().map(|root| root.uri.as_str()));
    }
}

/// Waits for the index as long as the tool may, and tells who gave a token how far it is.
async fn settle(project: &Project, patience: Duration, context: &RequestContext<RoleServer>) {
    if project.is_full() || patience.is_zero() {
        return;
    }
    let settled = std::pin::pin!(project.settle(patience));
    let telling = std::pin::pin!(tell(context, || {
        let (done, total) = project.counts();
        (done, total, project.how_far())
    }));
    either(settled, telling).await;
}

/// Tells who gave a token how far a call is, again and again: files done and in all, and words.
async fn tell(context: &RequestContext<RoleServer>, told: impl Fn() -> (u64, u64, Option<String>)) {
    let Some(token) = context.meta.get_progress_token() else {
        return std::future::pending().await;
    };
    let mut last = 0;
    loop {
        tokio::time::sleep(TELLING).await;
        let (done, total, words) = told();
        // Progress never goes back, though each stage counts anew.
        last = done.max(last + 1);
        let mut progress = ProgressNotificationParam::new(token.clone(), last as f64);
        if last <= total {
            progress = progress.with_total(total as f64);
        }
        progress.message = words;
        if context.peer.notify_progress(progress).await.is_err() {
            return std::future::pending().await;
        }
    }
}
