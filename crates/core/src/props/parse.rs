//! Text to properties. Never panics; nesting is bounded, so that no text exhausts the stack.

use super::Value;
use crate::{Error, ErrorKind, Result};
use std::collections::BTreeMap;

const MAX_DEPTH: usize = super::Props::MAX_DEPTH;

type Map = BTreeMap<String, Value>;

/// Reads a whole text: pairs with or without braces around them. With `leading`, a first word that stands alone is the value
/// of that property: `CPU, threads=2`.
pub(super) fn parse(text: &str, leading: Option<&str>) -> Result<Map> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    parser.skip_blank()?;
    let mut map = Map::new();
    if let Some(name) = leading {
        parser.leading_word(name, &mut map)?;
    }
    if parser.take('{') {
        parser.pairs(Some('}'), &mut map)?;
        parser.skip_blank()?;
        if let Some(c) = parser.peek() {
            return Err(parser.error(parser.at, format!("expected the end after `}}`, got `{c}`")));
        }
    } else {
        parser.pairs(None, &mut map)?;
    }
    Ok(map)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn error(&self, at: usize, message: impl std::fmt::Display) -> Error {
        let before = &self.text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
        Error::new(ErrorKind::Props { message: format!("properties, line {line}, column {column}: {message}") })
    }

    /// Skips white space and comments.
    fn skip_blank(&mut self) -> Result<()> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let Some(end) = rest.find("*/") else {
                    return Err(self.error(self.at, "this comment has no end (`*/`)"));
                };
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    /// Takes a word that no `:` or `=` follows as the value of `name`, with the comma behind it.
    fn leading_word(&mut self, name: &str, map: &mut Map) -> Result<()> {
        let start = self.at;
        let Ok(word) = self.name() else { return Ok(()) };
        self.skip_blank()?;
        match self.peek() {
            None => {}
            Some(',') => {
                self.take(',');
            }
            _ => {
                self.at = start;
                return Ok(());
            }
        }
        map.insert(name.to_string(), Value::String(word));
        Ok(())
    }

    /// `name: value, …` up to `close`, or to the end of the text.
    fn pairs(&mut self, close: Option<char>, map: &mut Map) -> Result<()> {
        loop {
            self.skip_blank()?;
            match (self.peek(), close) {
                (None, None) => return Ok(()),
                (None, Some(close)) => {
                    return Err(self.error(self.at, format!("expected a name or `{close}`, got the end")));
                }
                (Some(c), Some(close)) if c == close => {
                    self.take(close);
                    return Ok(());
                }
                _ => {}
            }
            let start = self.at;
            let name = self.name()?;
            self.skip_blank()?;
            if !self.take(':') && !self.take('=') {
                let pairs = "; properties are pairs with commas between them, such as `mode=CPU, threads=2`";
                let message = format!("expected `:` or `=` after `{name}`, got {}{pairs}", self.found());
                return Err(self.error(self.at, message));
            }
            self.skip_blank()?;
            let value = self.value(close)?;
            insert(map, &name, value).map_err(|message| self.error(start, message))?;
            self.separator(close)?;
        }
    }

    /// A comma, which may be missing before the end.
    fn separator(&mut self, close: Option<char>) -> Result<()> {
        self.skip_blank()?;
        if self.take(',') || self.peek() == close {
            return Ok(());
        }
        let end = close.map_or("the end".to_string(), |c| format!("`{c}`"));
        Err(self.error(self.at, format!("expected `,` or {end}, got {}", self.found())))
    }

    fn found(&self) -> String {
        self.peek().map_or("the end".to_string(), |c| format!("`{c}`"))
    }

    fn name(&mut self) -> Result<String> {
        if matches!(self.peek(), Some('\'' | '"')) {
            return self.quoted();
        }
        let rest = self.rest();
        let end =
            rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '/' | '-' | '.'))).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.error(self.at, format!("expected a name, got {}", self.found())));
        }
        self.at += end;
        Ok(rest[..end].to_string())
    }

    fn value(&mut self, close: Option<char>) -> Result<Value> {
        match self.peek() {
            Some('\'' | '"') => self.quoted().map(Value::String),
            Some('{') => self.nested(|parser| {
                let mut map = Map::new();
                parser.pairs(Some('}'), &mut map).map(|()| Value::Map(map))
            }),
            Some('[') => self.nested(Self::list),
            _ => self.bare(close),
        }
    }

    /// Reads what follows an opening bracket.
    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Result<Value>) -> Result<Value> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(self.at, format!("nested deeper than {MAX_DEPTH} levels")));
        }
        self.at += 1;
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn list(&mut self) -> Result<Value> {
        let mut values = Vec::new();
        loop {
            self.skip_blank()?;
            if self.take(']') {
                return Ok(Value::List(values));
            }
            if self.peek().is_none() {
                return Err(self.error(self.at, "expected a value or `]`, got the end"));
            }
            values.push(self.value(Some(']'))?);
            self.separator(Some(']'))?;
        }
    }

    /// A value without quotes: up to a comma, a closing bracket that an enclosing value waits for, a line end or a
    /// comment. Spaces inside belong to it, so that `compiler_flags=-O3 -march=native` needs no quotes.
    fn bare(&mut self, close: Option<char>) -> Result<Value> {
        let rest = self.rest();
        let mut end = rest.len();
        let mut after_space = true;
        for (index, c) in rest.char_indices() {
            let closes = c == ',' || c == '\n' || (close.is_some() && matches!(c, '}' | ']'));
            let comment = after_space && (rest[index..].starts_with("//") || rest[index..].starts_with("/*"));
            if closes || comment {
                end = index;
                break;
            }
            after_space = c.is_whitespace();
        }
        let word = rest[..end].trim_end();
        if word.is_empty() {
            return Err(self.error(self.at, format!("expected a value, got {}", self.found())));
        }
        let value = classify(word).map_err(|message| self.error(self.at, message))?;
        self.at += word.len();
        Ok(value)
    }

    fn quoted(&mut self) -> Result<String> {
        let start = self.at;
        let quote = self.peek().unwrap_or('"');
        self.at += 1;
        let mut out = String::new();
        loop {
            let Some(c) = self.peek() else {
                return Err(self.error(start, format!("this string has no end ({quote})")));
            };
            let here = self.at;
            self.at += c.len_utf8();
            match c {
                c if c == quote => return Ok(out),
                '\\' => out.push(self.escape(here)?),
                c => out.push(c),
            }
        }
    }

    /// What follows a backslash that stands at `start`.
    fn escape(&mut self, start: usize) -> Result<char> {
        let Some(c) = self.peek() else {
            return Err(self.error(start, "the text ends within an escape"));
        };
        self.at += c.len_utf8();
        Ok(match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            '0' => '\0',
            '\\' | '\'' | '"' | '/' => c,
            'u' => self.unicode(start)?,
            other => return Err(self.error(start, format!("unknown escape `\\{other}`"))),
        })
    }

    /// `\uXXXX`, or two of them that make a pair of surrogates.
    fn unicode(&mut self, start: usize) -> Result<char> {
        let first = self.hex4(start)?;
        let code = if (0xd800..0xdc00).contains(&first) && self.rest().starts_with("\\u") {
            self.at += 2;
            let second = self.hex4(start)?;
            0x10000 + ((first - 0xd800) << 10) + (second.wrapping_sub(0xdc00) & 0x3ff)
        } else {
            first
        };
        char::from_u32(code).ok_or_else(|| self.error(start, "this escape is not a character"))
    }

    fn hex4(&mut self, start: usize) -> Result<u32> {
        let digits = self.rest().get(..4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(digits) = digits else {
            return Err(self.error(start, "expected four hexadecimal digits after `\\u`"));
        };
        self.at += 4;
        u32::from_str_radix(digits, 16).map_err(|_| self.error(start, "expected hexadecimal digits"))
    }
}

/// What a word without quotes means.
fn classify(word: &str) -> Result<Value, String> {
    let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
    match word {
        "true" | "True" => return Ok(Value::Bool(true)),
        "false" | "False" => return Ok(Value::Bool(false)),
        "null" | "None" => return Ok(Value::Null),
        "NaN" => return Ok(Value::Float(f64::NAN)),
        "Infinity" => return Ok(Value::Float(f64::INFINITY)),
        "-Infinity" => return Ok(Value::Float(f64::NEG_INFINITY)),
        _ => {}
    }
    if let Some(digits) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X"))
        && !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_hexdigit())
    {
        let sign = if word.starts_with('-') { "-" } else { "" };
        return i64::from_str_radix(&format!("{sign}{digits}"), 16).map(Value::Int).map_err(|_| too_big(word));
    }
    if !unsigned.is_empty() && unsigned.bytes().all(|b| b.is_ascii_digit()) {
        return word.parse().map(Value::Int).map_err(|_| too_big(word));
    }
    // Rust's parser also takes `inf` and `nan`, which are words here.
    let numeric = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && unsigned.contains(|c: char| c.is_ascii_digit());
    match word.parse::<f64>() {
        Ok(value) if numeric => Ok(Value::Float(value)),
        _ => Ok(Value::String(word.to_string())),
    }
}

fn too_big(word: &str) -> String {
    format!("{word} does not fit 64 bits; put it between quotes to pass it on as text")
}

/// Puts a value at `a/b/c`. A name that has a value already is refused, two maps are merged.
fn insert(map: &mut Map, name: &str, value: Value) -> Result<(), String> {
    if name.matches('/').count() >= MAX_DEPTH {
        return Err(format!("a name may have at most {MAX_DEPTH} parts"));
    }
    match name.split_once('/') {
        Some((first, rest)) => match map.entry(first.to_string()).or_insert_with(|| Value::Map(Map::new())) {
            Value::Map(inner) => insert(inner, rest, value),
            other => Err(format!("`{first}` is {} already and cannot hold `{rest}`", other.kind())),
        },
        None => match (map.get_mut(name), value) {
            (None, value) => {
                map.insert(name.to_string(), value);
                Ok(())
            }
            (Some(Value::Map(old)), Value::Map(new)) => {
                new.into_iter().try_for_each(|(name, value)| insert(old, &name, value))
            }
            (Some(_), _) => Err(format!("`{name}` is given twice")),
        },
    }
}
