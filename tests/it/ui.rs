//! `codedb ui` over a socket: who is admitted, what pages contain, and what a closed connection ends. The pages in
//! a browser are tested by tests/browser/.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::support::place::{Answer, Place};
use crate::support::prng::Prng;

const PATIENCE: Duration = Duration::from_secs(60);

/// A server of pages; dropping it ends it.
struct Pages {
    child: Child,
    address: SocketAddr,
    token: String,
}

impl Drop for Pages {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A response.
struct Response {
    status: u16,
    head: String,
    body: String,
}

impl Response {
    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(of, _)| of.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

impl Pages {
    fn start(place: &Place) -> Pages {
        Pages::start_with(place, &[])
    }

    fn start_with(place: &Place, args: &[&str]) -> Pages {
        Pages::start_in(place, args, "")
    }

    /// Starts a server for a person whose editor is `editor`.
    fn start_in(place: &Place, args: &[&str], editor: &str) -> Pages {
        let mut command = place.codedb("ui");
        command.env("VISUAL", editor).env_remove("EDITOR");
        command.args(["--no-open", "--port", "0"]).args(args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the server starts");
        let mut line = String::new();
        let output = child.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("it prints its address");
        let rest = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("{line:?}"));
        let (address, token) = rest.split_once("/?token=").expect("an address with a token");
        Pages { child, address: address.parse().expect("an address"), token: token.to_owned() }
    }

    fn connect(&self, line: &str, headers: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        let host = format!("Host: {}\r\n", self.address);
        let host = if headers.contains("Host:") { "" } else { &host };
        let length = format!("Content-Length: {}", body.len());
        let request = format!(
            "{line} HTTP/1.1\r\n{host}Connection: close\r\n{headers}{length}\r\n\r\n{body}"
        );
        let _ = stream.write_all(request.as_bytes());
        stream
    }

    fn send(&self, line: &str, headers: &str, body: &str) -> Response {
        let mut stream = self.connect(line, headers, body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Response { status: status.unwrap_or(0), head: head.to_owned(), body: body.to_owned() }
    }

    /// Uses the token of the printed address; returns the header of its cookie.
    fn admit(&self) -> String {
        let response = self.send(&format!("GET /?token={}", self.token), "", "");
        assert_eq!(response.status, 303, "{}", response.head);
        assert_eq!(response.header("location"), Some("/search"));
        let cookie = response.header("set-cookie").expect("a cookie");
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        let value = cookie.split(';').next().unwrap_or_default();
        format!("Cookie: {value}\r\n")
    }
}

fn place() -> Place {
    let place = Place::new();
    place.write("src/cart.py", b"def total(prices):\n    return sum(prices)\n");
    place.write("src/<script>alert(1)</script>.py", b"x = '<script>alert(2)</script>'\n");
    place.git(&["init", "--quiet"]);
    place
}

#[test]
fn a_token_admits_one_browser() {
    let place = place();
    let pages = Pages::start(&place);
    assert_eq!(pages.send("GET /search", "", "").status, 401);
    assert_eq!(pages.send("GET /?token=", "", "").status, 401);
    assert_eq!(pages.send("GET /events", "", "").status, 401);
    let cookie = pages.admit();
    let again = pages.send(&format!("GET /?token={}", pages.token), "", "");
    assert_eq!(again.status, 401, "the second use by another browser");
    let reload = pages.send(&format!("GET /?token={}", pages.token), &cookie, "");
    assert_eq!(reload.status, 303, "the admitted browser loads the address again");
    let page = pages.send("GET /file/src/cart.py", &cookie, "");
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.body.contains("total"), "{}", page.body);
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.contains("script-src 'self';") && !policy.contains("unsafe"), "{policy}");
}

#[test]
fn foreign_pages_are_refused() {
    let place = place();
    let pages = Pages::start(&place);
    let cookie = pages.admit();
    for headers in [
        "Host: evil.example\r\n",
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
    ] {
        let response = pages.send("GET /search?q=total", &format!("{cookie}{headers}"), "");
        assert_eq!(response.status, 403, "{headers}");
        assert!(!response.body.contains("cart.py"), "{}", response.body);
    }
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    for body in ["id=1&verdict=approve", "form=&id=1&verdict=approve", "form=wrong&id=1"] {
        let response = pages.send("POST /decisions", &format!("{cookie}{form}"), body);
        assert_eq!(response.status, 403, "{body}");
    }
    assert_eq!(pages.send("DELETE /decisions", &cookie, "").status, 405);
}

/// Clients of the same server send no token, so they cannot add directories, clone or write.
#[test]
fn mcp_clients_only_read() {
    let place = place();
    let mut pages = place.codedb("ui");
    let refused = Answer::of({
        pages.args(["--no-open", "--port", "0", "--allow-edit"]);
        pages
    });
    assert_eq!(refused.code, 2, "{}", refused.text());
    let pages = Pages::start_with(&place, &["--toolsets", "all"]);
    let headers = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
                   MCP-Protocol-Version: 2025-11-25\r\n";
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
    let listed = pages.send("POST /mcp", headers, body);
    assert!(listed.body.contains("codedb_search"), "{} {}", listed.head, listed.body);
    for name in ["\"codedb_index\"", "\"codedb_edit\""] {
        assert!(!listed.body.contains(name), "{name}");
    }
}

#[test]
fn addresses_of_any_form_are_answered() {
    let place = place();
    let pages = Pages::start(&place);
    let cookie = pages.admit();
    for (path, status) in [
        ("/nothing", 404),
        ("/file/none.py", 404),
        ("/file/%ff", 400),
        ("/file/%2e%2e/%2e%2e/etc/passwd", 404),
        ("/file/src/%00", 404),
        ("/search?q=%00", 200),
        ("/search?q=(&regex=1", 200),
        ("/search?q=a&in=nonsense", 400),
        ("/search?offset=-1&q=total", 200),
        ("/history?only=nonsense", 404),
        ("/assets/none", 404),
        ("/file/src/%3Cscript%3Ealert(1)%3C/script%3E.py", 200),
    ] {
        let response = pages.send(&format!("GET {path}"), &cookie, "");
        assert!(
            response.status == status || status == 404 && response.status == 400,
            "{path}: {} {}",
            response.status,
            response.body
        );
        assert!(!response.body.contains("<script>alert"), "{path}: {}", response.body);
    }
}

#[test]
fn long_pages_are_compressed_for_browsers_that_can_read_that() {
    let place = place();
    place.write("src/long.py", "value = 12345\n".repeat(2_000));
    let pages = Pages::start(&place);
    let cookie = pages.admit();
    let plain = pages.send("GET /file/src/long.py", &cookie, "");
    assert!(plain.header("content-encoding").is_none() && plain.body.len() > 150 << 10);
    let headers = format!("{cookie}Accept-Encoding: gzip, br\r\n");
    let packed = pages.send("GET /file/src/long.py", &headers, "");
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    let length: usize = packed.header("content-length").and_then(|it| it.parse().ok()).expect("it");
    assert!(length < 150 << 10, "{length}");
}

#[test]
fn a_superseded_search_ends() {
    let place = place();
    let line = format!("{}\n", "a".repeat(2_000));
    place.write("src/long.txt", line.repeat(4_000).as_bytes());
    let pages = Pages::start(&place);
    let cookie = pages.admit();
    // As many as are made at the same time; each would take long.
    for _ in 0..4 {
        let slow = "GET /search?regex=1&q=(a*)*b%7C(a%7Caa)%2Bc";
        drop(pages.connect(slow, &cookie, ""));
    }
    let started = Instant::now();
    let response = pages.send("GET /search?q=total", &cookie, "");
    assert_eq!(response.status, 200);
    assert!(response.body.contains("cart.py"), "{}", response.body);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

/// Fifty windows that follow the tree and each wait for a page that takes long leave MCP clients their share.
#[test]
fn many_windows_do_not_starve_mcp_clients() {
    let place = place();
    // The states of the expression on this text are too many to keep.
    let mut rng = Prng::new(1);
    for at in 0..16 {
        let text: Vec<u8> = (0..200_000)
            .map(|at| if at % 2_000 == 1_999 { b'\n' } else { b"ab"[rng.below(2)] })
            .collect();
        place.write(format!("src/long{at}.txt"), &text);
    }
    let pages = Pages::start(&place);
    let cookie = pages.admit();
    let slow = "GET /search?regex=1&q=a%5Bab%5D%7B60%7D%5B0-9%5D";
    let windows: Vec<[TcpStream; 2]> = (0..50)
        .map(|_| [pages.connect("GET /events", &cookie, ""), pages.connect(slow, &cookie, "")])
        .collect();
    let headers = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
                   MCP-Protocol-Version: 2025-11-25\r\n";
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"codedb_search","arguments":{"query":"total"}}}"#;
    for window in &windows {
        window[1].set_nonblocking(true).expect("a socket");
    }
    let waiting = || windows.iter().filter(|window| window[1].peek(&mut [0]).is_err()).count();
    for _ in 0..5 {
        let before = waiting();
        let found = pages.send("POST /mcp", headers, body);
        assert!(found.body.contains("src/cart.py"), "{} {}", found.head, found.body);
        let after = waiting();
        // Four pages are made at the same time.
        assert!(after > 0 && before - after <= 8, "{before} windows waited, then {after}");
    }
}

/// The paths of the files that a page of results lists, in its order.
fn listed(body: &str) -> Vec<String> {
    let heads = body.split("<section class=\"file\">").skip(1);
    let paths = heads.map(|head| {
        let from = head.find("\">").expect("a link") + 2;
        head[from..].split('<').next().unwrap_or_default().to_owned()
    });
    paths.collect()
}

/// A page of results reads no more files than it shows; together, the pages have all files in the order of the tool.
#[test]
fn pages_of_results_together_list_every_file_once() {
    let place = place();
    for at in 0..150 {
        let (dir, word) = (["src", "tests", "vendor/x"][at % 3], ["needle", "thread"][at % 2]);
        place.write(format!("{dir}/f{at}.py"), format!("print({word}, {at})\n").as_bytes());
    }
    place.write("src/zz.py", b"def needle():\n    return needle\n");
    place.index(&["--stage", "full"]).expect_success();
    let mut search = place.codedb("search");
    search.args(["--structure", "needle", "--json", "--max-results", "200", "-l"]);
    let all = Answer::of(search);
    let all: serde_json::Value = serde_json::from_slice(&all.stdout).expect("JSON");
    let all: Vec<&str> = all["files"]
        .as_array()
        .expect("files")
        .iter()
        .filter_map(|of| of["path"].as_str())
        .collect();
    assert_eq!((all.len(), all[0]), (76, "src/zz.py"), "{all:?}");
    let pages = Pages::start(&place);
    let cookie = pages.admit();
    let (mut found, mut sizes) = (Vec::new(), Vec::new());
    while sizes.len() < 9 {
        let line = format!("GET /search?q=needle&offset={}", found.len());
        let body = pages.send(&line, &cookie, "").body;
        let shown = listed(&body);
        sizes.push(shown.len());
        found.extend(shown);
        if !body.contains("rel=\"next\"") {
            break;
        }
    }
    assert_eq!(
        (sizes.as_slice(), found),
        ([30, 30, 16].as_slice(), all.iter().map(|it| (*it).to_owned()).collect())
    );
    let of_kind = |kind: &str| {
        let line = format!("GET /search?q=needle&kind={kind}");
        pages.send(&line, &cookie, "")
    };
    assert_eq!(listed(&of_kind("definition").body), ["src/zz.py"]);
    assert_eq!(listed(&of_kind("vendored").body).len(), 25);
    assert!(of_kind("generated").body.contains("Search everywhere"));
    assert_eq!(of_kind("nonsense").status, 400);
    // The counts are of all files.
    let facets = pages.send("GET /search?q=needle&only=facets", &cookie, "").body;
    assert!(facets.contains("77 lines in 76 files"), "{facets}");
}

#[cfg(unix)]
#[test]
fn files_are_opened_in_the_editor_by_a_form_of_the_page() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = place();
    let (editor, opened) = (place.root().join("bin/code"), place.root().join("opened"));
    std::fs::create_dir_all(place.root().join("bin")).expect("a directory");
    let script =
        format!("#!/bin/sh\nprintf '%s|' \"$@\" >{0}.new && mv {0}.new {0}\n", opened.display());
    std::fs::write(&editor, script).expect("a script");
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    let pages = Pages::start_in(&place, &[], &editor.display().to_string());
    let cookie = pages.admit();
    let page = pages.send("GET /file/src/cart.py?line=2", &cookie, "").body;
    assert!(page.contains("Open in code"), "{page}");
    let (_, rest) = page.split_once("name=\"form\" value=\"").expect("a token");
    let form = rest.split('"').next().unwrap_or_default();
    let headers = format!("{cookie}Content-Type: application/x-www-form-urlencoded\r\n");
    let post = |body: &str| pages.send("POST /edit", &headers, body).status;
    assert_eq!(post("path=src%2Fcart.py&line=2"), 403, "without the token of the page");
    assert_eq!(post(&format!("form={form}&path=..%2F..%2Fetc%2Fpasswd")), 404);
    assert_eq!(post(&format!("form={form}&path=src")), 404);
    assert!(!opened.exists());
    assert_eq!(post(&format!("form={form}&path=src%2Fcart.py&line=2")), 204);
    let started = Instant::now();
    while !opened.exists() && started.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(10));
    }
    let words = std::fs::read_to_string(&opened).expect("the editor was started");
    assert!(words.starts_with("--goto|") && words.ends_with("/src/cart.py:2|"), "{words}");
    drop(pages);
    // An editor that needs a terminal is not started.
    let pages = Pages::start_in(&place, &[], "vim");
    let cookie = pages.admit();
    let page = pages.send("GET /file/src/cart.py?line=2", &cookie, "").body;
    assert!(page.contains("Copy command for vim") && !page.contains("Open in"), "{page}");
    let (_, rest) = page.split_once("name=\"form\" value=\"").expect("a token");
    let form = rest.split('"').next().unwrap_or_default();
    let headers = format!("{cookie}Content-Type: application/x-www-form-urlencoded\r\n");
    let body = format!("form={form}&path=src%2Fcart.py&line=2");
    let answer = pages.send("POST /edit", &headers, &body);
    assert!(answer.status == 200 && answer.body.contains("vim +2 /"), "{}", answer.body);
}
