//! Services that fail, and connections that break.

use std::time::Duration;

use serde_json::json;

use super::server::{Server, Step, status_reply};
use super::{
    KEY, PROTOCOLS, conversation, prose, provider, reply, result, send, send_within, text,
};
use crate::base::interrupt::Interrupt;
use crate::model::{Failure, Input, ModelError, Protocol, Provider, Stop};

/// A reply with an error as both services write it.
fn status(status: u16, headers: &[(&str, &str)], message: &str) -> Step {
    let error = json!({"type": "some_error", "message": message});
    let body = json!({"type": "error", "error": error});
    Step::Raw(status_reply(status, headers, &body.to_string()))
}

fn ok(protocol: Protocol) -> Step {
    Step::Reply(prose(protocol, "ok"))
}

/// The bytes of a successful reply with other headers than usual.
fn raw(headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\n{headers}\r\n");
    [head.as_bytes(), body].concat()
}

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

#[test]
fn failures_that_pass_are_repeated() {
    for protocol in PROTOCOLS {
        let (result, waited, requests) = send(
            protocol,
            vec![status(529, &[], "overloaded"), status(500, &[], ""), ok(protocol)],
        );
        assert_eq!(result.expect("a reply").text, "ok");
        assert_eq!(waited, seconds(0.5 + 1.0));
        assert_eq!(requests.len(), 3);
        assert!(requests.iter().all(|request| *request == requests[0]));
    }
}

#[test]
fn delays_that_the_service_asks_for_are_kept() {
    // The fake clock begins at 12:00:00; a quarter of a second is the jitter.
    for (header, value, expected) in [
        ("retry-after", "7", 7.25),
        ("retry-after", "Sat, 31 Jan 2026 12:00:20 GMT", 20.25),
        ("retry-after", "Sat, 31 Jan 2026 11:00:00 GMT", 0.25),
        ("retry-after-ms", "1500", 1.75),
        ("retry-after", "soon", 0.5),
    ] {
        let protocol = Protocol::Anthropic;
        let (result, waited, _) =
            send(protocol, vec![status(429, &[(header, value)], "slow down"), ok(protocol)]);
        assert!(result.is_ok(), "{header}: {value}");
        assert_eq!(waited, seconds(expected), "{header}: {value}");
    }
}

#[test]
fn delays_that_are_too_long_end_the_request_at_once() {
    for value in ["61", "3600", "Sun, 01 Feb 2026 12:00:00 GMT"] {
        let step = status(429, &[("retry-after", value)], "slow down");
        let (result, waited, requests) = send(Protocol::OpenAi, vec![step]);
        let error = result.expect_err(value);
        assert_eq!((error.failure(), requests.len()), (Failure::Unavailable, 1));
        assert!(error.to_string().contains("(429) and asks to wait for "), "{error}");
        assert_eq!(waited, Duration::ZERO);
    }
    // Neither does a delay pass the deadline.
    let step = status(529, &[("retry-after", "59")], "");
    let (result, waited, _) =
        send_within(Protocol::OpenAi, vec![step], |limits| limits.total = seconds(50.0));
    assert_eq!(result.expect_err("an error").failure(), Failure::Unavailable);
    assert_eq!(waited, Duration::ZERO);
}

#[test]
fn attempts_are_limited() {
    let steps = (0..9).map(|_| status(529, &[], "overloaded")).collect();
    let (result, waited, requests) = send(Protocol::Anthropic, steps);
    let error = result.expect_err("an error");
    assert_eq!((error.failure(), requests.len()), (Failure::Unavailable, 4));
    assert!(error.to_string().contains("is overloaded (529), after 4 attempts"), "{error}");
    assert_eq!(waited, seconds(0.5 + 1.0 + 2.0));
}

#[test]
fn the_deadline_is_that_of_the_conversation() {
    let protocol = Protocol::Anthropic;
    let slow = || status(429, &[("retry-after", "40")], "slow down");
    let server =
        Server::start(protocol, Some(KEY), vec![slow(), ok(protocol), slow(), ok(protocol)]);
    let provider = provider(&server);
    let limits = crate::model::Limits { total: seconds(60.0), ..provider.limits() };
    let (mut conversation, clock) = conversation(&provider.with_limits(limits));
    assert!(conversation.send(text("one")).is_ok());
    let error = conversation.send(text("two")).expect_err("too late");
    assert_eq!(error.failure(), Failure::Unavailable);
    super::Clock::sleep(&clock, seconds(60.0));
    let error = conversation.send(text("three")).expect_err("too late");
    assert_eq!(error.failure(), Failure::Timeout);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn refusals_are_not_repeated_and_explained() {
    let check = |code: u16, message: &str, failure: Failure, expected: &str| {
        for protocol in PROTOCOLS {
            let (result, waited, requests) = send(protocol, vec![status(code, &[], message)]);
            let error = result.expect_err("an error");
            assert_eq!((error.failure(), requests.len()), (failure, 1), "{error}");
            assert_eq!(waited, Duration::ZERO);
            let error = error.to_string();
            assert!(error.starts_with("`127.0.0.1:") || error.contains("`127.0.0.1:"), "{error}");
            assert!(error.contains(expected), "{error}");
        }
    };
    check(400, "bad\u{1b}[2J tool.", Failure::Refused, "refused the request (400): bad");
    check(401, "who?", Failure::Denied, "does not accept the key (401); set `CODEDB_MODEL_KEY`");
    check(402, "", Failure::Denied, "no credit is left (402)");
    check(403, "", Failure::Denied, "denies access to the model `model-1` (403)");
    check(404, "no model", Failure::Refused, "(404): no model; check `CODEDB_MODEL`");
    check(413, "", Failure::TooLarge, "too large");
    check(418, "", Failure::Refused, "(418)");
    // Errors of a service reach no terminal.
    let (result, _, _) = send(Protocol::OpenAi, vec![status(400, &[], "a\u{1b}]0;x\u{7}\nb")]);
    let error = result.expect_err("an error").to_string();
    assert!(!error.contains(char::is_control), "{error:?}");
    // Google's are in a list.
    let body = json!([{"error": {"code": 400, "message": "bad schema"}}]).to_string();
    let (result, _, _) = send(Protocol::OpenAi, vec![Step::Raw(status_reply(400, &[], &body))]);
    assert!(result.expect_err("an error").to_string().contains("bad schema"));
    // Long ones are cut off.
    let (result, _, _) = send(Protocol::OpenAi, vec![status(400, &[], &"é".repeat(5000))]);
    assert!(result.expect_err("an error").to_string().len() < 600);
}

#[test]
fn a_spent_quota_is_not_repeated() {
    for error in [
        json!({"code": "insufficient_quota", "message": "m"}),
        json!({"type": "insufficient_quota", "message": "m"}),
        json!({"type": "x", "details": {"error_code": "enforced_spend_limit_reached"}}),
    ] {
        let body = json!({"error": error}).to_string();
        let step = Step::Raw(status_reply(429, &[("retry-after", "1")], &body));
        let (result, _, requests) = send(Protocol::OpenAi, vec![step]);
        assert_eq!(result.expect_err("an error").failure(), Failure::Denied, "{body}");
        assert_eq!(requests.len(), 1);
    }
}

#[test]
fn broken_connections_are_repeated() {
    for protocol in PROTOCOLS {
        let body = prose(protocol, "cut").to_string();
        let (start, length) = (&body.as_bytes()[..40], body.len());
        let chunk = [b"28\r\n".as_slice(), start, b"\r\n"].concat();
        for (name, bytes) in [
            ("closed at once", Vec::new()),
            ("cut in the head", b"HTTP/1.1 200 OK\r\ncontent-le".to_vec()),
            ("cut in mid-body", raw(&format!("content-length: {length}\r\n"), start)),
            ("cut between chunks", raw("transfer-encoding: chunked\r\n", &chunk)),
            ("cut without a length", raw("", start)),
        ] {
            let (result, waited, requests) = send(protocol, vec![Step::Raw(bytes), ok(protocol)]);
            let reply = result.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!((&*reply.text, requests.len()), ("ok", 2), "{name}");
            assert_eq!(waited, seconds(0.5), "{name}");
        }
        let cut = || Step::Raw(raw("content-length: 1000\r\n", b"{"));
        let (result, _, requests) = send(protocol, vec![cut(), cut(), cut(), cut()]);
        let error = result.expect_err("an error");
        assert_eq!((error.failure(), requests.len()), (Failure::Connection, 4));
        assert!(error.to_string().contains(", after 4 attempts; check the network"), "{error}");
    }
}

#[test]
fn a_connection_is_used_again_and_replaced_if_it_was_closed() {
    for protocol in PROTOCOLS {
        let steps = vec![
            Step::Keep(prose(protocol, "one")),
            Step::Keep(prose(protocol, "two")),
            Step::Drop(prose(protocol, "three")),
            ok(protocol),
        ];
        let server = Server::start(protocol, Some(KEY), steps);
        let (mut conversation, _) = conversation(&provider(&server));
        for (expected, connections) in [("one", 1), ("two", 1), ("three", 1), ("ok", 2)] {
            let reply = conversation.send(text("hello")).expect("a reply");
            assert_eq!((&*reply.text, server.connections()), (expected, connections));
        }
        assert_eq!(server.requests().len(), 4);
    }
}

#[test]
fn a_service_that_hangs_ends_with_the_time_limit() {
    for protocol in PROTOCOLS {
        for bytes in [
            Vec::new(),
            b"HTTP/1.1 200 ".to_vec(),
            raw("content-length: 100\r\n", b"{"),
            raw("transfer-encoding: chunked\r\n", b"1\r\n{\r\n"),
        ] {
            let steps = vec![Step::Hang(bytes.clone()), Step::Hang(bytes)];
            let (result, _, _) = send_within(protocol, steps, |limits| {
                // The only time that these tests wait for: nothing arrives before it or after it.
                limits.attempt = Duration::from_millis(30);
                limits.attempts_max = 2;
            });
            let error = result.expect_err("a time-out");
            assert_eq!(error.failure(), Failure::Timeout, "{error}");
            assert!(error.to_string().contains("did not reply in time"), "{error}");
        }
    }
}

#[test]
fn a_request_can_be_cancelled() {
    // While the service does not reply.
    let server = Server::start(Protocol::Anthropic, Some(KEY), vec![Step::Hang(Vec::new())]);
    let (mut conversation, _) = conversation(&provider(&server));
    let is_due = || !server.requests().is_empty();
    let cancelled = conversation.send_until(text("hello"), Interrupt::new(&is_due));
    assert_eq!(cancelled.expect_err("cancelled").failure(), Failure::Cancelled);
    // Before it is sent.
    let server = Server::start(Protocol::Anthropic, Some(KEY), Vec::new());
    let (mut conversation, _) = super::conversation(&provider(&server));
    let cancelled = conversation.send_until(text("hello"), Interrupt::new(&|| true));
    assert_eq!(cancelled.expect_err("cancelled").failure(), Failure::Cancelled);
    assert!(server.requests().is_empty());
    // During a delay.
    let step = status(429, &[("retry-after", "30")], "");
    let server = Server::start(Protocol::Anthropic, Some(KEY), vec![step]);
    let (mut conversation, clock) = super::conversation(&provider(&server));
    let is_due = || super::Clock::elapsed(&clock) > seconds(2.0);
    let cancelled = conversation.send_until(text("hello"), Interrupt::new(&is_due));
    assert_eq!(cancelled.expect_err("cancelled").failure(), Failure::Cancelled);
    assert!(super::Clock::elapsed(&clock) < seconds(3.0));
}

#[test]
fn a_conversation_survives_a_failure() {
    for protocol in PROTOCOLS {
        let server = Server::start(
            protocol,
            Some(KEY),
            vec![
                Step::Reply(reply(protocol, "", &[("a", "query_ownership", "{}")], "")),
                status(400, &[], "no"),
                ok(protocol),
            ],
        );
        let (mut conversation, _) = conversation(&provider(&server));
        let first = conversation.send(text("hello")).expect("a reply");
        let results = Input::Results(vec![result(&first.calls[0], "ok")]);
        assert!(conversation.send(results.clone()).is_err());
        let last = conversation.send(results).expect("a reply");
        assert_eq!((&*last.text, last.stop), ("ok", Stop::End));
        let requests = server.requests();
        assert_eq!(requests[1], requests[2]);
    }
}

#[test]
fn replies_in_chunks_and_compressed_ones_are_read() {
    for protocol in PROTOCOLS {
        let reply = prose(protocol, "ok");
        let body = reply.to_string();
        let (first, second) = body.as_bytes().split_at(50);
        let size = |part: &[u8]| format!("{:x}\r\n", part.len()).into_bytes();
        let chunks =
            [&size(first), first, b"\r\n", &size(second), second, b"\r\n0\r\n\r\n"].concat();
        let gzip = gzip(body.as_bytes());
        for bytes in [
            raw("transfer-encoding: chunked\r\n", &chunks),
            raw(&format!("content-encoding: gzip\r\ncontent-length: {}\r\n", gzip.len()), &gzip),
        ] {
            let (result, _, _) = send(protocol, vec![Step::RawReply(bytes, reply.clone())]);
            assert_eq!(result.expect("a reply").text, "ok");
        }
    }
}

#[test]
fn huge_replies_and_requests_are_refused() {
    for protocol in PROTOCOLS {
        let body = prose(protocol, &"x".repeat(5000)).to_string();
        let gzip = gzip(body.as_bytes());
        for bytes in [
            raw(&format!("content-length: {}\r\n", body.len()), body.as_bytes()),
            raw("", body.as_bytes()),
            raw("content-encoding: gzip\r\n", &gzip),
            status_reply(400, &[], &body),
        ] {
            let (result, _, requests) = send_within(protocol, vec![Step::Raw(bytes)], |limits| {
                limits.reply_bytes_max = 4000;
            });
            let error = result.expect_err("too large");
            assert_eq!((error.failure(), requests.len()), (Failure::TooLarge, 1), "{error}");
        }
        let (result, _, requests) = send_within(protocol, Vec::new(), |limits| {
            limits.request_bytes_max = 100;
        });
        assert_eq!(result.expect_err("too large").failure(), Failure::TooLarge);
        assert!(requests.is_empty());
    }
}

#[test]
fn redirects_are_not_followed() {
    for protocol in PROTOCOLS {
        let other = Server::start(protocol, Some(KEY), vec![ok(protocol)]);
        let url = format!("http://{}/v1/messages", other.address());
        for code in [301, 302, 303, 307, 308] {
            let step = Step::Raw(status_reply(code, &[("location", &url)], ""));
            let (result, _, requests) = send(protocol, vec![step]);
            let error = result.expect_err("a redirect");
            assert_eq!((error.failure(), requests.len()), (Failure::Refused, 1), "{error}");
        }
        assert!(other.bytes().is_empty());
    }
}

#[test]
fn what_is_no_reply_of_the_protocol_is_an_error() {
    for protocol in PROTOCOLS {
        let bodies = [
            "<html>Log in</html>".to_owned(),
            "[]".to_owned(),
            "null".to_owned(),
            "{}".to_owned(),
            json!({"content": "text", "choices": []}).to_string(),
            json!({"content": [{}], "choices": [{"message": null}]}).to_string(),
            json!({"error": {"message": "the model does not exist"}}).to_string(),
            "[".repeat(100_000) + "1",
            "\u{0}".repeat(10),
        ];
        for body in bodies {
            let step = Step::Raw(status_reply(200, &[], &body));
            let (result, _, requests) = send(protocol, vec![step]);
            let error = result.expect_err("no reply");
            assert_eq!((error.failure(), requests.len()), (Failure::Protocol, 1), "{error}");
            let is_quoted = error.to_string().contains("the model does not exist");
            assert_eq!(is_quoted, body.contains("the model does not exist"), "{error}");
        }
    }
}

#[test]
fn the_key_is_in_no_error() {
    let check = |error: ModelError| {
        let texts = [error.to_string(), format!("{error:?}"), format!("{:?}", error.into_error())];
        for text in texts {
            assert!(!text.contains(KEY), "{text}");
        }
    };
    for protocol in PROTOCOLS {
        for code in [400, 401, 403, 404, 413, 429, 500, 529, 302] {
            // The key would be cut in two by the limit of the quoted text.
            for message in [format!("your key is {KEY}"), "x".repeat(290) + KEY] {
                let steps = (0..4).map(|_| status(code, &[], &message)).collect();
                let (result, _, _) = send(protocol, steps);
                let error = result.expect_err("an error");
                assert!(!error.to_string().contains(&KEY[..8]), "{error}");
                check(error);
            }
        }
        let body = json!({"error": {"message": KEY}}).to_string();
        let (result, _, _) = send(protocol, vec![Step::Raw(status_reply(200, &[], &body))]);
        check(result.expect_err("an error"));
    }
    let server = Server::start(Protocol::OpenAi, Some(KEY), Vec::new());
    let provider = provider(&server);
    let (conversation, _) = conversation(&provider);
    let texts = [
        format!("{provider:?}"),
        format!("{conversation:?}"),
        conversation.request(&text("hello")).to_string(),
    ];
    for text in texts {
        assert!(!text.contains(KEY), "{text}");
    }
}

#[test]
fn a_wrong_key_is_rejected_by_the_service() {
    for protocol in PROTOCOLS {
        let server = Server::start(protocol, Some("another-key"), vec![ok(protocol)]);
        let (mut conversation, _) = conversation(&provider(&server));
        let error = conversation.send(text("hello")).expect_err("a wrong key");
        assert_eq!(error.failure(), Failure::Denied);
        assert_eq!(server.rejections().len(), 1);
    }
}

#[cfg(unix)]
#[test]
fn a_local_server_that_is_not_started_fails_at_once() {
    use rustix::net::{AddressFamily, SocketType, bind, getsockname, socket};
    // The port belongs to this test, and nobody listens there.
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
    let any = std::net::SocketAddrV4::new(std::net::Ipv4Addr::LOCALHOST, 0);
    bind(&socket, &any).expect("a port");
    let address = getsockname(&socket).expect("an address");
    let address = std::net::SocketAddr::try_from(address).expect("an address");
    let url = format!("http://{address}/v1");
    let provider = Provider::new(Protocol::OpenAi, Some(&url), "m", None).expect("a provider");
    let (mut conversation, clock) = conversation(&provider);
    let error = conversation.send(text("hello")).expect_err("no server");
    assert_eq!(error.failure(), Failure::Connection);
    let expected = format!("no program listens at `{address}`: ");
    assert!(error.to_string().starts_with(&expected), "{error}");
    assert!(error.to_string().ends_with("; start the server or check `CODEDB_MODEL_URL`"));
    assert_eq!(super::Clock::elapsed(&clock), Duration::ZERO);
}

#[test]
fn the_key_is_sent_encrypted_only() {
    // A server without TLS at an https address receives the start of a handshake and nothing else.
    let server = Server::start(Protocol::Anthropic, Some(KEY), vec![ok(Protocol::Anthropic)]);
    let url = format!("https://{}", server.address());
    let provider =
        Provider::new(Protocol::Anthropic, Some(&url), "m", Some(KEY)).expect("a provider");
    let (mut conversation, _) = conversation(&provider);
    let error = conversation.send(text("hello")).expect_err("no TLS");
    assert_eq!(error.failure(), Failure::Connection, "{error}");
    let bytes = server.bytes();
    assert_eq!(bytes.first(), Some(&0x16));
    assert!(!String::from_utf8_lossy(&bytes).contains(KEY));
}

/// `data` in the gzip format (RFC 1952), in one block without compression.
fn gzip(data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).expect("a small text");
    let mut gzip = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    gzip.extend(length.to_le_bytes());
    gzip.extend((!length).to_le_bytes());
    gzip.extend(data);
    gzip.extend(crc32fast::hash(data).to_le_bytes());
    gzip.extend(u32::from(length).to_le_bytes());
    gzip
}
