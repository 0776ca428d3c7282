//! Why a program of one's own did not do what it was asked.

use std::io;
use std::path::PathBuf;

use hopscope_scenario::{Diagnosis, ScenarioError};

use crate::output_error::OutputError;
use crate::run::{InternalError, RunResult};

/// What went wrong, for the exit code and the message.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The command line makes no sense: a verb, an option or a value that there is not.
    #[error("{0}")]
    CommandLine(#[from] clap::Error),
    /// What is asked for makes no sense.
    #[error("error: {problem}\nhint: {hint}")]
    Use {
        /// What is wrong.
        problem: String,
        /// A next step.
        hint: String,
    },
    /// The scenario cannot be run.
    #[error("{0}")]
    Scenario(#[from] ScenarioError),
    /// The folder to write is taken.
    #[error("error: `{}` exists already and is not empty\nhint: choose another --out or remove it", .0.display())]
    Taken(PathBuf),
    /// A file that could not be written.
    #[error("error: {0}\nhint: choose a folder that you may write with --out")]
    Output(#[from] OutputError),
    /// What was simulated could not be written: here it is.
    #[error("{why}")]
    NotKept {
        /// All results, in their order.
        results: Vec<RunResult>,
        /// Why they are in no folder.
        why: Box<Failure>,
    },
    /// The results could not be printed.
    #[error("error: cannot print: {0}")]
    Printing(#[from] io::Error),
    /// A mistake of the program: a broken invariant of the engine, or of a rule of its own.
    #[error(
        "error: a mistake of this program: {0}\nhint: a rule of its own, or the engine, broke what it promises"
    )]
    Internal(#[from] InternalError),
}

impl Failure {
    /// What makes no sense, and a next step.
    pub(super) fn of_use(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Use { problem: problem.into(), hint: hint.into() }
    }

    /// Its exit code, as in hopscope.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Internal(_) => 3,
            Self::NotKept { why, .. } => why.exit_code(),
            Self::CommandLine(_)
            | Self::Use { .. }
            | Self::Scenario(_)
            | Self::Taken(_)
            | Self::Output(_)
            | Self::Printing(_) => 2,
        }
    }
}

impl From<Diagnosis> for Failure {
    fn from(diagnosis: Diagnosis) -> Self {
        Self::Scenario(diagnosis.into())
    }
}
