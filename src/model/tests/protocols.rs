//! Conversations that succeed, in both protocols.

use serde_json::{Value, json};

use super::server::{Server, Step};
use super::{KEY, PROTOCOLS, conversation, prose, provider, reply, result, send, text};
use crate::model::{Call, Conversation, Failure, Input, Protocol, Provider, Stop, ToolResult};

#[test]
fn parallel_calls_are_answered_in_their_order() {
    for protocol in PROTOCOLS {
        let calls = [
            ("a1", "query_ownership", r#"{"path": "src/a.rs"}"#),
            ("a2", "query_ownership", r#"{"path": "src/b.rs"}"#),
            ("a3", "no_such_tool", "{}"),
        ];
        let more = [("b1", "finish_investigation", r#"{"risk": "LOW"}"#)];
        let server = Server::start(
            protocol,
            Some(KEY),
            vec![
                Step::Reply(reply(protocol, "I look at the owners.", &calls, "")),
                Step::Reply(reply(protocol, "", &more, "")),
                Step::Reply(prose(protocol, "Done.")),
            ],
        );
        let (mut conversation, _) = conversation(&provider(&server));
        let first = conversation.send(text("Assess it.")).expect("a reply");
        let names: Vec<&str> = first.calls.iter().map(|call| &*call.name).collect();
        assert_eq!(names, ["query_ownership", "query_ownership", "no_such_tool"]);
        assert_eq!(first.calls[1].arguments, Ok(json!({"path": "src/b.rs"})));
        assert_eq!((&*first.text, first.stop), ("I look at the owners.", Stop::ToolUse));
        let failed = ToolResult { is_error: true, ..result(&first.calls[2], "no such tool") };
        let results = vec![failed, result(&first.calls[1], "bob"), result(&first.calls[0], "")];
        let second = conversation.send(Input::Results(results)).expect("a reply");
        assert_eq!((second.calls.len(), second.stop), (1, Stop::ToolUse));
        let results = vec![result(&second.calls[0], "ok")];
        let last = conversation.send(Input::Results(results)).expect("a reply");
        assert_eq!((&*last.text, last.calls.len(), last.stop), ("Done.", 0, Stop::End));
        let requests = server.requests();
        assert_eq!(requests.len(), 3);
        // Each request begins with all messages of the one before.
        for pair in requests.windows(2) {
            let [before, after] = [&pair[0], &pair[1]].map(|body| body["messages"].as_array());
            let (before, after) = (before.expect("a list"), after.expect("a list"));
            assert!(after.starts_with(before), "{protocol:?}");
        }
        let sent = requests[1]["messages"].to_string();
        let at = |text: &str| sent.find(text).unwrap_or_else(|| panic!("{text} in {sent}"));
        assert!(at("bob") < at("no such tool"), "{sent}");
    }
}

#[test]
fn a_request_is_exactly_what_is_sent() {
    for protocol in PROTOCOLS {
        let server = Server::start(protocol, Some(KEY), vec![Step::Reply(prose(protocol, "ok"))]);
        let (mut conversation, _) = conversation(&provider(&server));
        let mut dry = conversation.request(&text("hello"));
        conversation.send(text("hello")).expect("a reply");
        assert_eq!(server.requests(), std::slice::from_ref(&dry));
        assert!(!dry.to_string().contains(KEY));
        let expected = match protocol {
            Protocol::Anthropic => json!({
                "model": "model-1",
                "max_tokens": 4096,
                "system": "You assess changes.",
                "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}],
            }),
            Protocol::OpenAi => json!({
                "model": "model-1",
                "max_tokens": 4096,
                "messages": [
                    {"role": "system", "content": "You assess changes."},
                    {"role": "user", "content": "hello"},
                ],
            }),
        };
        let tools = dry.as_object_mut().and_then(|body| body.remove("tools")).expect("tools");
        assert_eq!(dry, expected);
        let schema = ["/0/input_schema/type", "/0/function/parameters/type"];
        assert!(schema.iter().any(|path| tools.pointer(path) == Some(&json!("object"))), "{tools}");
    }
}

#[test]
fn openai_itself_is_given_the_name_of_the_limit_that_it_accepts() {
    let provider = Provider::new(Protocol::OpenAi, None, "m", Some(KEY)).expect("a provider");
    let body = Conversation::new(&provider, String::new(), Vec::new()).request(&text("hello"));
    let message = json!({"role": "user", "content": "hello"});
    assert_eq!(body, json!({"model": "m", "max_completion_tokens": 4096, "messages": [message]}));
}

#[test]
fn local_servers_work_without_a_key() {
    let steps = vec![Step::Reply(prose(Protocol::OpenAi, "ok"))];
    let server = Server::start(Protocol::OpenAi, None, steps);
    let url = format!("http://{}/v1", server.address());
    let provider = Provider::new(Protocol::OpenAi, Some(&url), "m", None).expect("a provider");
    let (mut conversation, _) = conversation(&provider);
    assert_eq!(conversation.send(text("hello")).expect("a reply").text, "ok");
    let sent = String::from_utf8_lossy(&server.bytes()).to_ascii_lowercase();
    assert!(!sent.contains("authorization"), "{sent}");
}

/// The calls of one reply, after a second request that repeats them was accepted.
fn accepted_calls(protocol: Protocol, reply: Value) -> Vec<Call> {
    let steps = vec![Step::Reply(reply), Step::Reply(prose(protocol, "ok"))];
    let server = Server::start(protocol, Some(KEY), steps);
    let (mut conversation, _) = conversation(&provider(&server));
    let reply = conversation.send(text("hello")).expect("a reply");
    assert_eq!(reply.stop, Stop::ToolUse);
    let results = reply.calls.iter().map(|call| result(call, "ok")).collect();
    conversation.send(Input::Results(results)).expect("a second reply");
    assert_eq!(server.requests().len(), 2);
    reply.calls
}

#[test]
fn invalid_arguments_are_the_callers_to_answer() {
    for arguments in [r#"{"path": "#, "[1]", "null", "\"text\"", "{} {}", "{'a': 1}"] {
        let broken = reply(Protocol::OpenAi, "", &[("a", "query_ownership", arguments)], "");
        let calls = accepted_calls(Protocol::OpenAi, broken);
        let reason = calls[0].arguments.as_ref().expect_err(arguments);
        assert!(reason.starts_with("the arguments are not "), "{reason}");
    }
    for arguments in ["[1]", "null", "\"text\"", "7"] {
        let broken = reply(Protocol::Anthropic, "", &[("a", "query_ownership", arguments)], "");
        let calls = accepted_calls(Protocol::Anthropic, broken);
        assert!(calls[0].arguments.is_err(), "{arguments}");
    }
    // No arguments are an empty object.
    let none = reply(Protocol::OpenAi, "", &[("a", "query_ownership", "")], "");
    assert_eq!(accepted_calls(Protocol::OpenAi, none)[0].arguments, Ok(json!({})));
    // Deep nesting ends the parser, not the process.
    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    let deep = reply(Protocol::OpenAi, "", &[("a", "query_ownership", &deep)], "");
    assert!(accepted_calls(Protocol::OpenAi, deep)[0].arguments.is_err());
}

#[test]
fn arguments_that_are_parsed_already_are_accepted() {
    let mut parsed = reply(Protocol::OpenAi, "", &[("a", "x", ""), ("b", "y", "")], "");
    let calls = &mut parsed["choices"][0]["message"]["tool_calls"];
    calls[0]["function"]["arguments"] = json!({"n": 1});
    calls[1]["function"].as_object_mut().expect("an object").remove("arguments");
    let calls = accepted_calls(Protocol::OpenAi, parsed);
    assert_eq!(calls[0].arguments, Ok(json!({"n": 1})));
    assert_eq!(calls[1].arguments, Ok(json!({})));
}

#[test]
fn ids_and_names_that_cannot_be_repeated_are_replaced() {
    for protocol in PROTOCOLS {
        let long = "i".repeat(201);
        let calls = [("", "a", "{}"), ("x", "b", "{}"), ("x", "", "{}"), (&*long, "c.d e", "{}")];
        let calls = accepted_calls(protocol, reply(protocol, "", &calls, ""));
        let ids: Vec<&str> = calls.iter().map(|call| &*call.id).collect();
        assert_eq!(ids, ["call_1", "x", "call_3", "call_4"]);
        let names: Vec<&str> = calls.iter().map(|call| &*call.name).collect();
        assert_eq!(names, ["a", "b", "", "c.d e"]);
    }
}

#[test]
fn ids_are_unique_in_the_whole_conversation() {
    for protocol in PROTOCOLS {
        let once = reply(protocol, "", &[("0", "query_ownership", "{}")], "");
        let steps =
            vec![Step::Reply(once.clone()), Step::Reply(once), Step::Reply(prose(protocol, "ok"))];
        let server = Server::start(protocol, Some(KEY), steps);
        let (mut conversation, _) = conversation(&provider(&server));
        let first = conversation.send(text("hello")).expect("a reply");
        let results = Input::Results(vec![result(&first.calls[0], "ok")]);
        let second = conversation.send(results).expect("a reply");
        assert_ne!(first.calls[0].id, second.calls[0].id);
        let results = Input::Results(vec![result(&second.calls[0], "ok")]);
        conversation.send(results).expect("a reply");
        assert_eq!(server.requests().len(), 3);
    }
}

#[test]
fn the_end_of_a_reply_is_reported() {
    let check = |protocol, stop: &str, calls: &[(&str, &str, &str)], expected| {
        let (result, _, _) = send(protocol, vec![Step::Reply(reply(protocol, "t", calls, stop))]);
        assert_eq!(result.expect("a reply").stop, expected, "{protocol:?} {stop}");
    };
    let call = [("a", "query_ownership", "{}")];
    for (stop, expected) in [
        ("end_turn", Stop::End),
        ("stop_sequence", Stop::End),
        ("something_new", Stop::End),
        ("tool_use", Stop::End),
        ("max_tokens", Stop::MaxTokens),
        ("model_context_window_exceeded", Stop::MaxTokens),
        ("refusal", Stop::Refusal),
    ] {
        check(Protocol::Anthropic, stop, &[], expected);
    }
    check(Protocol::Anthropic, "end_turn", &call, Stop::ToolUse);
    check(Protocol::Anthropic, "max_tokens", &call, Stop::MaxTokens);
    for (stop, expected) in [
        ("stop", Stop::End),
        ("tool_calls", Stop::End),
        ("length", Stop::MaxTokens),
        ("content_filter", Stop::Refusal),
    ] {
        check(Protocol::OpenAi, stop, &[], expected);
    }
    check(Protocol::OpenAi, "stop", &call, Stop::ToolUse);
    check(Protocol::OpenAi, "length", &call, Stop::MaxTokens);
}

#[test]
fn the_text_of_a_refusal_is_the_text() {
    let mut refusal = prose(Protocol::OpenAi, "");
    refusal["choices"][0]["message"]["refusal"] = json!("I cannot help with that.");
    let (result, _, _) = send(Protocol::OpenAi, vec![Step::Reply(refusal)]);
    let reply = result.expect("a reply");
    assert_eq!((&*reply.text, reply.stop), ("I cannot help with that.", Stop::Refusal));
}

#[test]
fn a_conversation_continues_after_prose_and_after_an_empty_reply() {
    for protocol in PROTOCOLS {
        let steps = vec![
            Step::Reply(prose(protocol, "I think about it.")),
            Step::Reply(prose(protocol, "")),
            Step::Reply(prose(protocol, "ok")),
        ];
        let server = Server::start(protocol, Some(KEY), steps);
        let (mut conversation, _) = conversation(&provider(&server));
        for expected in ["I think about it.", "", "ok"] {
            let reply = conversation.send(text("Call a tool.")).expect("a reply");
            assert_eq!((&*reply.text, reply.stop), (expected, Stop::End));
        }
        assert_eq!(server.requests().len(), 3);
    }
}

#[test]
fn blocks_of_other_types_are_repeated_unchanged() {
    let mut thinking = reply(Protocol::Anthropic, "", &[("a", "query_ownership", "{}")], "");
    let block = json!({"type": "thinking", "thinking": "hm", "signature": "signed"});
    thinking["content"].as_array_mut().expect("a list").insert(0, block);
    let calls = accepted_calls(Protocol::Anthropic, thinking);
    assert_eq!(calls.len(), 1);
}

#[test]
fn blocks_without_text_are_not_repeated() {
    let empty = || json!({"type": "text", "text": "\n"});
    let mut calls = reply(Protocol::Anthropic, "", &[("a", "query_ownership", "{}")], "");
    calls["content"].as_array_mut().expect("a list").insert(0, empty());
    assert_eq!(accepted_calls(Protocol::Anthropic, calls).len(), 1);
    let mut silent = prose(Protocol::Anthropic, "");
    silent["content"] = json!([empty()]);
    let steps = vec![Step::Reply(silent), Step::Reply(prose(Protocol::Anthropic, "ok"))];
    let server = Server::start(Protocol::Anthropic, Some(KEY), steps);
    let (mut conversation, _) = conversation(&provider(&server));
    assert_eq!(conversation.send(text("hello")).expect("a reply").text, "\n");
    assert_eq!(conversation.send(text("Call a tool.")).expect("a reply").text, "ok");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn reasoning_and_signatures_are_repeated() {
    let mut signed = reply(Protocol::OpenAi, "", &[("a", "x", "{}"), ("b", "y", "{}")], "");
    let message = &mut signed["choices"][0]["message"];
    message["reasoning_content"] = json!("");
    message["reasoning_details"] = json!([{"type": "reasoning.text", "text": "hm"}]);
    message["annotations"] = json!([]);
    message["tool_calls"][0]["extra_content"] = json!({"google": {"thought_signature": "s"}});
    message["tool_calls"][1]["index"] = json!(1);
    assert_eq!(accepted_calls(Protocol::OpenAi, signed).len(), 2);
    // Without them, as most services reply, nothing is added.
    let mut plain = reply(Protocol::OpenAi, "", &[("a", "x", "{}")], "");
    plain["choices"][0]["message"]["reasoning_content"] = Value::Null;
    assert_eq!(accepted_calls(Protocol::OpenAi, plain).len(), 1);
}

#[test]
fn misuse_sends_nothing() {
    for protocol in PROTOCOLS {
        let steps =
            vec![Step::Reply(reply(protocol, "", &[("a", "x", "{}"), ("b", "y", "{}")], ""))];
        let server = Server::start(protocol, Some(KEY), steps);
        let (mut conversation, _) = conversation(&provider(&server));
        let check = |conversation: &mut Conversation, input: Input| {
            let error = conversation.send(input).expect_err("misuse");
            assert_eq!(error.failure(), Failure::Misuse, "{error}");
        };
        check(&mut conversation, text(" "));
        check(&mut conversation, Input::Results(Vec::new()));
        let reply = conversation.send(text("hello")).expect("a reply");
        let [a, b] = [0, 1].map(|at| result(&reply.calls[at], "ok"));
        let other = ToolResult { id: "c".to_owned(), ..a.clone() };
        check(&mut conversation, text("hello"));
        check(&mut conversation, Input::Results(vec![a.clone()]));
        check(&mut conversation, Input::Results(vec![a.clone(), a.clone()]));
        check(&mut conversation, Input::Results(vec![a.clone(), b.clone(), b.clone()]));
        check(&mut conversation, Input::Results(vec![a, other]));
        assert_eq!(server.requests().len(), 1);
    }
}
