//! The carried files are part of the program: a change of one rebuilds it.
#![allow(clippy::print_stdout, reason = "Cargo reads a build script's instructions from there")]

fn main() {
    for folder in ["scenarios", "studies", "published"] {
        println!("cargo::rerun-if-changed=../../{folder}");
    }
}
