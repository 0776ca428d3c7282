//! The carried files are part of the program: a change of one rebuilds it. They stand at the project's root; a package
//! of this crate alone has them in a folder of its own.
#![allow(clippy::print_stdout, reason = "Cargo reads a build script's instructions from there")]

use std::path::Path;

fn main() {
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("Cargo runs build scripts");
    let own = Path::new(&here).join("carried");
    let root = if own.is_dir() { own } else { Path::new(&here).join("../..") };
    println!("cargo::rustc-env=HOPSCOPE_CARRIED={}", root.display());
    for folder in ["scenarios", "studies", "published"] {
        println!("cargo::rerun-if-changed={}", root.join(folder).display());
    }
}
