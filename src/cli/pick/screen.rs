//! [`Screen`]: the terminal while the finder is shown. It is restored when this value is dropped, and on a
//! panic before its message is printed.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Stderr, Stdout, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(unix)]
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::{cursor, execute, terminal};

use super::state::State;
use super::view::{self, Theme};
use crate::error::{Error, Kind, Result};

/// True while a terminal is to be restored.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

/// Where the screen is drawn.
enum Output {
    Stderr(Stderr),
    Stdout(Stdout),
    Terminal(File),
}

impl Output {
    /// Returns standard error or output, whichever is a terminal; else the terminal of the process.
    fn open() -> Option<Output> {
        if io::stderr().is_terminal() {
            Some(Output::Stderr(io::stderr()))
        } else if io::stdout().is_terminal() {
            Some(Output::Stdout(io::stdout()))
        } else if cfg!(unix) {
            File::options().write(true).open("/dev/tty").ok().map(Output::Terminal)
        } else {
            None
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Stderr(to) => to.write(bytes),
            Output::Stdout(to) => to.write(bytes),
            Output::Terminal(to) => to.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Stderr(to) => to.flush(),
            Output::Stdout(to) => to.flush(),
            Output::Terminal(to) => to.flush(),
        }
    }
}

/// The terminal, in raw mode and with its other screen.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<BufWriter<Output>>>,
}

impl Screen {
    /// Shows the other screen.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] without a terminal.
    pub(super) fn open() -> Result<Screen> {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let output = Output::open().filter(|_| io::stdin().is_terminal() && !is_dumb);
        let Some(output) = output else { return Err(no_terminal()) };
        restore_on_panic();
        restore_on_signals();
        terminal::enable_raw_mode().map_err(failed)?;
        IS_SHOWN.store(true, Ordering::SeqCst);
        end_on_hangup();
        let shown = show(output);
        shown.inspect_err(|_| restore()).map_err(failed)
    }

    /// Draws the state.
    ///
    /// # Errors
    ///
    /// If the terminal cannot be written.
    pub(super) fn draw(&mut self, state: &State, theme: Theme) -> Result<()> {
        let drawn = self.terminal.draw(|frame| {
            // The terminal was resized a moment ago; the event about it comes next.
            if frame.area() != state.area() {
                return;
            }
            let cursor = view::draw(state, theme, frame.buffer_mut());
            frame.set_cursor_position(cursor);
        });
        drawn.map_err(failed).map(drop)
    }

    /// Returns the part of the terminal that is drawn, after it was resized, too.
    ///
    /// # Errors
    ///
    /// If the size is unknown.
    pub(super) fn area(&mut self) -> Result<ratatui::layout::Rect> {
        self.terminal.autoresize().map_err(failed)?;
        Ok(self.terminal.get_frame().area())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

fn show(output: Output) -> io::Result<Screen> {
    let mut output = BufWriter::new(output);
    // `Terminal::clear` would ask the terminal for the cursor, which not every one answers.
    let all = terminal::Clear(terminal::ClearType::All);
    execute!(output, terminal::EnterAlternateScreen, all)?;
    Ok(Screen { terminal: Terminal::new(CrosstermBackend::new(output))? })
}

/// Restores the terminal, once.
fn restore() {
    if !IS_SHOWN.swap(false, Ordering::SeqCst) {
        return;
    }
    if let Some(mut output) = Output::open() {
        let _ = execute!(output, terminal::LeaveAlternateScreen, cursor::Show);
    }
    let _ = terminal::disable_raw_mode();
}

fn restore_on_panic() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            print(panic);
        }));
    });
}

/// Starts the thread that ends the process on a signal, after the terminal is restored. The thread that draws
/// could not: where the terminal hung up, its wait for a key does not end.
#[cfg(unix)]
fn restore_on_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGTERM]) else { return };
        let wait = move || {
            for signal in signals.forever() {
                restore();
                let _ = emulate_default_handler(signal);
            }
        };
        drop(std::thread::Builder::new().name("signals".to_owned()).spawn(wait));
    });
}

#[cfg(not(unix))]
fn restore_on_signals() {}

/// How often it is checked that the terminal is still there.
#[cfg(unix)]
const HANGUP_EVERY: Duration = Duration::from_millis(250);

/// Starts the thread that ends the process where the terminal hangs up and no signal reports it: the kernel
/// signals the shell, which may ignore it. Reading from such a terminal succeeds with nothing, and crossterm
/// repeats it for ever.
#[cfg(unix)]
fn end_on_hangup() {
    let wait = || {
        while !is_lost() {
            std::thread::sleep(HANGUP_EVERY);
            if rustix::termios::tcgetattr(io::stdin()).is_err() && !is_lost() {
                restore();
                let _ =
                    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGHUP);
            }
        }
    };
    drop(std::thread::Builder::new().name("hangup".to_owned()).spawn(wait));
}

#[cfg(not(unix))]
fn end_on_hangup() {}

/// Returns true if the terminal is no longer this one's: a panic restored it.
pub(super) fn is_lost() -> bool {
    !IS_SHOWN.load(Ordering::SeqCst)
}

/// Returns the error without a terminal.
fn no_terminal() -> Error {
    Error::usage("`codedb pick` needs a terminal; in scripts use `codedb symbol` and `codedb find`")
        .with_hint("`codedb pick --list` prints every name, for another finder")
}

fn failed(error: io::Error) -> Error {
    Error::new(Kind::Io, format!("the terminal failed: {error}"))
}
