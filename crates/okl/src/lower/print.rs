//! `printf`: its format is read here and compared with the arguments, so that no target reads one.
//!
//! The numbers of the IR have the types that their forms take ([`crate::ir::Conversion::takes`]). Strings are literals, and
//! become part of the text.

use super::constants::{convert, implicit};
use super::context::{Level, Lowering};
use super::expr::Value;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast;
use crate::ir::{Conversion, Expr, MOST_ARGUMENTS, MOST_CHARACTERS, Piece, Print, Scalar, StmtKind};
use crate::rules;
use crate::source::Span;

/// The size that a conversion's `h` and `l` name, in bytes.
fn size_of(sizes: &str) -> Option<usize> {
    match sizes {
        "" => Some(4),
        "hh" => Some(1),
        "h" => Some(2),
        "l" | "ll" | "j" | "z" | "t" => Some(8),
        _ => None,
    }
}

/// A piece of the format as it is written.
enum Written {
    Text(String),
    /// The form, its `h` and `l`, and its spelling.
    Number(Conversion, String, String),
}

impl Lowering<'_, '_> {
    /// Whether something can be printed here.
    pub(super) fn check_print(&mut self, what: &str, span: Span) -> Lowered<()> {
        let (place, hint) = match self.level {
            Level::Item | Level::Function => return Ok(()),
            Level::Between => ("between two nested `@inner` loops", "move it into the innermost `@inner` loop"),
            Level::Group => (
                "outside of the `@inner` loops, where no item runs",
                "let one item of the group do it, in an `@inner` loop: `if (i == 0) printf(…);`",
            ),
            Level::Host | Level::File => ("outside of the `@outer` loops", "move it into an `@inner` loop"),
        };
        let message = format!("{what} {place}");
        Err(self.report(Diagnostic::error(rules::PRINTF_PLACE, span, message).hint(hint)))
    }

    /// `printf("…", arguments)`
    pub(super) fn printf(&mut self, arguments: &[ast::Expr], span: Span, wanted: bool) -> Lowered<Value> {
        self.check_print("`printf` stands", span)?;
        if wanted {
            let finding = Diagnostic::error(rules::PRINTF_PLACE, span, "`printf` gives no value here");
            return Err(self.report(finding.hint("write it as a statement of its own")));
        }
        let Some((ast::Expr { kind: ast::ExprKind::String(format), span: place }, values)) = arguments.split_first()
        else {
            let finding = Diagnostic::error(rules::PRINTF_FORMAT, span, "`printf` takes a format between quotes first");
            return Err(self.report(finding.hint("write `printf(\"%d\\n\", i);`")));
        };
        let written = self.written_format(format, *place)?;
        let numbers = written.iter().filter(|piece| matches!(piece, Written::Number(..))).count();
        if numbers != values.len() || numbers > MOST_ARGUMENTS {
            let message = if numbers == values.len() {
                format!("a `printf` prints {MOST_ARGUMENTS} values at most; this one has {numbers}")
            } else {
                format!("this format takes {}, and there {}", counted(numbers), given(values.len()))
            };
            let hint = "each `%` takes one value, and a `%` that is printed is written `%%`";
            return Err(self.report(Diagnostic::error(rules::PRINTF_FORMAT, span, message).hint(hint)));
        }
        let (mut values, mut failed) = (values.iter(), false);
        let mut print = Print { pieces: Vec::new(), arguments: Vec::new() };
        for piece in written {
            match piece {
                Written::Text(text) => add_text(&mut print.pieces, &text),
                Written::Number(conversion, sizes, spelling) => {
                    let Some(value) = values.next() else { return Err(Reported) };
                    let printed = if conversion.letter == 's' {
                        self.literal_string(&conversion, &spelling, value)
                            .map(|text| add_text(&mut print.pieces, &text))
                    } else {
                        self.printed(conversion, &sizes, &spelling, value).map(|(conversion, value)| {
                            print.pieces.push(Piece::Number(conversion));
                            print.arguments.push(value);
                        })
                    };
                    failed |= printed.is_err();
                }
            }
        }
        if failed {
            return Err(Reported);
        }
        self.prints = true;
        self.emit(StmtKind::Print(Box::new(print)), span);
        Ok(Value::Void)
    }

    /// A format as its pieces.
    fn written_format(&mut self, format: &str, span: Span) -> Lowered<Vec<Written>> {
        let mut refuse = |span: Span, message: String, hint: &str| {
            self.report(Diagnostic::error(rules::PRINTF_FORMAT, span, message).hint(hint))
        };
        if format.contains('\0') {
            return Err(refuse(span, "a zero byte ends a format".into(), "leave `\\0` out"));
        }
        let (mut pieces, mut plain, mut rest) = (Vec::new(), String::new(), format);
        while let Some(at) = rest.find('%') {
            plain.push_str(&rest[..at]);
            let percent = format.len() - rest.len() + at;
            rest = &rest[at + 1..];
            if let Some(behind) = rest.strip_prefix('%') {
                plain.push('%');
                rest = behind;
                continue;
            }
            let is_form = |of: &(Conversion, &str, usize)| of.0.letter == '*' || of.0.letter.is_ascii_alphabetic();
            let Some((conversion, sizes, bytes)) = Conversion::read(rest).filter(is_form) else {
                let here = part_of(format, span, percent, 1);
                return Err(refuse(here, "this `%` takes nothing".into(), "a `%` that is printed is written `%%`"));
            };
            let spelling = format!("%{}", &rest[..bytes]);
            let here = part_of(format, span, percent, spelling.len());
            let is_wide = |number: Option<u32>| number.is_some_and(|number| number > MOST_CHARACTERS);
            if is_wide(conversion.width) || is_wide(conversion.precision) {
                let hint = format!("ask for {MOST_CHARACTERS} at most");
                return Err(refuse(here, format!("`{spelling}` prints too many characters"), &hint));
            }
            let is_known = !conversion.takes().is_empty() || conversion.letter == 's';
            let is_sized = match conversion.letter {
                'd' | 'u' | 'o' | 'x' | 'X' => size_of(sizes).is_some(),
                'c' | 's' => sizes.is_empty(),
                _ => sizes.is_empty() || sizes == "l",
            };
            if !is_known || !is_sized {
                let hint = match conversion.letter {
                    '*' => "write the width as a number",
                    'p' => "addresses differ from run to run; print an index",
                    'n' => "print and count apart from each other",
                    'v' => "print each component: `%g %g`, v.x, v.y",
                    _ if is_known => {
                        "`h` and `l` stand before `d`, `u`, `o` and `x`, and one `l` may stand before `f`, `e` and `g`"
                    }
                    _ => "there are %d %i %u %o %x %X %c %f %e %g %a %s and %%",
                };
                return Err(refuse(here, format!("`printf` in a kernel has no conversion `{spelling}`"), hint));
            }
            if !plain.is_empty() {
                pieces.push(Written::Text(std::mem::take(&mut plain)));
            }
            pieces.push(Written::Number(conversion, sizes.to_owned(), spelling));
            rest = &rest[bytes..];
        }
        plain.push_str(rest);
        pieces.push(Written::Text(plain));
        Ok(pieces)
    }

    /// What `%s` prints, which is known now.
    fn literal_string(&mut self, conversion: &Conversion, spelling: &str, value: &ast::Expr) -> Lowered<String> {
        let ast::ExprKind::String(text) = &value.kind else {
            let message = format!("`{spelling}` takes a string between quotes: kernels have no other strings");
            let finding = Diagnostic::error(rules::PRINTF_FORMAT, value.span, message);
            return Err(self.report(finding.hint("print a number, or have a `printf` for each text")));
        };
        let shown: String = text.chars().take(conversion.precision.map_or(usize::MAX, |most| most as usize)).collect();
        let width = conversion.width.unwrap_or(0) as usize;
        Ok(if conversion.flags.contains('-') { format!("{shown:<width$}") } else { format!("{shown:>width$}") })
    }

    /// A value in the type that its form takes.
    fn printed(
        &mut self,
        mut conversion: Conversion,
        sizes: &str,
        spelling: &str,
        value: &ast::Expr,
    ) -> Lowered<(Conversion, Expr)> {
        let span = value.span;
        let number = match self.value(value)? {
            Value::Scalar(number) => number,
            Value::Vector(vector) => self.composed(vector)?,
            Value::Pointer(_) => {
                let finding =
                    Diagnostic::error(rules::PRINTF_FORMAT, span, format!("`{spelling}` does not print a pointer"));
                return Err(self.report(finding.hint("print what it points to, or an index")));
            }
            Value::Void => {
                return Err(self.error(rules::PRINTF_FORMAT, span, "this gives no value that could be printed"));
            }
        };
        let Some(own) = number.ty.scalar() else {
            let message = format!("`{spelling}` does not print `{}`", self.type_name(&number.ty));
            let finding = Diagnostic::error(rules::PRINTF_FORMAT, span, message);
            return Err(self.report(finding.hint("print each of its numbers")));
        };
        let takes_float = conversion.takes().contains(&Scalar::F64);
        if own.is_float() != takes_float {
            let message = format!(
                "`{spelling}` takes {}, not `{}`",
                if takes_float { "a `double`" } else { "an integer" },
                own.okl_name()
            );
            let hint = if takes_float {
                format!("write `{}`, or convert it: `(double) …`", integer_form(own))
            } else {
                "write `%g`, or convert it: `(int) …`".into()
            };
            return Err(self.report(Diagnostic::error(rules::PRINTF_FORMAT, span, message).hint(hint)));
        }
        if takes_float {
            // Passed on as a `double` where C does so.
            let ty = if own == Scalar::F64 { own } else { Scalar::F32 };
            return Ok((conversion, implicit(number, ty)));
        }
        let is_signed = matches!(conversion.letter, 'd' | 'c');
        let asked = size_of(sizes).unwrap_or(4);
        let wide = own.bytes() == 8;
        if conversion.letter == 'c' {
            return Ok((conversion, convert(number, Scalar::I32, true)));
        }
        // A smaller type that is asked for cuts the number off, as in C.
        let number = match (asked, is_signed) {
            (1, true) => convert(number, Scalar::I8, true),
            (1, false) => convert(number, Scalar::U8, true),
            (2, true) => convert(number, Scalar::I16, true),
            (2, false) => convert(number, Scalar::U16, true),
            _ => number,
        };
        if asked >= 4 && (asked == 8) != wide {
            let got = own.okl_name();
            let message =
                format!("`{spelling}` takes {} bits, and `{got}` has {}", 8 * asked, if wide { 64 } else { 32 });
            let hint = format!("write `{}`; all of the number is printed", integer_form(own));
            self.report(Diagnostic::warning(rules::PRINTF_SIZE, span, message).hint(hint));
        }
        let ty = match (asked >= 4 && wide, is_signed) {
            (true, true) => Scalar::I64,
            (true, false) => Scalar::U64,
            (false, true) => Scalar::I32,
            (false, false) => Scalar::U32,
        };
        conversion.flags.retain(|flag| is_signed || !matches!(flag, '+' | ' '));
        Ok((conversion, convert(number, ty, true)))
    }
}

/// Where some bytes of a format stand in the source, which is between the quotes; all of it where that is not plain, because
/// the literal has several parts or escapes that are longer than two characters.
fn part_of(format: &str, literal: Span, start: usize, len: usize) -> Span {
    let is_escaped = |c: char| matches!(c, '\n' | '\t' | '\r' | '\\' | '"');
    let written = |text: &str| text.chars().map(|c| if is_escaped(c) { 2 } else { c.len_utf8() }).sum::<usize>();
    if literal.end.checked_sub(literal.start) != Some(written(format) as u32 + 2) {
        return literal;
    }
    let start = literal.start + 1 + written(&format[..start]) as u32;
    Span { start, end: start + len as u32, ..literal }
}

/// The form that takes an integer type.
fn integer_form(ty: Scalar) -> &'static str {
    match (ty.bytes() == 8, ty.is_signed()) {
        (true, true) => "%ld",
        (true, false) => "%lu",
        (false, true) => "%d",
        (false, false) => "%u",
    }
}

fn add_text(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(Piece::Text(before)) => before.push_str(text),
        _ => pieces.push(Piece::Text(text.to_owned())),
    }
}

fn counted(values: usize) -> String {
    format!("{values} value{}", if values == 1 { "" } else { "s" })
}

fn given(values: usize) -> String {
    format!("{} {values}", if values == 1 { "is" } else { "are" })
}
