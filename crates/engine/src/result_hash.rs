//! The hash of a result: BLAKE3 of every number of a report, in order.
//!
//! What is hashed is the report as JSON in which every text is empty: numbers, truth values and how they nest. A
//! report with whole lives of messages has tens of millions of numbers, and JSON's own writer looks at every byte of
//! every text; this one passes over them.

use std::fmt::Display;

use hopscope_measure::Report;
use serde::{Serialize, ser};

/// The number of bytes hashed at a time: a multiple of the block of the hash.
const BYTES: usize = 1 << 16;

/// The numbers below 100 in two digits: two are written in the time of one.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

/// BLAKE3 of every number that a run found out, in the order of its report. Equal hashes mean equal results, whatever
/// the version that found them, and whatever names and words stand beside the numbers. The number of events is no
/// result but what the result cost: a quicker engine that finds the same has the same hash.
pub(crate) fn result_hash(report: &Report) -> String {
    // The outcome is a word as far as JSON knows.
    let mut numbers = Numbers::default();
    numbers.bytes.extend(format!("{}\n", report.outcome as u8).into_bytes());
    report.serialize(&mut numbers).expect("a report is plain data");
    numbers.hasher.update(&numbers.bytes);
    numbers.hasher.finalize().to_hex().to_string()
}

/// Writes JSON with every text left empty.
#[derive(Default)]
struct Numbers {
    bytes: Vec<u8>,
    hasher: blake3::Hasher,
}

/// What is no plain data.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct NotPlain(String);

impl ser::Error for NotPlain {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

type Written = Result<(), NotPlain>;

impl Numbers {
    fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// A number in the form of JSON.
    fn json(&mut self, number: &impl Serialize) -> Written {
        serde_json::to_writer(&mut self.bytes, number).map_err(ser::Error::custom)
    }

    fn whole(&mut self, mut number: u64) {
        let mut digits = [b'0'; 20];
        let mut first = digits.len();
        while number >= 100 {
            first -= 2;
            digits[first..first + 2].copy_from_slice(&PAIRS[(number % 100) as usize]);
            number /= 100;
        }
        first -= 2;
        digits[first..first + 2].copy_from_slice(&PAIRS[number as usize]);
        self.put(&digits[first + usize::from(number < 10)..]);
    }

    /// A list or a section begins.
    fn begin(&mut self, bracket: u8) -> Nested<'_> {
        self.put(&[bracket]);
        Nested { numbers: self, first: true, close: if bracket == b'[' { b"]" } else { b"}" } }
    }

    /// A variant with a value: a section with its name.
    fn variant(&mut self) {
        self.put(b"{\"\":");
    }
}

/// A list or a section that is being written.
struct Nested<'a> {
    numbers: &'a mut Numbers,
    first: bool,
    close: &'static [u8],
}

impl Nested<'_> {
    fn item(&mut self, value: &(impl Serialize + ?Sized)) -> Written {
        self.next();
        value.serialize(&mut *self.numbers)?;
        self.pass_on();
        Ok(())
    }

    fn field(&mut self, value: &(impl Serialize + ?Sized)) -> Written {
        self.next();
        self.numbers.put(b"\"\":");
        value.serialize(&mut *self.numbers)
    }

    fn next(&mut self) {
        if !std::mem::take(&mut self.first) {
            self.numbers.put(b",");
        }
    }

    /// What has been written is hashed when it is enough.
    fn pass_on(&mut self) {
        let Numbers { bytes, hasher } = &mut *self.numbers;
        if bytes.len() >= BYTES {
            hasher.update(&bytes[..BYTES]);
            bytes.drain(..BYTES);
        }
    }

    fn done(self) -> Written {
        self.numbers.put(self.close);
        Ok(())
    }
}

impl<'a> ser::Serializer for &'a mut Numbers {
    type Ok = ();
    type Error = NotPlain;
    type SerializeSeq = Nested<'a>;
    type SerializeTuple = Nested<'a>;
    type SerializeTupleStruct = Nested<'a>;
    type SerializeTupleVariant = Nested<'a>;
    type SerializeMap = Nested<'a>;
    type SerializeStruct = Nested<'a>;
    type SerializeStructVariant = Nested<'a>;

    fn serialize_bool(self, value: bool) -> Written {
        self.put(if value { b"true" } else { b"false" });
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Written {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Written {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Written {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Written {
        if value < 0 {
            self.put(b"-");
        }
        self.whole(value.unsigned_abs());
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> Written {
        self.serialize_u64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Written {
        self.serialize_u64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Written {
        self.serialize_u64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Written {
        self.whole(value);
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Written {
        self.json(&value)
    }

    fn serialize_f64(self, value: f64) -> Written {
        self.json(&value)
    }

    fn serialize_char(self, _: char) -> Written {
        self.serialize_str("")
    }

    fn serialize_str(self, _: &str) -> Written {
        self.put(b"\"\"");
        Ok(())
    }

    fn collect_str<T: Display + ?Sized>(self, _: &T) -> Written {
        self.serialize_str("")
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Written {
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> Written {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Written {
        self.put(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Written {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Written {
        self.serialize_str(name)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Written {
        self.variant();
        value.serialize(&mut *self)?;
        self.put(b"}");
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Nested<'a>, NotPlain> {
        Ok(self.begin(b'['))
    }

    fn serialize_tuple(self, _: usize) -> Result<Nested<'a>, NotPlain> {
        Ok(self.begin(b'['))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Nested<'a>, NotPlain> {
        Ok(self.begin(b'['))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Nested<'a>, NotPlain> {
        self.variant();
        Ok(Nested { close: b"]}", ..self.begin(b'[') })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Nested<'a>, NotPlain> {
        Ok(self.begin(b'{'))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Nested<'a>, NotPlain> {
        Ok(self.begin(b'{'))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Nested<'a>, NotPlain> {
        self.variant();
        Ok(Nested { close: b"}}", ..self.begin(b'{') })
    }
}

/// The ways in which serde writes items one after the other: all are the same here.
macro_rules! items {
    ($($Trait:ident $item:ident),*) => {$(
        impl ser::$Trait for Nested<'_> {
            type Ok = ();
            type Error = NotPlain;

            fn $item<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
                self.item(value)
            }

            fn end(self) -> Written {
                self.done()
            }
        }
    )*};
}

items!(
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);

macro_rules! fields {
    ($($Trait:ident),*) => {$(
        impl ser::$Trait for Nested<'_> {
            type Ok = ();
            type Error = NotPlain;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Written {
                self.field(value)
            }

            fn end(self) -> Written {
                self.done()
            }
        }
    )*};
}

fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Nested<'_> {
    type Ok = ();
    type Error = NotPlain;

    /// A key that is a number is one of the numbers, in quotes.
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Written {
        self.next();
        let from = self.numbers.bytes.len();
        key.serialize(&mut *self.numbers)?;
        if self.numbers.bytes[from..] != *b"\"\"" {
            self.numbers.bytes.insert(from, b'"');
            self.numbers.put(b"\"");
        }
        self.numbers.put(b":");
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        value.serialize(&mut *self.numbers)
    }

    fn end(self) -> Written {
        self.done()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io;

    use proptest::prelude::*;
    use serde_json::ser::{CharEscape, Formatter};

    use super::*;

    /// What is hashed, by JSON's own writer: the definition.
    struct NumbersOnly;

    impl Formatter for NumbersOnly {
        fn write_string_fragment<W: io::Write + ?Sized>(&mut self, _: &mut W, _: &str) -> io::Result<()> {
            Ok(())
        }

        fn write_char_escape<W: io::Write + ?Sized>(&mut self, _: &mut W, _: CharEscape) -> io::Result<()> {
            Ok(())
        }
    }

    fn defined(value: &impl Serialize) -> String {
        let mut bytes = Vec::new();
        value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, NumbersOnly)).expect("plain");
        String::from_utf8(bytes).expect("JSON is text")
    }

    fn written(value: &impl Serialize) -> String {
        let mut numbers = Numbers::default();
        value.serialize(&mut numbers).expect("plain");
        String::from_utf8(numbers.bytes).expect("JSON is text")
    }

    #[derive(Clone, Debug, Serialize)]
    enum Sort {
        Plain,
        One(f64),
        Pair(i8, String),
        Named { a: u16, b: Option<bool> },
    }

    #[derive(Clone, Debug, Serialize)]
    struct Everything {
        sorts: Vec<Sort>,
        by_number: BTreeMap<u32, f32>,
        by_name: BTreeMap<String, Vec<i64>>,
        by_truth: BTreeMap<bool, (u64, char)>,
        nothing: (),
        #[serde(skip_serializing_if = "Option::is_none")]
        left_out: Option<u8>,
    }

    fn sort() -> impl Strategy<Value = Sort> {
        prop_oneof![
            Just(Sort::Plain),
            any::<f64>().prop_map(Sort::One),
            any::<(i8, String)>().prop_map(|(a, b)| Sort::Pair(a, b)),
            any::<(u16, Option<bool>)>().prop_map(|(a, b)| Sort::Named { a, b }),
        ]
    }

    fn everything() -> impl Strategy<Value = Everything> {
        // Few, so that nothing is hashed before it can be compared.
        let lists =
            prop::collection::btree_map(any::<String>(), prop::collection::vec(any::<i64>(), 0..4), 0..4);
        let maps = (any::<BTreeMap<u32, f32>>(), lists, any::<BTreeMap<bool, (u64, char)>>());
        (prop::collection::vec(sort(), 0..5), maps, any::<Option<u8>>()).prop_map(
            |(sorts, (by_number, by_name, by_truth), left_out)| Everything {
                sorts,
                by_number,
                by_name,
                by_truth,
                nothing: (),
                left_out,
            },
        )
    }

    proptest! {
        #[test]
        fn numbers_are_written_as_json_writes_them(value in everything(), floats: Vec<f64>, whole: (u64, i64)) {
            prop_assert_eq!(written(&value), defined(&value));
            prop_assert_eq!(written(&floats), defined(&floats));
            prop_assert_eq!(written(&whole), defined(&whole));
        }
    }

    #[test]
    fn the_ends_of_what_numbers_can_be() {
        let all = (0_u64, u64::MAX, i64::MIN, i64::MAX, [f64::NAN, f64::INFINITY, -0.0, 5e-324, f64::MAX]);
        assert_eq!(written(&all), defined(&all));
    }

    #[test]
    fn a_long_list_is_hashed_as_a_whole() {
        let list: Vec<u64> = (0..100_000).map(|number| number * number).collect();
        let mut numbers = Numbers::default();
        list.serialize(&mut numbers).expect("plain");
        assert!(numbers.bytes.len() < 2 * BYTES, "most of it is hashed already");
        numbers.hasher.update(&numbers.bytes);
        assert_eq!(numbers.hasher.finalize(), blake3::hash(defined(&list).as_bytes()));
    }
}
