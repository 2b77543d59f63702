//! The lower bound of the servers' round trips: an MCP server with rmcp's own transport. Its only
//! tool immediately returns the requested number of bytes. benches/clients/latency.py starts it
//! with `--serve`.

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServiceExt};
use serde_json::{Map, Value};

struct Floor {
    text: String,
}

/// The maximum number of bytes of a reply.
const BYTES_MAX: usize = 1 << 20;

impl ServerHandler for Floor {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema: Map<String, Value> = Map::from_iter([("type".to_owned(), "object".into())]);
        Ok(ListToolsResult::with_all_items(vec![Tool::new("constant", "constant", schema)]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let bytes = request.arguments.and_then(|given| given.get("bytes").and_then(Value::as_u64));
        let bytes = bytes.map_or(0, |bytes| (bytes as usize).min(BYTES_MAX));
        let text = ContentBlock::text(&self.text[..bytes]);
        Ok(CallToolResult::success(vec![text]).into())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // `cargo bench` starts every bench; this one does nothing by itself.
    if !std::env::args().any(|arg| arg == "--serve") {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let floor = Floor { text: "x".repeat(BYTES_MAX) };
        floor.serve(rmcp::transport::stdio()).await?.waiting().await?;
        Ok(())
    })
}
