//! Files of lines: CSV with a head that names the columns.

use std::fmt;

use hopscope_units::{Rate, Span};

use crate::params::{LineParams, line_delay, line_rate};

/// What is wrong with a file of lines, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineFileError {
    /// The line of the file, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
    /// What would have been right.
    pub expected: String,
}

impl fmt::Display for LineFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}; expected {}", self.line, self.problem, self.expected)
    }
}

impl std::error::Error for LineFileError {}

/// Reads lines between IMPs: columns `a` and `b`, and where they exist `bits_per_s` and `delay_ms`. Further columns are left alone.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn read_lines(text: &str) -> Result<Vec<LineParams>, LineFileError> {
    let mut rows =
        text.lines().enumerate().filter(|(_, row)| !row.trim().is_empty() && !row.starts_with('#'));
    let wrong = |line: usize, problem: String, expected: &str| LineFileError {
        line: line + 1,
        problem,
        expected: expected.to_owned(),
    };
    let columns = "a head with the columns a and b, such as \"a,b,bits_per_s,delay_ms\"";
    let (head_line, head) = rows.next().ok_or_else(|| wrong(0, "the file is empty".into(), columns))?;
    let names: Vec<&str> = head.split(',').map(str::trim).collect();
    let column = |name: &str| names.iter().position(|&known| known == name);
    let (Some(a), Some(b)) = (column("a"), column("b")) else {
        return Err(wrong(head_line, format!("the head is \"{head}\""), columns));
    };
    let (rate, delay) = (column("bits_per_s"), column("delay_ms"));
    let mut lines = Vec::new();
    for (place, row) in rows {
        let fields: Vec<&str> = row.split(',').map(str::trim).collect();
        let field = |column: usize, name: &str| {
            let found = fields.get(column).filter(|field| !field.is_empty());
            found
                .copied()
                .ok_or_else(|| wrong(place, format!("no {name} in \"{row}\""), "a value in every column"))
        };
        let between = [field(a, "a")?.to_owned(), field(b, "b")?.to_owned()];
        let rate = rate.map_or(Ok(line_rate()), |column| {
            let text = field(column, "bits_per_s")?;
            let whole = text.parse().map(Rate::from_bit_s);
            whole.map_err(|_| {
                wrong(place, format!("bits_per_s is \"{text}\""), "whole bits a second, such as 50000")
            })
        })?;
        let delay = delay.map_or(Ok(line_delay()), |column| {
            let text = field(column, "delay_ms")?;
            let span = format!("{text} ms").parse::<Span>();
            span.map_err(|_| wrong(place, format!("delay_ms is \"{text}\""), "milliseconds, such as 4.2"))
        })?;
        lines.push(LineParams { between, rate, delay });
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_columns_by_their_names() {
        let lines = read_lines("a,b,delay_ms,bits_per_s\nUCLA,RAND,0.25,9600\n").expect("a good file");
        assert_eq!(lines[0].between, ["UCLA", "RAND"]);
        assert_eq!((lines[0].rate, lines[0].delay), (Rate::from_bit_s(9600), Span::from_us(250)));
        assert_eq!(read_lines("a,b\nX,Y\n").expect("a good file")[0].rate, line_rate());
    }

    #[test]
    fn says_where_it_is_wrong() {
        let problem = |text: &str| read_lines(text).expect_err("a bad file").to_string();
        insta::assert_snapshot!(problem("from,to\n"), @r#"line 1: the head is "from,to"; expected a head with the columns a and b, such as "a,b,bits_per_s,delay_ms""#);
        insta::assert_snapshot!(problem("a,b,bits_per_s\nUCLA,RAND,fast\n"), @r#"line 2: bits_per_s is "fast"; expected whole bits a second, such as 50000"#);
        insta::assert_snapshot!(problem("a,b\nUCLA\n"), @r#"line 2: no b in "UCLA"; expected a value in every column"#);
    }
}
