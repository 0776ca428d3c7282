//! The files that a scenario names, and how any text file is read.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use crate::access::{FileAccess, Home};
use crate::closest;
use crate::diagnosis::Diagnosis;
use crate::tree::{Node, Origin, Path, Place, SourceText};

/// The largest file that a scenario may name: the graph of a fabric of some hundred thousand hosts.
const LARGEST_ATTACHMENT: u64 = 256 << 20;

/// Where the files that a scenario names are looked for.
#[derive(Clone, Debug)]
pub enum Base {
    /// In the folder of the scenario's own file, or below it.
    Folder(PathBuf),
    /// In this folder, where the user gave the file itself, and the scenario around it is the program's.
    Given(PathBuf),
    /// Among the files that come with the program.
    Carried(Carried),
    /// Among the files that a scenario from elsewhere has brought along, then where it would look by itself.
    Brought(Arc<Brought>),
}

/// A file as a scenario asks for it: the path that it names, and whether an override names it. The same path may mean
/// two files, since an override's starts at the working folder.
pub type Asked = (String, bool);

/// The files of a scenario that was read elsewhere.
#[derive(Clone, Debug)]
pub struct Brought {
    /// Their texts, by what asks for them.
    pub files: BTreeMap<Asked, Arc<SourceText>>,
    /// Where others are looked for.
    pub then: Base,
}

/// Files that come with the program.
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    /// What messages call the folder that they are in.
    pub folder: &'static str,
    /// The text of the file with this path below it.
    pub read: fn(&str) -> Option<&'static str>,
}

/// Why a text file was not read.
#[derive(Clone, Debug)]
pub enum Refused {
    /// There is none.
    Missing,
    /// It lies where the scenario may name none.
    Outside,
    /// Anything else: a folder, a file that is too large or no text.
    For(Diagnosis),
}

/// Reads a scenario's or a study's own file, of at most this many bytes; messages call it a `what` file.
///
/// # Errors
/// A file that is missing, unreadable, too large or no text in UTF-8.
pub fn read_text(path: &FilePath, largest: u64, what: &str) -> Result<SourceText, Refused> {
    let label = path.display().to_string();
    Ok(SourceText { text: text_of(path, &label, largest, what)?, label, origin: Origin::Scenario })
}

/// Reads a file that the command line names beside a scenario, as [`read_text`] does.
///
/// # Errors
/// Those of [`read_text`].
pub fn read_beside(path: &FilePath, largest: u64, what: &str) -> Result<SourceText, Refused> {
    let label = path.display().to_string();
    Ok(SourceText { text: text_of(path, &label, largest, what)?, label, origin: Origin::Given })
}

/// The text of a file that messages call `label`.
fn text_of(path: &FilePath, label: &str, largest: u64, what: &str) -> Result<String, Refused> {
    let refuse =
        |problem: String, expected: &str| Err(Refused::For(Diagnosis::new(problem).expected(expected)));
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Err(Refused::Missing);
        }
        Err(error) => return refuse(format!("{label}: cannot be read: {error}"), ""),
    };
    let one =
        if what.starts_with(['a', 'e', 'i', 'o', 'u']) { format!("an {what}") } else { format!("a {what}") };
    let expected = format!("{one} file");
    if metadata.is_dir() {
        return refuse(format!("{label}: this is a folder"), &expected);
    }
    if !metadata.is_file() {
        return refuse(format!("{label}: this is not a regular file"), &expected);
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(largest + 1).read_to_end(&mut bytes));
    if let Err(error) = read {
        return refuse(format!("{label}: cannot be read: {error}"), "");
    }
    if bytes.len() as u64 > largest {
        let size = metadata.len().div_ceil(1 << 20);
        let problem = format!("{label}: the file has {size} MiB");
        return refuse(problem, &format!("{one} of at most {} MiB", largest >> 20));
    }
    match String::from_utf8(bytes) {
        Ok(mut text) => {
            // The mark that some editors put at the start of a text.
            if text.starts_with('\u{feff}') {
                text.remove(0);
            }
            Ok(text)
        }
        Err(error) => Err(Refused::For(not_utf8(label, &error))),
    }
}

/// How a text in UTF-16 begins, with the smaller half of each character first or last.
const UTF_16_MARKS: [[u8; 2]; 2] = [[0xff, 0xfe], [0xfe, 0xff]];

/// Points at the first byte that is no UTF-8, and shows nothing of what is no text.
fn not_utf8(label: &str, error: &std::string::FromUtf8Error) -> Diagnosis {
    let at = error.utf8_error().valid_up_to();
    let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
    let source = Arc::new(SourceText { label: label.to_owned(), text, origin: Origin::Named });
    let place = Place { source, span: at..at + 1 };
    let is_utf16 = UTF_16_MARKS.iter().any(|mark| error.as_bytes().starts_with(mark));
    let (problem, hint) = if is_utf16 {
        ("this is UTF-16 text", "save it as UTF-8: editors and `iconv -f UTF-16 -t UTF-8` can")
    } else {
        ("this is not UTF-8 text", hint_on_bytes(error.as_bytes()))
    };
    let diagnosis = Diagnosis::new(problem).at(place).unquoted();
    diagnosis.expected("text in UTF-8").hint(Some(hint))
}

/// What bytes may be that are no UTF-8: text in another encoding has no byte 0, and next to no controls.
fn hint_on_bytes(bytes: &[u8]) -> &'static str {
    let is_control = |byte: &&u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    if !bytes.contains(&0) && bytes.iter().filter(is_control).count() * 100 <= bytes.len() {
        "letters in another encoding? save it as UTF-8: editors and `iconv -f ISO-8859-1 -t UTF-8` can"
    } else {
        "is it compressed, or another kind of file?"
    }
}

/// A file that a scenario names, such as a graph. Its text belongs to the scenario: it is hashed with it and copied
/// into the run folder.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// The file's own name, without folders: what the scenario in the run folder calls it.
    pub name: String,
    /// The text and what messages call it.
    pub text: Arc<SourceText>,
    /// What asks for it.
    pub asked: Asked,
}

impl Attachment {
    /// The character at this line and column, both counted from 1.
    #[must_use]
    pub fn place(&self, line: usize, column: usize) -> Place {
        let text = &self.text.text;
        let line_start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let line = &text[line_start..];
        let start = line.char_indices().nth(column - 1).map_or(text.len(), |(at, _)| line_start + at);
        Place { source: Arc::clone(&self.text), span: start..start + 1 }
    }
}

/// The files that a scenario names, read while it is checked.
#[derive(Debug)]
pub struct Files<'a> {
    base: &'a Base,
    root: &'a Node,
    access: &'a FileAccess,
    reserved: &'a [&'a str],
    read: Vec<Attachment>,
}

impl<'a> Files<'a> {
    /// The files that the scenario `root` names, looked for at `base` as far as `access` allows. None gets a name that
    /// is `reserved`.
    #[must_use]
    pub fn new(base: &'a Base, root: &'a Node, access: &'a FileAccess, reserved: &'a [&'a str]) -> Self {
        Self { base, root, access, reserved, read: Vec::new() }
    }

    /// All that have been read, in their order.
    #[must_use]
    pub fn into_attachments(self) -> Vec<Attachment> {
        self.read
    }

    /// Reads the file that the field at `field` names as `path`.
    ///
    /// A relative path starts at the scenario's own folder, or where the field was overridden at the working folder; a
    /// ready scenario may also be given a file that comes with the program. The model then writes the attachment's
    /// `name` into its parameters, so that the scenario holds wherever the run folder goes.
    ///
    /// # Errors
    /// Where the file is missing, lies where the scenario may name none, is no text or is too large: a diagnosis at the
    /// field.
    pub fn read(&mut self, field: &str, path: &str) -> Result<Attachment, Diagnosis> {
        let place = self.root.nearest_place(&Path::of(field));
        let is_override = place.source.is_override();
        let refuse = |problem: &str| Diagnosis::new(format!("{field}: {problem}")).at(place.clone());
        let Some(name) = FilePath::new(path).file_name().map(|name| name.to_string_lossy().into_owned())
        else {
            return Err(refuse("this is not the path of a file").expected("a path"));
        };
        let asked = (path.to_owned(), is_override);
        if let Some(known) = self.read.iter().find(|attachment| attachment.asked == asked) {
            return Ok(known.clone());
        }
        if let Base::Brought(brought) = self.base
            && let Some(text) = brought.files.get(&asked)
        {
            return Ok(self.attach(&name, Arc::clone(text), asked));
        }
        let text = match self.text(path, is_override) {
            Ok(text) => text,
            Err(Refused::Missing) => {
                let refused = refuse("there is no such file");
                return Err(match self.home(is_override) {
                    Some(home) => missing_attachment(refused, home, path),
                    None => refused,
                });
            }
            Err(Refused::Outside) => return Err(outside(refuse, is_override)),
            Err(Refused::For(diagnosis)) if diagnosis.place.is_some() => return Err(diagnosis),
            Err(Refused::For(diagnosis)) => {
                let expected = diagnosis.expected.unwrap_or_default();
                return Err(refuse(&diagnosis.problem).expected(expected));
            }
        };
        Ok(self.attach(&name, Arc::new(text), asked))
    }

    fn attach(&mut self, name: &str, text: Arc<SourceText>, asked: Asked) -> Attachment {
        let attachment = Attachment { name: self.free_name(name), text, asked };
        self.read.push(attachment.clone());
        attachment
    }

    /// The place of files that are not in the parcel.
    fn base(&self) -> &'a Base {
        match self.base {
            Base::Brought(brought) => &brought.then,
            base => base,
        }
    }

    /// The text of the file at a path that the scenario or an override names.
    fn text(&self, path: &str, is_override: bool) -> Result<SourceText, Refused> {
        let beside = match self.home(is_override) {
            None => Err(Refused::Missing),
            Some(home) => home.file(path).ok_or(Refused::Outside).and_then(|file| {
                let label = home.folder.join(path).display().to_string();
                let text = text_of(&file, &label, LARGEST_ATTACHMENT, "graph")?;
                Ok(SourceText { label, text, origin: home.origin })
            }),
        };
        match (beside, self.carried(path)) {
            (Err(Refused::Missing), Some(carried)) => Ok(carried),
            (beside, _) => beside,
        }
    }

    /// Where a relative path starts; nothing for a ready scenario, whose files come with the program.
    fn home(&self, is_override: bool) -> Option<Home<'_>> {
        let others = |folder| Home { folder, is_fence: !self.access.any, origin: Origin::Named };
        let users = |folder| Home { folder, is_fence: false, origin: Origin::Given };
        match (self.base(), is_override, &self.access.study) {
            (_, true, Some(folder)) | (Base::Folder(folder), false, _) => Some(others(folder.as_path())),
            (_, true, None) => Some(users(FilePath::new(""))),
            (Base::Given(folder), false, _) => Some(users(folder.as_path())),
            (Base::Carried(_) | Base::Brought(_), false, _) => None,
        }
    }

    fn carried(&self, path: &str) -> Option<SourceText> {
        let Base::Carried(Carried { folder, read }) = self.base() else { return None };
        let text = read(path)?.to_owned();
        Some(SourceText { label: format!("{folder}/{path}"), text, origin: Origin::Named })
    }

    /// Two files of one name from two folders get different names in the run folder, and none takes the name of a file
    /// of ours.
    fn free_name(&self, name: &str) -> String {
        let taken = |name: &str| {
            self.reserved.contains(&name) || self.read.iter().any(|attachment| attachment.name == name)
        };
        let numbered = (2..).map(|number| format!("{number}-{name}"));
        std::iter::once(name.to_owned())
            .chain(numbered)
            .find(|name| !taken(name))
            .expect("numbers do not end")
    }
}

/// A file that a scenario or study of another author may not read.
fn outside(refuse: impl Fn(&str) -> Diagnosis, is_override: bool) -> Diagnosis {
    let whose = if is_override { "study" } else { "scenario" };
    let hint = "copy it there, or add --allow-files (in Python allow_files=True) if you trust this ";
    refuse(&format!("this file lies outside the {whose}'s folder"))
        .expected(format!("a file in the {whose}'s folder or below"))
        .hint(Some(format!("{hint}{whose}")))
}

fn missing_attachment(diagnosis: Diagnosis, home: Home<'_>, path: &str) -> Diagnosis {
    let wanted = home.folder.join(path);
    let beside =
        wanted.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(FilePath::new("."));
    // What other folders hold is not for messages.
    let names = home.has(beside).then(|| fs::read_dir(beside).into_iter().flatten().flatten());
    let names = names.into_iter().flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let names: Vec<String> = names.collect();
    let written = wanted.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let hint = match closest(&written, names.iter().map(String::as_str)) {
        Some(name) => format!("did you mean \"{name}\"?"),
        None => format!("looked for {}", wanted.display()),
    };
    diagnosis.expected("a file beside the scenario, or a full path").hint(Some(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_utf_16_is_called_so() {
        let told = |bytes: &[u8]| {
            let error = String::from_utf8(bytes.to_vec()).expect_err("this is no UTF-8");
            not_utf8("s.toml", &error).problem
        };
        assert_eq!(told(&[0xff, 0xfe, b'm', 0]), "this is UTF-16 text");
        assert_eq!(told(&[0xfe, 0xff, 0, b'm']), "this is UTF-16 text");
        assert_eq!(told(&[b'm', 0xff, 0xfe]), "this is not UTF-8 text");
    }

    #[test]
    fn text_in_another_encoding_is_not_called_compressed() {
        assert!(
            hint_on_bytes(b"Switch 8 \"S1\" # \"K\xf6ln\"\n").starts_with("letters in another encoding?")
        );
        assert!(hint_on_bytes(&[0x1f, 0x8b, 8, 0, 0x9f, 3, 1, 2]).starts_with("is it compressed"));
    }
}
