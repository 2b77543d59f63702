//! The configuration: where requests go, and which key they have.

use super::KEY;
use crate::error::{Kind, Result};
use crate::model::{Protocol, Provider};

fn configured(variables: &[(&str, &str)]) -> Result<Option<Provider>> {
    Provider::from_environment(&|name| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    })
}

#[test]
fn nothing_is_sent_without_a_chosen_provider() {
    let keys = [("ANTHROPIC_API_KEY", KEY), ("OPENAI_API_KEY", KEY), ("CODEDB_MODEL_KEY", KEY)];
    assert!(configured(&[]).expect("no configuration").is_none());
    assert!(configured(&keys).expect("no configuration").is_none());
    assert!(configured(&[("CODEDB_MODEL_PROVIDER", " "), ("CODEDB_MODEL", "")]).unwrap().is_none());
}

#[test]
fn an_incomplete_configuration_is_an_error_with_a_hint() {
    let check = |variables: &[(&str, &str)], expected: &str| {
        let error = configured(variables).expect_err("an error");
        assert_eq!(error.kind(), Kind::Usage);
        let text = format!("{error}; {}", error.hints().join("; "));
        assert!(text.contains(expected), "{text}");
        assert!(!text.contains(KEY), "{text}");
    };
    let [provider, model, key] = ["CODEDB_MODEL_PROVIDER", "CODEDB_MODEL", "CODEDB_MODEL_KEY"];
    check(&[(model, "m")], "set `CODEDB_MODEL_PROVIDER` to `anthropic` or `openai`");
    check(&[("CODEDB_MODEL_URL", "http://127.0.0.1")], "set `CODEDB_MODEL_PROVIDER`");
    check(&[(provider, "anthropic"), (key, KEY)], "set `CODEDB_MODEL`");
    check(&[(provider, "anthropic"), (model, "m")], "set `CODEDB_MODEL_KEY`");
    check(&[(provider, "openai"), (model, "m")], "set `CODEDB_MODEL_KEY`");
    check(&[(provider, "gemini"), (model, "m")], "is `gemini`; use `anthropic`, or `openai`");
    check(&[(provider, "openai"), (model, "a\u{1b}b"), (key, KEY)], "`CODEDB_MODEL` must be");
    let broken = format!("{KEY}\n{KEY}");
    check(&[(provider, "openai"), (model, "m"), (key, &broken)], "visible ASCII characters");
    let complete = [(provider, "openai"), (model, "m"), (key, KEY)];
    for (name, value) in [
        ("CODEDB_MODEL_TIMEOUT", "0"),
        ("CODEDB_MODEL_TIMEOUT", "1h"),
        ("CODEDB_MODEL_MAX_TOKENS", "-1"),
    ] {
        check(&[&complete[..], &[(name, value)]].concat(), &format!("`{name}` is not a number"));
    }
}

#[test]
fn limits_are_configured() {
    let provider = configured(&[
        ("CODEDB_MODEL_PROVIDER", "OpenAI"),
        ("CODEDB_MODEL", " m "),
        ("CODEDB_MODEL_KEY", KEY),
        ("CODEDB_MODEL_TIMEOUT", "90"),
        ("CODEDB_MODEL_MAX_TOKENS", "1000"),
    ]);
    let provider = provider.expect("a configuration").expect("a provider");
    let limits = provider.limits();
    assert_eq!((limits.total.as_secs(), limits.attempt.as_secs()), (90, 30));
    assert_eq!((limits.tokens_max, provider.model()), (1000, "m"));
}

#[test]
fn the_key_of_a_service_is_sent_to_that_service_only() {
    let key = |name: &str, url: Option<&str>, variables: &[(&str, &str)]| {
        let mut all = vec![("CODEDB_MODEL_PROVIDER", name), ("CODEDB_MODEL", "m")];
        all.extend(url.map(|url| ("CODEDB_MODEL_URL", url)));
        all.extend(variables);
        let provider = configured(&all).expect("a configuration").expect("a provider");
        provider.key().map(|key| key.expose().to_owned())
    };
    let both = [("ANTHROPIC_API_KEY", "anthropics"), ("OPENAI_API_KEY", "openais")];
    assert_eq!(key("anthropic", None, &both).as_deref(), Some("anthropics"));
    assert_eq!(key("openai", None, &both).as_deref(), Some("openais"));
    assert_eq!(key("openai", Some("https://api.openai.com/v1"), &both).as_deref(), Some("openais"));
    for url in [
        "http://localhost:11434/v1",
        "https://example.org/v1",
        "https://api.openai.com.example.org/v1",
    ] {
        assert_eq!(key("openai", Some(url), &both), None, "{url}");
    }
    assert_eq!(key("anthropic", Some("http://[::1]:8080"), &both), None);
    let own = [("CODEDB_MODEL_KEY", " own\n"), ("OPENAI_API_KEY", "openais")];
    assert_eq!(key("openai", None, &own).as_deref(), Some("own"));
    assert_eq!(key("openai", Some("https://example.org"), &own).as_deref(), Some("own"));
}

#[test]
fn addresses_are_completed() {
    let check = |protocol, url: Option<&str>, endpoint: &str, host: &str, is_remote| {
        let provider = Provider::new(protocol, url, "m", Some(KEY)).expect("a provider");
        assert_eq!((provider.endpoint(), provider.host()), (endpoint, host));
        assert_eq!(provider.is_remote(), is_remote);
    };
    let (anthropic, openai) = (Protocol::Anthropic, Protocol::OpenAi);
    let own = "https://api.anthropic.com/v1/messages";
    check(anthropic, None, own, "api.anthropic.com", true);
    for url in ["https://api.anthropic.com", "https://api.anthropic.com/v1/", own] {
        check(anthropic, Some(url), own, "api.anthropic.com", true);
    }
    check(anthropic, Some("https://a.org/x"), "https://a.org/x/v1/messages", "a.org", true);
    let own = "https://api.openai.com/v1/chat/completions";
    check(openai, None, own, "api.openai.com", true);
    let local = "http://127.0.0.1:11434/v1/chat/completions";
    for url in ["http://127.0.0.1:11434", "http://127.0.0.1:11434/v1", local] {
        check(openai, Some(url), local, "127.0.0.1:11434", false);
    }
    let other = "https://a.org/api/v3/chat/completions";
    check(openai, Some("https://a.org/api/v3/"), other, "a.org", true);
}

#[test]
fn addresses_that_would_expose_the_key_are_refused() {
    for url in [
        "example.org",
        "http://example.org/v1",
        "http://192.168.0.1/v1",
        "http://0.0.0.0/v1",
        "http://localhost.example.org/v1",
        "http://127.0.0.1.example.org/v1",
        "ftp://example.org",
        "file:///v1",
        "https://user:secret@example.org/v1",
        "https://user@example.org/v1",
        "https://example.org/v1?key=secret",
        "https://example.org/v1#secret",
        "https://",
    ] {
        for protocol in super::PROTOCOLS {
            let error = Provider::new(protocol, Some(url), "m", Some(KEY)).expect_err(url);
            let text = format!("{error} {:?}", error.hints());
            assert_eq!(error.kind(), Kind::Usage);
            assert!(!text.contains("secret") && !text.contains(KEY), "{text}");
        }
    }
}
