//! An installed Chromium, driven through its DevTools protocol.

use carryall_tests::corpus::required;
use headless_chrome::browser::tab::Tab;
use headless_chrome::protocol::cdp::types::Event;
use headless_chrome::protocol::cdp::{Emulation, Log, Network, Page, Runtime};
use headless_chrome::{Browser, LaunchOptions};
use serde::de::DeserializeOwned;
use std::ffi::OsStr;
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Names under which distributions install it.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Nothing but the page: no update, no component, no sync, no first run.
const FLAGS: [&str; 8] = [
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--disable-renderer-backgrounding",
    "--hide-scrollbars",
];

/// A page of tens of megabytes takes seconds to open on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// A browser of its own for a test, with one tab; it ends with the value.
pub(crate) struct Chromium {
    tab: Arc<Tab>,
    seen: Arc<Mutex<Seen>>,
    /// Ends the program.
    _browser: Browser,
    _profile: tempfile::TempDir,
}

/// How a page is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) width: u32,
    pub(crate) dark: bool,
}

impl View {
    pub(crate) const DESK: Self = Self { width: 1280, dark: false };
}

/// What a page did that a page of ours does not do, and what it loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) requests: Vec<String>,
    pub(crate) messages: Vec<String>,
    pub(crate) dialogs: Vec<String>,
}

/// The page that is open, until another is.
pub(crate) struct Window<'c> {
    chromium: &'c Chromium,
    /// The execution context in which questions are asked: it shares the page's tree and not its
    /// scripts, and the page's policy does not bind it.
    world: u32,
}

impl Chromium {
    /// Starts it. Without one on this machine, says so.
    ///
    /// # Panics
    /// When there is none and `CARRYALL_REQUIRE` holds `browser`.
    pub(crate) fn start() -> Option<Self> {
        let Some(program) = program() else {
            assert!(!required("browser"), "Chromium is required and not installed");
            let said = "absent: Chromium; the tests of pages in a browser did nothing\n";
            std::io::stderr().write_all(said.as_bytes()).unwrap();
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        // The library tries ports one by one, and tests start at the same time.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let options = LaunchOptions {
            path: Some(program),
            user_data_dir: Some(profile.path().to_owned()),
            port: Some(port),
            // As root, in a container, it has no sandbox of its own.
            sandbox: false,
            disable_default_args: true,
            args: FLAGS.iter().map(OsStr::new).collect(),
            idle_browser_timeout: PATIENCE,
            ..LaunchOptions::default()
        };
        let browser = Browser::new(options).expect("Chromium starts");
        let tab = browser.new_tab().unwrap();
        let seen = Arc::new(Mutex::new(Seen::default()));
        listen(&tab, &seen);
        tab.call_method(Page::Enable { enable_file_chooser_opened_event: None }).unwrap();
        tab.call_method(Runtime::Enable(None)).unwrap();
        tab.call_method(Log::Enable(None)).unwrap();
        tab.call_method(network()).unwrap();
        Some(Self { tab, seen, _browser: browser, _profile: profile })
    }

    /// Opens a file and waits until all of it is there.
    pub(crate) fn open(&self, page: &Path, view: View) -> Window<'_> {
        *self.seen.lock().unwrap() = Seen::default();
        self.look(view);
        let url = address(page);
        // It answers when the new document takes the place of the old one.
        self.tab.navigate_to(&url).unwrap();
        let window = Window { chromium: self, world: world(&self.tab) };
        let loaded: bool = window.ask(
            "document.readyState === 'complete' || \
             new Promise(done => addEventListener('load', () => done(true)))",
        );
        assert!(loaded, "{url}");
        assert_eq!(window.ask::<String>("location.href"), url);
        window
    }

    fn look(&self, view: View) {
        self.tab.call_method(metrics(view.width)).unwrap();
        self.tab.call_method(scheme(view.dark)).unwrap();
    }
}

impl Window<'_> {
    /// The value of an expression, or of what it promises, in a world of its own.
    pub(crate) fn ask<T: DeserializeOwned>(&self, expression: &str) -> T {
        let question = Runtime::Evaluate {
            context_id: Some(self.world),
            await_promise: Some(true),
            return_by_value: Some(true),
            ..evaluate(expression)
        };
        let answer = self.chromium.tab.call_method(question).unwrap();
        if let Some(error) = answer.exception_details {
            panic!("{error:?} in {}", &expression[expression.len().saturating_sub(200)..]);
        }
        serde_json::from_value(answer.result.value.unwrap_or_default()).unwrap()
    }

    /// Presses a key and lets it go.
    pub(crate) fn press(&self, key: &str) {
        self.chromium.tab.press_key(key).unwrap();
    }

    /// Looks at the page differently.
    pub(crate) fn look(&self, view: View) {
        self.chromium.look(view);
    }

    /// What the page did so far.
    pub(crate) fn seen(&self) -> Seen {
        self.chromium.seen.lock().unwrap().clone()
    }
}

/// The program, where `PATH` or `CARRYALL_CHROMIUM` has it.
fn program() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CARRYALL_CHROMIUM") {
        return Some(named.into());
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let places = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}

/// A file as an address.
pub(crate) fn address(page: &Path) -> String {
    format!("file://{}", page.canonicalize().unwrap().display())
}

fn listen(tab: &Arc<Tab>, seen: &Arc<Mutex<Seen>>) {
    let seen = Arc::clone(seen);
    let told = Arc::downgrade(tab);
    let listener = move |event: &Event| {
        let mut seen = seen.lock().unwrap();
        match event {
            Event::NetworkRequestWillBeSent(sent) => {
                seen.requests.push(sent.params.request.url.clone());
            }
            Event::RuntimeConsoleAPICalled(called) => {
                seen.messages.push(format!("{:?}", called.params.args));
            }
            Event::RuntimeExceptionThrown(thrown) => {
                seen.messages.push(thrown.params.exception_details.text.clone());
            }
            Event::LogEntryAdded(added) => seen.messages.push(added.params.entry.text.clone()),
            Event::PageJavascriptDialogOpening(opening) => {
                seen.dialogs.push(opening.params.message.clone());
                // From another thread: this one brings the answer.
                if let Some(tab) = told.upgrade() {
                    std::thread::spawn(move || tab.get_dialog().accept(None));
                }
            }
            _ => {}
        }
    };
    // The tab keeps the listener.
    tab.add_event_listener(Arc::new(listener)).unwrap();
}

fn world(tab: &Tab) -> u32 {
    let frame = tab.call_method(Page::GetFrameTree(None)).unwrap().frame_tree.frame.id;
    let world = Page::CreateIsolatedWorld {
        frame_id: frame,
        world_name: Some("carryall".into()),
        grant_univeral_access: None,
    };
    tab.call_method(world).unwrap().execution_context_id
}

fn metrics(width: u32) -> Emulation::SetDeviceMetricsOverride {
    Emulation::SetDeviceMetricsOverride {
        width,
        height: 800,
        device_scale_factor: 1.0,
        mobile: false,
        scale: None,
        screen_width: None,
        screen_height: None,
        position_x: None,
        position_y: None,
        dont_set_visible_size: None,
        screen_orientation: None,
        viewport: None,
        display_feature: None,
        device_posture: None,
    }
}

fn scheme(dark: bool) -> Emulation::SetEmulatedMedia {
    let value = if dark { "dark" } else { "light" };
    let feature =
        Emulation::MediaFeature { name: "prefers-color-scheme".into(), value: value.into() };
    Emulation::SetEmulatedMedia { media: None, features: Some(vec![feature]) }
}

fn network() -> Network::Enable {
    Network::Enable {
        max_total_buffer_size: None,
        max_resource_buffer_size: None,
        max_post_data_size: None,
        report_direct_socket_traffic: None,
        enable_durable_messages: None,
    }
}

fn evaluate(expression: &str) -> Runtime::Evaluate {
    Runtime::Evaluate {
        expression: expression.to_owned(),
        object_group: None,
        include_command_line_api: None,
        silent: None,
        context_id: None,
        return_by_value: None,
        generate_preview: None,
        user_gesture: None,
        await_promise: None,
        throw_on_side_effect: None,
        timeout: None,
        disable_breaks: None,
        repl_mode: None,
        allow_unsafe_eval_blocked_by_csp: None,
        unique_context_id: None,
        serialization_options: None,
    }
}
