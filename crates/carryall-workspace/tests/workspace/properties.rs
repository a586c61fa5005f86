//! Random requests against a tree full of ways out.

use std::path::Path;

use proptest::prelude::*;

use crate::scratch::{Scratch, export, is_temporary, open, snapshot};

/// Parts that mean something in the tree below, and any text at all.
fn part() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "", ".", "..", "...", "a", "b", "file", "up", "out", "outside", "absolute", "self",
        "dangling", "git", ".git", "root", "new", "x.md", "~", "..\\..", "\u{202e}", "a\0",
    ]);
    prop_oneof![8 => known.prop_map(str::to_owned), 1 => "\\PC{1,6}", 1 => any::<String>()]
}

fn request() -> impl Strategy<Value = String> {
    let start = prop::sample::select(vec!["", "", "", "/", "$BASE/", "$ROOT/", "$ROOT/../", "//"]);
    (start, prop::collection::vec(part(), 0..8))
        .prop_map(|(start, parts)| format!("{start}{}", parts.join("/")))
}

fn scratch() -> Scratch {
    let scratch = Scratch::in_memory();
    scratch.dir("root/a/b");
    scratch.dir("root/.git");
    scratch.file("root/file", "old");
    scratch.file("out/secret", "precious");
    scratch.link("root/up", "..");
    scratch.link("root/out", "../out");
    scratch.link("root/outside", "../out/secret");
    scratch.link("root/absolute", "/");
    scratch.link("root/self", "self");
    scratch.link("root/dangling", "../out/new");
    scratch.link("root/git", ".git");
    scratch.link("root/a/up", "../../out");
    scratch
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_request_writes_outside(requests in prop::collection::vec(request(), 1..4)) {
        let scratch = scratch();
        let root = scratch.root();
        let workspace = open(&root);
        let outside = |path: &Path| !path.starts_with("root") || path.starts_with("root/.git");
        let seen = || {
            let mut all = snapshot(&scratch.base);
            all.retain(|path, _| outside(path));
            all
        };
        let before = seen();
        for request in requests {
            let base = scratch.base.to_str().unwrap();
            let request = request.replace("$ROOT", &format!("{base}/root")).replace("$BASE", base);
            if let Ok(written) = export(&workspace, &request, b"document") {
                let place = root.join(&written.path);
                prop_assert_eq!(std::fs::read(&place).unwrap(), b"document", "{:?}", request);
                prop_assert_eq!(&place, &written.full_path, "{:?}", request);
                prop_assert_eq!(place.canonicalize().unwrap(), place, "{:?}", request);
            }
            prop_assert_eq!(seen(), before.clone(), "{:?}", request);
        }
        let all = snapshot(&root);
        let left = all.keys().find(|path| is_temporary(&path.to_string_lossy()));
        prop_assert_eq!(left, None);
    }
}
