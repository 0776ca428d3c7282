//! The records of CSV (RFC 4180), with the place of every field: the only reader of commas and quotation marks.
//!
//! White space around a field does not belong to it. A field in quotation marks may hold commas, line ends and
//! quotation marks that are written twice. Empty lines and lines that begin with `#` are left out.

use std::borrow::Cow;

use crate::error::Fault;
use crate::lines::Piece;

/// A line, or several where a field in quotation marks goes on over a line's end.
pub(crate) struct Record<'a> {
    /// Where its first field begins.
    pub byte: usize,
    /// As it stands in the file.
    pub text: &'a str,
    /// At least one.
    pub fields: Vec<Field<'a>>,
}

/// What stands between two commas.
pub(crate) struct Field<'a> {
    /// Where it begins, behind its quotation mark.
    pub byte: usize,
    pub text: Cow<'a, str>,
}

impl Field<'_> {
    /// Its text and place.
    pub fn piece(&self) -> Piece<'_> {
        (self.byte, &self.text)
    }
}

/// The records of a text, up to the first fault.
pub(crate) fn records(text: &str) -> Records<'_> {
    // The mark that some editors put at the start of a text.
    Records { text, at: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 } }
}

/// See [`records`].
pub(crate) struct Records<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = &self.text[self.at..];
            let content = rest.trim_start();
            self.at += rest.len() - content.len();
            if content.is_empty() {
                return None;
            }
            if !content.starts_with('#') {
                break;
            }
            self.at += content.find('\n').unwrap_or(content.len());
        }
        let record = self.record();
        if record.is_err() {
            self.at = self.text.len();
        }
        Some(record)
    }
}

impl<'a> Records<'a> {
    fn record(&mut self) -> Result<Record<'a>, Fault> {
        let start = self.at;
        let mut fields = Vec::new();
        loop {
            fields.push(self.field()?);
            if !self.text[self.at..].starts_with(',') {
                return Ok(Record { byte: start, text: self.text[start..self.at].trim_end(), fields });
            }
            self.at += 1;
        }
    }

    /// The next field, up to the comma or the line's end behind it.
    fn field(&mut self) -> Result<Field<'a>, Fault> {
        self.blank();
        let rest = &self.text[self.at..];
        if rest.starts_with('"') {
            return self.quoted();
        }
        let byte = self.at;
        let length = rest.find([',', '\n']).unwrap_or(rest.len());
        self.at += length;
        Ok(Field { byte, text: rest[..length].trim_end().into() })
    }

    /// A field in quotation marks, the first of which is next.
    fn quoted(&mut self) -> Result<Field<'a>, Fault> {
        let byte = self.at + 1;
        let mut end = byte;
        let mut has_marks = false;
        loop {
            let Some(length) = self.text[end..].find('"') else {
                let expected = "a second one at the end of the field";
                let fault = Fault::at(self.at, "the quotation mark is not closed", expected);
                return Err(fault.hint("write two for one within the field"));
            };
            end += length;
            if !self.text[end..].starts_with("\"\"") {
                break;
            }
            has_marks = true;
            end += 2;
        }
        let text = &self.text[byte..end];
        let rest =
            self.text[end + 1..].trim_start_matches(|letter: char| letter.is_whitespace() && letter != '\n');
        self.at = self.text.len() - rest.len();
        if !(rest.is_empty() || rest.starts_with([',', '\n'])) {
            let fault = Fault::at(self.at, "something stands behind the closing quotation mark", "a comma");
            return Err(fault.hint("write two for one within the field"));
        }
        let text = if has_marks { text.replace("\"\"", "\"").into() } else { text.into() };
        Ok(Field { byte, text })
    }

    /// Passes over white space within the line.
    fn blank(&mut self) {
        let rest = &self.text[self.at..];
        let is_blank = |letter: char| letter.is_whitespace() && letter != '\r' && letter != '\n';
        self.at += rest.len() - rest.trim_start_matches(is_blank).len();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Vec<Vec<String>> {
        let texts = |record: Record<'_>| record.fields.iter().map(|field| field.text.to_string()).collect();
        records(text).map(|record| texts(record.expect("a record"))).collect()
    }

    #[test]
    fn fields_in_quotation_marks_hold_commas_marks_and_line_ends() {
        assert_eq!(read("a,b\n\"1, 2\",\"he \"\"said\"\"\"\n"), [["a", "b"], ["1, 2", "he \"said\""]]);
        assert_eq!(read("\"one\ntwo\" , \"\",3\n4"), [vec!["one\ntwo", "", "3"], vec!["4"]]);
        assert_eq!(read("5\" disk,\" kept \"\n"), [["5\" disk", " kept "]]);
    }

    #[test]
    fn neither_line_ends_nor_empty_lines_matter() {
        for text in [
            "a,b\n,c\n",
            "a,b\r\n,c\r\n",
            "a,b\n,c",
            "\u{feff}a,b\n\n \n,c",
            "# x\n \"a\" , b \r\n # y\n,\"c\"\r\n",
        ] {
            assert_eq!(read(text), [["a", "b"], ["", "c"]], "{text:?}");
        }
        assert_eq!(read("\n \r\n# nothing"), [[""; 0]; 0]);
    }

    #[test]
    fn every_field_has_its_byte() {
        let text = "\u{feff}é, \"b\nb\",\r\n  c";
        let bytes: Vec<Vec<usize>> = records(text)
            .map(|record| record.expect("a record").fields.iter().map(|field| field.byte).collect())
            .collect();
        assert_eq!(bytes, [vec![3, 8, 13], vec![17]]);
        assert_eq!(records(text).next().expect("a record").expect("no fault").text, "é, \"b\nb\",");
    }

    #[test]
    fn says_which_quotation_mark_is_wrong() {
        let told = |text: &str| {
            let found = records(text).find_map(Result::err).expect("a fault").in_text(text);
            (found.line, found.column, found.problem)
        };
        assert_eq!(told("a,b\n1, \"2\n3"), (2, 4, "the quotation mark is not closed".to_owned()));
        assert_eq!(
            told("a,\"b\"c\n"),
            (1, 6, "something stands behind the closing quotation mark".to_owned())
        );
    }

    proptest! {
        #[test]
        fn what_is_written_in_quotation_marks_comes_back(
            rows in proptest::collection::vec(proptest::collection::vec("[a,\"\n\r #é]{0,6}", 1..4), 1..4),
            end in "\r?\n",
        ) {
            let field = |text: &String| format!("\"{}\"", text.replace('"', "\"\""));
            let row = |row: &Vec<String>| row.iter().map(field).collect::<Vec<_>>().join(",") + &end;
            prop_assert_eq!(read(&rows.iter().map(row).collect::<String>()), rows);
        }

        #[test]
        fn places_are_within_the_text(text in "[a,\"\n\r #é]{0,40}") {
            for record in records(&text) {
                match record {
                    Ok(record) => {
                        for field in &record.fields {
                            prop_assert!(text.is_char_boundary(field.byte));
                        }
                    }
                    Err(fault) => prop_assert!(fault.in_text(&text).line >= 1),
                }
            }
        }
    }
}
