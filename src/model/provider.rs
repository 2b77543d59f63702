//! [`Provider`]: the service to which requests go, the key, and the limits.

use std::fmt;
use std::time::Duration;

use url::{Host, Url};

use crate::base::text;
use crate::error::{Error, Result};

/// The variables of the configuration.
const PROVIDER: &str = "CODEDB_MODEL_PROVIDER";
const MODEL: &str = "CODEDB_MODEL";
const URL: &str = "CODEDB_MODEL_URL";
const KEY: &str = "CODEDB_MODEL_KEY";
const TIMEOUT: &str = "CODEDB_MODEL_TIMEOUT";
const MAX_TOKENS: &str = "CODEDB_MODEL_MAX_TOKENS";

/// The maximum length of a key in bytes.
const KEY_BYTES_MAX: usize = 8192;

/// The maximum length of the name of a model in bytes.
const MODEL_BYTES_MAX: usize = 256;

/// The values that [`TIMEOUT`] may have, in seconds.
const TIMEOUT_S: std::ops::RangeInclusive<u64> = 1..=3600;

/// The values that [`MAX_TOKENS`] may have.
const TOKENS: std::ops::RangeInclusive<u64> = 1..=1_000_000;

/// A wire protocol.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Protocol {
    /// Anthropic's Messages.
    Anthropic,
    /// OpenAI's chat completions, which many services and local servers implement.
    OpenAi,
}

impl Protocol {
    /// Returns the name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Anthropic => "anthropic",
            Protocol::OpenAi => "openai",
        }
    }

    /// Returns the host of the service that defined the protocol.
    fn own_host(self) -> &'static str {
        match self {
            Protocol::Anthropic => "api.anthropic.com",
            Protocol::OpenAi => "api.openai.com",
        }
    }

    /// Returns the variable in which other programs look for the key of that service.
    fn own_key(self) -> &'static str {
        match self {
            Protocol::Anthropic => "ANTHROPIC_API_KEY",
            Protocol::OpenAi => "OPENAI_API_KEY",
        }
    }

    /// Returns the part of the path that follows the version.
    fn method(self) -> &'static str {
        match self {
            Protocol::Anthropic => "messages",
            Protocol::OpenAi => "chat/completions",
        }
    }
}

/// The limits of a conversation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limits {
    /// The time limit of one HTTP request, from the connection to the last byte of the reply.
    pub attempt: Duration,
    /// The time limit of the whole conversation, from the first request on, with all retries.
    pub total: Duration,
    /// The maximum number of HTTP requests for one reply, at least 1.
    pub attempts_max: u32,
    /// The maximum number of tokens of one reply, which the service enforces.
    pub tokens_max: u32,
    /// The maximum length of a request in bytes.
    pub request_bytes_max: usize,
    /// The maximum length of a reply in bytes, after decompression.
    pub reply_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            attempt: Duration::from_secs(60),
            total: Duration::from_secs(180),
            attempts_max: 4,
            tokens_max: 4096,
            request_bytes_max: 4 << 20,
            reply_bytes_max: 8 << 20,
        }
    }
}

/// A service, the name of the model, and the key. `Debug` hides the key.
#[derive(Clone, Debug)]
pub struct Provider {
    protocol: Protocol,
    endpoint: Url,
    host: String,
    model: String,
    key: Option<Key>,
    limits: Limits,
}

impl Provider {
    /// Returns the provider of `model` at the base address `url`, or of the service that defined
    /// the protocol. `v1/messages` or `v1/chat/completions` is appended as far as it is missing.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`](crate::error::Kind::Usage), with the variable of the configuration: if the
    /// address is neither https nor http on a loopback address, or contains credentials; if the key
    /// cannot be a header; if a key is missing where one is required, which is everywhere except on
    /// loopback addresses and for OpenAI's protocol at an explicit `url`.
    pub fn new(
        protocol: Protocol,
        url: Option<&str>,
        model: &str,
        key: Option<&str>,
    ) -> Result<Provider> {
        let model = model.trim();
        if model.is_empty() || model.len() > MODEL_BYTES_MAX || model.chars().any(text::is_unsafe) {
            return Err(Error::usage(format!(
                "`{MODEL}` must be the name of a model of 1 to {MODEL_BYTES_MAX} bytes"
            )));
        }
        let endpoint = endpoint(protocol, url)?;
        let key = key.map(Key::new).transpose()?;
        let needs_key = match protocol {
            Protocol::Anthropic => !is_loopback(&endpoint),
            Protocol::OpenAi => url.is_none(),
        };
        if key.is_none() && needs_key {
            return Err(Error::usage(format!(
                "the model provider `{}` needs a key",
                protocol.name()
            ))
            .with_hint(format!("set `{KEY}`")));
        }
        let host = endpoint.host_str().unwrap_or_default();
        let host = match endpoint.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        let model = model.to_owned();
        Ok(Provider { protocol, endpoint, host, model, key, limits: Limits::default() })
    }

    /// Returns the configured provider, or `None` without one. `get` returns the value of an
    /// environment variable; empty ones count as missing. docs/model.md lists the variables.
    ///
    /// The key of a service (`ANTHROPIC_API_KEY`, `OPENAI_API_KEY`) is used only if that service
    /// was chosen by name and is at its own address.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`](crate::error::Kind::Usage) if the configuration is incomplete or invalid.
    pub fn from_environment(get: &dyn Fn(&str) -> Option<String>) -> Result<Option<Provider>> {
        let get = |name: &str| get(name).filter(|value| !value.trim().is_empty());
        let (model, url) = (get(MODEL), get(URL));
        let Some(name) = get(PROVIDER) else {
            let given = match (&model, &url) {
                (Some(_), _) => MODEL,
                (None, Some(_)) => URL,
                (None, None) => return Ok(None),
            };
            return Err(Error::usage(format!("`{given}` is set without `{PROVIDER}`"))
                .with_hint(format!("set `{PROVIDER}` to `anthropic` or `openai`")));
        };
        let protocol = match name.trim().to_ascii_lowercase().as_str() {
            "anthropic" => Protocol::Anthropic,
            "openai" => Protocol::OpenAi,
            _ => {
                let name = text::plain(text::start(&name, 40));
                return Err(Error::usage(format!("`{PROVIDER}` is `{name}`")).with_hint(
                    "use `anthropic`, or `openai` for every service with OpenAI's protocol",
                ));
            }
        };
        let Some(model) = model else {
            return Err(Error::usage(format!("`{PROVIDER}` is set without `{MODEL}`"))
                .with_hint(format!("set `{MODEL}` to the name of a model")));
        };
        // A key that the user keeps for one service is not sent to another one.
        let is_own = endpoint(protocol, url.as_deref())?.host_str() == Some(protocol.own_host());
        let key = get(KEY).or_else(|| is_own.then(|| get(protocol.own_key())).flatten());
        let mut provider = Provider::new(protocol, url.as_deref(), &model, key.as_deref())?;
        if let Some(seconds) = number(TIMEOUT, get(TIMEOUT), TIMEOUT_S)? {
            provider.limits.total = Duration::from_secs(seconds);
            provider.limits.attempt = provider.limits.total / 3;
        }
        if let Some(tokens) = number(MAX_TOKENS, get(MAX_TOKENS), TOKENS)? {
            provider.limits.tokens_max = u32::try_from(tokens).unwrap_or(u32::MAX);
        }
        Ok(Some(provider))
    }

    /// Replaces the limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Provider {
        self.limits = limits;
        self
    }

    /// Returns the protocol.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Returns the address to which requests are sent.
    pub fn endpoint(&self) -> &str {
        self.endpoint.as_str()
    }

    /// Returns the host of the address, with its port unless it is the default one.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the name of the model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns the limits.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns true if requests leave the machine.
    pub fn is_remote(&self) -> bool {
        !is_loopback(&self.endpoint)
    }

    /// Returns true for the service that defined the protocol.
    pub(super) fn is_own_service(&self) -> bool {
        self.endpoint.host_str() == Some(self.protocol.own_host())
    }

    /// Returns the key.
    pub(super) fn key(&self) -> Option<&Key> {
        self.key.as_ref()
    }
}

/// A key: visible ASCII characters. `Debug` hides it.
#[derive(Clone)]
pub(super) struct Key(String);

impl Key {
    fn new(given: &str) -> Result<Key> {
        // Files and pipes end with a line feed.
        let key = given.trim();
        let is_valid = !key.is_empty()
            && key.len() <= KEY_BYTES_MAX
            && key.bytes().all(|byte| byte.is_ascii_graphic());
        if is_valid {
            Ok(Key(key.to_owned()))
        } else {
            Err(Error::usage(format!(
                "the key of the model provider is not 1 to {KEY_BYTES_MAX} visible ASCII characters"
            ))
            .with_hint(format!("set `{KEY}`")))
        }
    }

    /// Returns the key, which must reach nothing but a header of a request.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// Replaces the key wherever it occurs in `text`.
    pub(super) fn redact(&self, text: &str) -> String {
        text.replace(&self.0, "[redacted: key]")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted: key]")
    }
}

fn endpoint(protocol: Protocol, given: Option<&str>) -> Result<Url> {
    let Some(given) = given else {
        let address = format!("https://{}/v1/{}", protocol.own_host(), protocol.method());
        return Url::parse(&address).map_err(|error| Error::usage(error.to_string()));
    };
    // The address is not repeated, because it may contain a password.
    let refused = |why: &str| {
        Error::usage(format!("`{URL}` cannot be used: {why}")).with_hint(
            "use an address such as `https://example.org/v1` or `http://127.0.0.1:11434/v1`",
        )
    };
    let mut url = Url::parse(given.trim()).map_err(|_| refused("it is not an address"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused("it contains credentials"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(refused("it has a query or a fragment"));
    }
    match url.scheme() {
        "https" => {}
        "http" if is_loopback(&url) => {}
        "http" => return Err(refused("http is allowed on loopback addresses only")),
        _ => return Err(refused("its protocol is not https")),
    }
    let path = url.path().trim_end_matches('/');
    let method = protocol.method();
    let is_versioned = match protocol {
        Protocol::Anthropic => path.ends_with("/v1"),
        // Services have their own versions: `/api/v3`, `/v1beta/openai`.
        Protocol::OpenAi => !path.is_empty(),
    };
    let path = if path.ends_with(&format!("/{method}")) {
        path.to_owned()
    } else if is_versioned {
        format!("{path}/{method}")
    } else {
        format!("{path}/v1/{method}")
    };
    url.set_path(&path);
    Ok(url)
}

/// Returns true if the address is on this machine.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.trim_end_matches('.') == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn number(
    name: &str,
    value: Option<String>,
    range: std::ops::RangeInclusive<u64>,
) -> Result<Option<u64>> {
    let Some(value) = value else { return Ok(None) };
    match value.trim().parse::<u64>() {
        Ok(number) if range.contains(&number) => Ok(Some(number)),
        _ => Err(Error::usage(format!(
            "`{name}` is not a number from {} to {}",
            range.start(),
            range.end()
        ))),
    }
}
