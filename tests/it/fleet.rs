//! `codedb fleet`: nodes as directories of one machine, and lists of repositories.

mod configuration;
mod deployment;
mod indexing;
mod nodes;
mod plans;
mod simulations;
mod tools;

use std::fs;
use std::path::PathBuf;

use crate::support::place::{Answer, Place};

/// Writes the user's own `codedb.toml`.
fn configure(place: &Place, text: &str) -> PathBuf {
    let path = place.base().join("home/.config/codedb/codedb.toml");
    fs::create_dir_all(path.parent().expect("a file has a directory")).expect("a directory");
    fs::write(&path, text).expect("a file can be written");
    path
}

/// Returns the table of a fleet with these nodes, whose directories are below the place's own.
fn nodes(place: &Place, names: &[&str], replicas: usize) -> String {
    let node = |(at, name): (usize, &&str)| {
        let base = place.base().join("nodes").join(name);
        format!(
            "\n[[fleet.node]]\nname = '{name}'\naddress = 'http://127.0.0.1:{}'\nindex = '{base}/index'\n\
             repositories = '{base}/repositories'\n",
            6070 + at,
            base = base.display()
        )
    };
    let nodes: String = names.iter().enumerate().map(node).collect();
    format!("[fleet]\nreplicas = {replicas}\n{nodes}")
}

/// Runs `codedb fleet` with these arguments.
fn fleet(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.arg("fleet").args(args).env_remove("COLUMNS").env("LC_ALL", "C").env("NO_COLOR", "1");
    Answer::of(command)
}

fn json(answer: &Answer) -> serde_json::Value {
    serde_json::from_slice(&answer.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}\n{}", answer.text(), answer.stderr);
    })
}
