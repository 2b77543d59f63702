//! Topics whose code deserves care, by fixed words: execution of data, memory safety, concurrency,
//! security, stored data.
//!
//! The words are those of the languages and of their standard libraries for what the Common Weakness
//! Enumeration groups as injection (CWE-74), memory safety (CWE-119), concurrency (CWE-557), access
//! control and cryptography (CWE-284, CWE-310), and of the calls that delete or replace stored data.

use serde::Serialize;

/// What a line of code touches.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// It executes text or starts a program, or restores objects from data.
    Execution,
    /// The compiler does not check its use of memory.
    Memory,
    /// It synchronizes threads.
    Concurrency,
    /// It authenticates, authorizes or encrypts.
    Security,
    /// It deletes or replaces stored data.
    Storage,
}

impl Topic {
    /// Returns the topic in words.
    pub fn name(self) -> &'static str {
        match self {
            Topic::Execution => "execution of data",
            Topic::Memory => "unchecked memory",
            Topic::Concurrency => "concurrency",
            Topic::Security => "security",
            Topic::Storage => "stored data",
        }
    }
}

/// Words that begin with a letter match at the start of a word; the languages are all if empty.
const WORDS: &[(Topic, &[&str], &[&str])] = &[
    (
        Topic::Execution,
        &[],
        &[
            "eval(",
            "exec(",
            "execSync(",
            "execFile(",
            "popen(",
            "system(",
            "ProcessBuilder(",
            "getRuntime(",
            "child_process",
            "subprocess.",
            "os.system",
            "exec.Command",
            "Command::new",
            "pickle.load",
            "yaml.load(",
            "unserialize(",
            "Marshal.load",
            "ObjectInputStream",
            "innerHTML",
            "dangerouslySetInnerHTML",
            "new Function(",
            "instance_eval",
            "dlopen(",
        ],
    ),
    (
        Topic::Memory,
        &[],
        &[
            "unsafe",
            "transmute",
            "from_raw",
            "into_raw",
            "MaybeUninit",
            "NonNull",
            "ManuallyDrop",
            "strcpy(",
            "strcat(",
            "sprintf(",
            "vsprintf(",
            "gets(",
            "alloca(",
            "memcpy(",
            "memmove(",
            "realloc(",
        ],
    ),
    (
        Topic::Concurrency,
        &[],
        &[
            "Mutex",
            "RwLock",
            "Atomic",
            "Ordering::Acq",
            "Ordering::Rel",
            "Ordering::Seq",
            "Condvar",
            "synchronized",
            "volatile",
            "pthread_",
            "threading.",
            "Semaphore",
            "ReentrantLock",
            "ConcurrentHashMap",
            "sync.",
            "Lock()",
            "RLock()",
            "Unlock()",
            "RUnlock()",
            "compare_exchange",
            "fetch_add",
            "fetch_sub",
            "std::atomic",
            "lock_guard",
        ],
    ),
    (
        Topic::Security,
        &[],
        &[
            "password",
            "passwd",
            "credential",
            "secret",
            "authenticat",
            "authoriz",
            "Authoriz",
            "Authenticat",
            "permission",
            "Permission",
            "encrypt",
            "decrypt",
            "Cipher",
            "cipher",
            "hmac",
            "HMAC",
            "certificate",
            "Certificate",
            "ssl",
            "SSL",
            "TLS",
            "tls",
            "nonce",
            "csrf",
            "CSRF",
            "cookie",
            "Cookie",
            "sanitiz",
            "setuid(",
            "chmod(",
            "chown(",
            "InsecureSkipVerify",
        ],
    ),
    (
        Topic::Storage,
        &[],
        &[
            "DROP TABLE",
            "DROP COLUMN",
            "ALTER TABLE",
            "DELETE FROM",
            "TRUNCATE",
            "drop_table(",
            "drop_column(",
            "remove_dir_all",
            "remove_file",
            "rmtree(",
            "RemoveAll(",
            "unlink(",
            "unlinkSync(",
            "rmSync(",
            "deleteRecursively",
            "fsync",
            "sync_all(",
        ],
    ),
];

/// Words of names of files and directories that serve security.
const SECURE_NAMES: &[&str] = &[
    "acl",
    "auth",
    "authentication",
    "authorization",
    "cert",
    "certs",
    "crypto",
    "csrf",
    "jwt",
    "login",
    "oauth",
    "password",
    "permissions",
    "sandbox",
    "security",
    "session",
    "sessions",
    "ssl",
    "tls",
];

/// Returns true if a word of the path names security. O(path).
pub fn is_secure_path(path: &[u8]) -> bool {
    let path = String::from_utf8_lossy(path).to_lowercase();
    let words = path.split(|c: char| !c.is_alphanumeric());
    words.into_iter().any(|word| SECURE_NAMES.contains(&word))
}

/// Returns the topics of a line of code. O(line · words).
pub(super) fn topics(language: &str, line: &str) -> Vec<Topic> {
    let is_it = |(_, languages, words): &&(Topic, &[&str], &[&str])| {
        (languages.is_empty() || languages.contains(&language))
            && words.iter().any(|word| has_word(line, word))
    };
    WORDS.iter().filter(is_it).map(|(topic, ..)| *topic).collect()
}

fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_words_have_topics() {
        for (line, expected) in [
            ("x = eval(text)", vec![Topic::Execution]),
            ("retrieval(text)", vec![]),
            ("unsafe { a.lock() }", vec![Topic::Memory]),
            ("static A: AtomicUsize = b;", vec![Topic::Concurrency]),
            ("def check_password(a):", vec![Topic::Security]),
            ("op.drop_table('a')", vec![Topic::Storage]),
            ("let b = c + 1;", vec![]),
        ] {
            assert_eq!(topics("rust", line), expected, "{line}");
        }
    }
}
