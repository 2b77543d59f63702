//! Whatever a service replies, the next request is one that it accepts.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use super::server::Received;
use super::{KEY, PROTOCOLS, rules, tools};
use crate::model::wire::{self, Frame};
use crate::model::{Input, Protocol, Provider, Stop, ToolResult};

/// Any value where a service sends a certain one.
fn anything() -> impl Strategy<Value = Value> {
    select(vec![
        Value::Null,
        json!(7),
        json!(true),
        json!(""),
        json!(" \n"),
        json!("a"),
        json!("call_1"),
        json!("call_2"),
        json!("a b\u{0}é"),
        json!("x".repeat(300)),
        json!("{}"),
        json!("{\"a\": "),
        json!([]),
        json!([{}]),
        json!([{"text": "part"}]),
        json!({}),
        json!({"path": "a.rs"}),
    ])
}

/// An object with some of the fields, each with any value or one of its usual ones.
fn object(fields: Vec<(&'static str, Vec<Value>)>) -> impl Strategy<Value = Value> {
    let fields: Vec<_> = fields
        .into_iter()
        .map(|(name, usual)| {
            let value = prop_oneof![4 => select(usual), 1 => anything()];
            option::weighted(0.9, value).prop_map(move |value| (name, value))
        })
        .collect();
    fields.prop_map(|fields| {
        let given = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Object(given.collect::<Map<_, _>>())
    })
}

fn anthropic_reply() -> impl Strategy<Value = Value> {
    let texts = vec![json!(""), json!("x"), json!(" y ")];
    let ids = vec![json!("toolu_1"), json!("toolu_2"), json!("call_1"), json!("")];
    // A block of an unknown type is repeated as it is: the service that sent it can read it.
    let typed = |name: &'static str, block: Value| {
        let mut block = block;
        block["type"] = json!(name);
        block
    };
    let block = prop_oneof![
        object(vec![("text", texts)]).prop_map(move |block| typed("text", block)),
        object(vec![
            ("id", ids),
            ("name", vec![json!("query_ownership"), json!("no such")]),
            ("input", vec![json!({}), json!({"path": "b.rs"})]),
        ])
        .prop_map(move |block| typed("tool_use", block)),
        Just(json!({"type": "thinking", "thinking": "t", "signature": "signed"})),
        anything(),
    ];
    (vec(block, 0..5), anything()).prop_map(
        |(content, stop)| json!({"type": "message", "content": content, "stop_reason": stop}),
    )
}

fn openai_reply() -> impl Strategy<Value = Value> {
    let function = object(vec![
        ("name", vec![json!("query_ownership"), json!("no such")]),
        ("arguments", vec![json!("{}"), json!("{\"path\": \"b.rs\"}"), json!({"n": 1})]),
    ]);
    let call = object(vec![
        ("id", vec![json!("a"), json!("b"), json!("call_1"), json!("")]),
        ("index", vec![json!(0)]),
        ("extra_content", vec![Value::Null, json!({"google": {}})]),
    ]);
    let call = (call, function).prop_map(|(mut call, function)| {
        call["function"] = function;
        call
    });
    let message = object(vec![
        ("role", vec![json!("assistant")]),
        ("content", vec![Value::Null, json!("x"), json!("")]),
        ("reasoning_content", vec![Value::Null, json!("r")]),
        ("annotations", vec![json!([])]),
    ]);
    (message, vec(call, 0..4), anything()).prop_map(|(mut message, calls, stop)| {
        message["tool_calls"] = json!(calls);
        json!({"choices": [{"message": message, "finish_reason": stop}]})
    })
}

fn provider(protocol: Protocol) -> Provider {
    Provider::new(protocol, Some("http://127.0.0.1"), "m", Some(KEY)).expect("a provider")
}

/// Plays a conversation with these replies and checks each request.
fn check(protocol: Protocol, replies: &[Value]) -> Result<(), TestCaseError> {
    let provider = provider(protocol);
    let frame = Frame { system: "s".to_owned(), tools: tools() };
    let headers: BTreeMap<String, String> = wire::headers(&provider)
        .into_iter()
        .map(|(name, value)| (name.to_string(), value.to_str().expect("a text").to_owned()))
        .collect();
    let path = provider.endpoint().trim_start_matches("http://127.0.0.1").to_owned();
    let (mut messages, mut used, mut accepted) = (Vec::new(), BTreeSet::new(), Vec::new());
    let mut input = Input::Text("hello".to_owned());
    let mut pending: Vec<String> = Vec::new();
    for at in 0..=replies.len() {
        wire::push(protocol, &mut messages, &input, &pending);
        let body = wire::body(&provider, &frame, messages.clone());
        let (headers, path) = (headers.clone(), path.clone());
        let received = Received { method: "POST".to_owned(), path, headers, body: Vec::new() };
        let checked = rules::check(protocol, &received, &body, Some(KEY), &accepted);
        prop_assert!(checked.is_ok(), "{checked:?}: {body}");
        // A reply that is none of the protocol ends the conversation.
        let Some(reply) = replies.get(at) else { break };
        let Ok(turn) = wire::parse(protocol, reply, &used) else { break };
        let calls = turn.reply.calls;
        prop_assert!(calls.is_empty() || turn.reply.stop != Stop::End);
        prop_assert!(!calls.is_empty() || turn.reply.stop != Stop::ToolUse);
        for call in &calls {
            prop_assert!(used.insert(call.id.clone()), "{} is used twice", call.id);
            prop_assert!(call.arguments.as_ref().map_or(true, Value::is_object));
        }
        messages.extend(turn.message);
        accepted.push(reply.clone());
        pending = calls.iter().map(|call| call.id.clone()).collect();
        let results = calls.iter().rev().map(|call| ToolResult {
            id: call.id.clone(),
            text: String::new(),
            is_error: call.arguments.is_err(),
        });
        input = if calls.is_empty() {
            Input::Text("go on".to_owned())
        } else {
            Input::Results(results.collect())
        };
    }
    Ok(())
}

proptest! {
    #[test]
    fn requests_after_any_replies_of_anthropic_are_accepted(
        replies in vec(anthropic_reply(), 1..4)
    ) {
        check(Protocol::Anthropic, &replies)?;
    }

    #[test]
    fn requests_after_any_replies_of_openai_are_accepted(replies in vec(openai_reply(), 1..4)) {
        check(Protocol::OpenAi, &replies)?;
    }

    #[test]
    fn any_bytes_are_a_reply_or_an_error(bytes in vec(any::<u8>(), 0..200), value in anything()) {
        for protocol in PROTOCOLS {
            drop(wire::error(&bytes));
            drop(wire::parse(protocol, &value, &BTreeSet::new()));
        }
    }
}
