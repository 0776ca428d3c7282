//! Files of lines between IMPs, and of the places where IMPs are drawn.

use hopscope_formats::FormatError;
use hopscope_formats::columns::table::{Columns, Table};
use hopscope_units::{Rate, Span};

use crate::scenario::params::{LineParams, line_delay, line_rate};

/// What else rates and delays are called, with the columns that have them here.
const MEANT: [(&str, &str); 6] = [
    ("rate", "bits_per_s"),
    ("bit", "bits_per_s"),
    ("speed", "bits_per_s"),
    ("bandwidth", "bits_per_s"),
    ("delay", "delay_ms"),
    ("latency", "delay_ms"),
];

/// Reads lines between IMPs: columns `a` and `b`, and where they exist `bits_per_s` and `delay_ms`. Further columns are
/// left alone, but for those that have rates or delays under other names.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn read_lines(text: &str) -> Result<Table<LineParams>, FormatError> {
    let head = "a head with the columns a and b, such as \"a,b,bits_per_s,delay_ms\"";
    let file = Columns::read(text, &["a", "b"], head)?.without(&MEANT)?;
    let [a, b, rate, delay] = ["a", "b", "bits_per_s", "delay_ms"].map(|name| file.column(name));
    let fields = [("between", a), ("between[1]", b), ("rate", rate), ("delay", delay)];
    let (Some(a), Some(b)) = (a, b) else { unreachable!("both columns are needed") };
    file.table(&fields, |row| {
        let between = [row.field(a)?.to_owned(), row.field(b)?.to_owned()];
        let rate = rate.map_or(Ok(line_rate()), |column| {
            row.value(column, "whole bits a second, such as 50000", |text| {
                text.parse().ok().map(Rate::from_bit_s)
            })
        })?;
        let delay = delay.map_or(Ok(line_delay()), |column| {
            row.value(column, "milliseconds from 0 to 1000, such as 4.2", |text| {
                format!("{text} ms").parse::<Span>().ok()
            })
        })?;
        Ok(LineParams { between, rate, delay })
    })
}

/// Where an IMP is drawn: its name, longitude and latitude in degrees.
pub type Place = (String, f64, f64);

/// Reads where IMPs are drawn: columns `site`, `longitude` and `latitude`. Further columns are left alone.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn read_places(text: &str) -> Result<Table<Place>, FormatError> {
    let needed = ["site", "longitude", "latitude"];
    let file = Columns::read(text, &needed, "a head with the columns site, longitude and latitude")?;
    let [site, longitude, latitude] = needed.map(|name| file.column(name).unwrap_or_default());
    file.table(&needed.map(|name| (name, file.column(name))), |row| {
        let degrees = |column| {
            let within = |degrees: &f64| degrees.abs() <= 180.0;
            row.value(column, "degrees, such as -118.4", |text| text.parse().ok().filter(within))
        };
        Ok((row.field(site)?.to_owned(), degrees(longitude)?, degrees(latitude)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_columns_by_their_names() {
        let lines = read_lines("a,b,delay_ms,bits_per_s\nUCLA,RAND,0.25,9600\n").expect("a good file").rows;
        assert_eq!(lines[0].between, ["UCLA", "RAND"]);
        assert_eq!((lines[0].rate, lines[0].delay), (Rate::from_bit_s(9600), Span::from_us(250)));
        assert_eq!(read_lines("a,b\nX,Y\n").expect("a good file").rows[0].rate, line_rate());
        assert_eq!(
            read_lines("\"a\",\"b\"\n\"X\",\"Y\"\n").expect("a good file").rows[0].between,
            ["X", "Y"]
        );
    }

    #[test]
    fn reads_places() {
        let places = read_places("site,longitude,latitude\nUCLA,-118.4,34.1\n").expect("a good file").rows;
        assert_eq!(places, [("UCLA".to_owned(), -118.4, 34.1)]);
        let wrong = read_places("site,longitude,latitude\nUCLA,west,34.1\n").expect_err("a bad file");
        insta::assert_snapshot!(wrong, @r#"line 2, column 6: longitude is "west"; expected degrees, such as -118.4"#);
    }

    #[test]
    fn says_where_it_is_wrong() {
        let problem = |text: &str| read_lines(text).expect_err("a bad file").to_string();
        insta::assert_snapshot!(problem("from,to\n"), @r#"line 1, column 1: the head is "from,to"; expected a head with the columns a and b, such as "a,b,bits_per_s,delay_ms""#);
        insta::assert_snapshot!(problem("a,b,bits_per_s\nUCLA,RAND,fast\n"), @r#"line 2, column 11: bits_per_s is "fast"; expected whole bits a second, such as 50000"#);
        insta::assert_snapshot!(problem("a,b\nUCLA\n"), @r#"line 2, column 1: no b in "UCLA"; expected a value in every column"#);
        insta::assert_snapshot!(problem("a,b,rate\nUCLA,RAND,1 kbit/s\n"), @r#"line 1, column 1: the head has a column "rate"; expected "bits_per_s", in the unit that its name states"#);
        insta::assert_snapshot!(problem("a,b\n# none\n"), @"line 1, column 1: there is nothing below the head; expected a row for each entry");
    }

    #[test]
    fn reads_csv_as_spreadsheets_write_it() {
        let text = "\u{feff}\"a\",b,note\r\n\r\n\"X, \"\"1\"\"\nY\",Z,\"\"";
        let lines = read_lines(text).expect("a good file");
        assert_eq!(lines.rows[0].between, ["X, \"1\"\nY", "Z"]);
        let (column, place) = lines.places.of(text, 0, "between[1]");
        assert_eq!((column, place.line, place.column), ("b", 4, 4));
        let wrong = read_lines("a,b\nX,\"Y\n").expect_err("a bad file");
        insta::assert_snapshot!(wrong, @"line 2, column 3: the quotation mark is not closed; expected a second one at the end of the field");
    }

    #[test]
    fn columns_count_characters_and_skip_blanks() {
        let text = "b,a,bits_per_s\nZÜRICH , RAND,50000\n";
        let table = read_lines(text).expect("a good file");
        let place = |field| {
            let (column, place) = table.places.of(text, 0, field);
            (column, place.line, place.column)
        };
        assert_eq!(place("between"), ("a", 2, 10));
        assert_eq!(place("between[1]"), ("b", 2, 1));
        assert_eq!(place("rate"), ("bits_per_s", 2, 15));
        assert_eq!(place("delay"), ("a", 2, 10), "no column: where the line is");
    }
}
