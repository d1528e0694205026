//! The shape of the crate: data flows one way, so modules import one way. This reads the sources.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The modules, from the bottom to the top. A module knows only those of the rows before its own.
const ROWS: &[&[&str]] = &[
    // The vocabulary.
    &["structures", "types"],
    &["error", "event", "rng"],
    // The policies. They stand in one row: none knows another.
    &["affinity", "blacklist", "classify", "cooldown", "select"],
    // The composition.
    &["config"],
    &["health"],
    &["credential"],
    &["provider"],
    &["route"],
    &["explain", "retry", "snapshot"],
    // The only code that changes a pool.
    &["pool"],
    // The only code that knows JavaScript.
    &["wasm"],
];

/// What only `wasm` may know.
const FOREIGN: [&str; 4] = ["getrandom::", "js_sys::", "serde_wasm_bindgen::", "wasm_bindgen::"];

/// What may not stand in code that never panics.
const PANICS: [&str; 7] =
    [".unwrap()", ".expect(", "panic!(", "unreachable!(", "todo!(", "unimplemented!(", "assert!("];

#[test]
fn every_module_imports_only_from_the_layers_below_its_own() {
    for source in sources() {
        let own = row(&source.module);
        for known in source.mentions().filter(|known| **known != *source.module) {
            assert!(row(&known) < own, "{} may not know {known}", source.path);
        }
    }
}

#[test]
fn every_module_has_its_place_among_the_layers() {
    let named: BTreeSet<String> = sources().map(|source| source.module).collect();
    let placed = ROWS.concat().into_iter().map(str::to_owned).collect();
    assert_eq!(named, placed, "the rows of this test are the modules of the crate");
}

#[test]
fn only_the_boundary_knows_javascript() {
    for source in sources().filter(|source| source.module != "wasm") {
        for name in FOREIGN {
            assert!(!source.code.contains(name), "{} may not know {name}", source.path);
        }
    }
}

#[test]
fn nothing_in_the_sources_panics_on_purpose() {
    for source in sources() {
        for call in PANICS {
            assert!(!source.code.contains(call), "{} calls {call}", source.path);
        }
    }
}

struct Source {
    path: String,
    /// The module of the crate's root that it belongs to.
    module: String,
    /// The text without its comments and its own tests.
    code: String,
}

impl Source {
    /// The modules of the crate's root that the code names.
    fn mentions(&self) -> impl Iterator<Item = String> + '_ {
        self.code.split("crate::").skip(1).map(|rest| {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let name = &rest[..end];
            assert!(!name.is_empty(), "{}: name one module after `crate::`", self.path);
            name.to_owned()
        })
    }
}

fn row(module: &str) -> usize {
    let row = ROWS.iter().position(|row| row.contains(&module));
    row.unwrap_or_else(|| panic!("{module} is no module of the crate's root"))
}

/// The sources, without `lib.rs`, which re-exports from everywhere.
fn sources() -> impl Iterator<Item = Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                paths.push(path);
            }
        }
    }
    assert!(paths.len() > 20, "the sources are where they were");
    paths.into_iter().filter_map(move |path| {
        let inside = path.strip_prefix(&root).expect("it was found there");
        let parts: Vec<&str> = inside.iter().filter_map(|part| part.to_str()).collect();
        let module = parts.first()?.trim_end_matches(".rs").to_owned();
        let text = fs::read_to_string(&path).expect("a source");
        let code = code(&text);
        if module == "lib" {
            return None;
        }
        // What stands in the root or names its parent's parent could reach past `crate::`.
        let reach = ["super::", "super::super::"][parts.len().min(2) - 1];
        assert!(!code.contains(reach), "{} must name `crate::` in full", path.display());
        Some(Source { path: inside.display().to_string(), module, code })
    })
}

fn code(text: &str) -> String {
    let before_tests = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = before_tests.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}
