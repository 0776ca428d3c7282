//! The carried files are part of the program: a change of one rebuilds it. They stand at the project's root; a package
//! of this crate alone has them in a folder of its own.
#![allow(clippy::print_stdout, reason = "Cargo reads a build script's instructions from there")]

use std::env::var;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let here = var("CARGO_MANIFEST_DIR").expect("Cargo runs build scripts");
    let own = Path::new(&here).join("carried");
    let root = if own.is_dir() { own } else { Path::new(&here).join("../..") };
    let is_page = var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm");
    let scenarios = if is_page { of_pages(&root) } else { root.join("scenarios") };
    println!("cargo::rustc-env=HOPSCOPE_SCENARIOS={}", scenarios.display());
    println!("cargo::rustc-env=HOPSCOPE_CARRIED={}", root.display());
    for folder in ["scenarios", "studies", "published"] {
        println!("cargo::rerun-if-changed={}", root.join(folder).display());
    }
}

/// A copy of the ready scenarios and of the files that they name: a page runs scenarios and no other file.
fn of_pages(root: &Path) -> PathBuf {
    let listed = fs::read_dir(root.join("scenarios")).expect("the scenarios are there");
    let files: Vec<PathBuf> = listed.map(|file| file.expect("a file").path()).collect();
    let is_scenario = |file: &Path| file.extension().is_some_and(|ending| ending == "toml");
    let read = |file: &PathBuf| fs::read_to_string(file).expect("a text");
    let scenarios: String = files.iter().filter(|file| is_scenario(file)).map(read).collect();
    let copy = Path::new(&var("OUT_DIR").expect("Cargo runs build scripts")).join("scenarios");
    fs::remove_dir_all(&copy).ok();
    fs::create_dir_all(&copy).expect("Cargo's folder can be written");
    for file in files {
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
        if is_scenario(&file) || scenarios.contains(name) {
            fs::copy(&file, copy.join(name)).expect("Cargo's folder can be written");
        }
    }
    copy
}
