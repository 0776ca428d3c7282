//! Lines and words of a text with the bytes at which they begin.

use crate::error::Fault;

/// A piece of the text and the byte at which it begins.
pub(crate) type Piece<'a> = (usize, &'a str);

/// The lines of a text without what ends them.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut next = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = next;
        next += line.len();
        (start, line.trim_end_matches(['\n', '\r']))
    })
}

/// The lines with content, each from its first character to its last that is no white space: neither empty ones nor
/// comments, which begin with `#`.
pub(crate) fn content_lines(text: &str) -> impl Iterator<Item = Cursor<'_>> {
    lines(text).filter_map(|(byte, line)| {
        let mut cursor = Cursor::new((byte, line.trim_end()));
        cursor.blank();
        (!cursor.is_over()).then_some(cursor)
    })
}

/// Whether a character would move the text around it rather than be seen: controls, and the marks of the direction of
/// writing (Unicode Standard Annex 9, section 2). Nothing that is written holds one: a name with a line's end in it
/// would begin a line of its own.
pub(crate) fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A line that is being read from its left.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    /// The byte of the text at which the rest begins.
    pub byte: usize,
    /// What is left of the line.
    pub rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub fn new((byte, rest): Piece<'a>) -> Self {
        Self { byte, rest }
    }

    /// Skips `bytes` bytes.
    pub fn skip(&mut self, bytes: usize) {
        self.byte += bytes;
        self.rest = &self.rest[bytes..];
    }

    /// Passes over white space.
    pub fn blank(&mut self) {
        self.skip(self.rest.len() - self.rest.trim_start().len());
    }

    /// Whether the line ends here, or a comment begins.
    pub fn is_over(&self) -> bool {
        self.rest.is_empty() || self.rest.starts_with('#')
    }

    /// Passes over this text where it is next, after white space.
    pub fn take(&mut self, text: &str) -> bool {
        self.blank();
        let is_next = self.rest.starts_with(text);
        if is_next {
            self.skip(text.len());
        }
        is_next
    }

    /// Passes over this text, or says that it is missing.
    pub fn expect(&mut self, text: &str, expected: &str) -> Result<(), Fault> {
        if self.take(text) { Ok(()) } else { Err(self.missing(expected)) }
    }

    /// What is here instead of what was expected.
    pub fn missing(&self, expected: &str) -> Fault {
        let found = match self.rest.split_whitespace().next() {
            None => "the line ends here".to_owned(),
            Some(word) => format!("\"{}\" does not fit here", word.chars().take(40).collect::<String>()),
        };
        Fault::at(self.byte, found, expected)
    }

    /// Everything up to a character, which is passed over as well.
    pub fn until(&mut self, end: char, expected: &str) -> Result<Piece<'a>, Fault> {
        let byte = self.byte;
        let Some(length) = self.rest.find(end) else {
            return Err(Fault::at(byte + self.rest.len(), "the line ends here", expected));
        };
        let found = &self.rest[..length];
        self.skip(length + end.len_utf8());
        Ok((byte, found))
    }

    /// A name in quotation marks of this kind.
    pub fn quoted(&mut self, mark: char, expected: &str) -> Result<Piece<'a>, Fault> {
        self.blank();
        if !self.rest.starts_with(mark) {
            return Err(self.missing(expected));
        }
        self.skip(mark.len_utf8());
        self.until(mark, &format!("the {mark} that ends the name"))
    }

    /// The word that is next, after white space; empty at the end of the line.
    pub fn word(&mut self) -> Piece<'a> {
        self.blank();
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let word = (self.byte, &self.rest[..end]);
        self.skip(end);
        word
    }

    /// The digits that are next, after white space.
    pub fn digits(&mut self) -> Piece<'a> {
        self.blank();
        let end = self.rest.find(|c: char| !c.is_ascii_hexdigit() && c != 'x').unwrap_or(self.rest.len());
        let digits = (self.byte, &self.rest[..end]);
        self.skip(end);
        digits
    }

    /// A number of at most `most`, decimal.
    pub fn number(&mut self, most: u64, expected: &str) -> Result<u64, Fault> {
        let (byte, digits) = self.digits();
        number(byte, digits, 10, most, expected)
    }

    /// A number in hexadecimal, behind "0x" or not.
    pub fn hexadecimal(&mut self, most: u64, expected: &str) -> Result<u64, Fault> {
        let (byte, digits) = self.digits();
        number(byte, digits.strip_prefix("0x").unwrap_or(digits), 16, most, expected)
    }
}

fn number(byte: usize, digits: &str, radix: u32, most: u64, expected: &str) -> Result<u64, Fault> {
    match u64::from_str_radix(digits, radix) {
        Ok(number) if number <= most && !digits.starts_with('+') => Ok(number),
        Ok(_) => Err(Fault::at(byte, format!("{digits} is above {most}"), expected)),
        Err(_) if digits.is_empty() => Err(Fault::at(byte, "no number is here", expected)),
        Err(_) => Err(Fault::at(byte, format!("\"{digits}\" is not such a number"), expected)),
    }
}
