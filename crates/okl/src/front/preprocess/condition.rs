//! The constant expressions of `#if` and `#elif`: 64-bit integers, unknown names are 0.
//! `==` and `!=` also compare strings, because `OKL_MODE` is one: `#if OKL_MODE == "CUDA"`.

use super::expand::Flow;
use super::hide::HideSet;
use super::{Preprocessor, Span};
use crate::Diagnostic;
use crate::front::lex::literal::{self, LiteralError, Number};
use crate::front::lex::{Punct, Token, TokenKind};
use crate::ir::Scalar;
use crate::rules;

/// How deep parentheses and prefix operators may nest.
const MAX_DEPTH: u32 = 200;

impl Preprocessor<'_> {
    /// Whether the condition of `#if` holds; what is wrong is reported and does not hold.
    pub(super) fn condition(&mut self, line: &[Token], directive: Span) -> bool {
        let flows = line.iter().map(|token| Flow { token: token.clone(), hidden: HideSet::default() }).collect();
        let before = std::mem::replace(&mut self.in_condition, true);
        let expanded = self.expand_list(flows, 0);
        self.in_condition = before;
        let tokens: Vec<Token> = expanded.into_iter().map(|flow| flow.token).collect();
        let mut evaluator = Evaluator { tokens: &tokens, position: 0, depth: 0, directive, assigns: None };
        let value = evaluator.whole();
        if let Some(span) = evaluator.assigns {
            let finding =
                Diagnostic::warning(rules::ASSIGNMENT_IN_CONDITION, span, "`=` compares here; did you mean `==`?");
            self.report(finding.hint("write `==`: C compilers refuse `=` in a condition"));
        }
        match value {
            Ok(value) => value.is_true(),
            Err(finding) => {
                self.report(*finding);
                false
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Number { bits: i64, unsigned: bool },
    Text(String),
}

impl Value {
    fn of(truth: bool) -> Self {
        Self::Number { bits: i64::from(truth), unsigned: false }
    }

    fn is_true(&self) -> bool {
        *self != Self::Number { bits: 0, unsigned: false } && *self != Self::Number { bits: 0, unsigned: true }
    }
}

/// Boxed: a diagnostic is much larger than a value.
type Evaluated<T> = Result<T, Box<Diagnostic>>;

struct Evaluator<'t> {
    tokens: &'t [Token],
    position: usize,
    depth: u32,
    directive: Span,
    /// A `=` where `==` is meant.
    assigns: Option<Span>,
}

impl<'t> Evaluator<'t> {
    fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.position)
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.peek().is_some_and(|token| token.is(punct));
        self.position += usize::from(found);
        found
    }

    fn fail<T>(&self, message: &str) -> Evaluated<T> {
        let span = self.peek().map_or(self.directive, |token| token.span);
        Err(Box::new(Diagnostic::error(rules::BAD_CONDITION, span, message)))
    }

    fn whole(&mut self) -> Evaluated<Value> {
        let value = self.conditional(true)?;
        match self.peek() {
            None => Ok(value),
            Some(token) => self.fail(&format!("expected an operator or the end of the line, found `{}`", token.text())),
        }
    }

    /// `live` is false in a branch that is not taken, where division by zero is no fault.
    fn conditional(&mut self, live: bool) -> Evaluated<Value> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail(&format!("this condition is nested more than {MAX_DEPTH} levels deep"));
        }
        let condition = self.binary(0, live)?;
        let result = if self.eat(Punct::Question) {
            let truth = condition.is_true();
            let then = self.conditional(live && truth)?;
            if !self.eat(Punct::Colon) {
                return self.fail("expected `:` between the two values of `? :`");
            }
            let otherwise = self.conditional(live && !truth)?;
            either(truth, then, otherwise)
        } else {
            condition
        };
        self.depth -= 1;
        Ok(result)
    }

    fn binary(&mut self, level: u8, live: bool) -> Evaluated<Value> {
        let mut left = self.unary(live)?;
        while let Some((token, op, tightness)) = self.operator().filter(|&(_, _, tightness)| tightness >= level) {
            self.position += 1;
            if token.is(Punct::Assign) {
                self.assigns.get_or_insert(token.span);
            }
            let runs = match op {
                Punct::AndAnd => live && left.is_true(),
                Punct::OrOr => live && !left.is_true(),
                _ => live,
            };
            let right = self.binary(tightness + 1, runs)?;
            left = match apply(op, &left, &right) {
                Ok(value) => value,
                Err(_) if !live => Value::of(false),
                Err(message) => return Err(Box::new(Diagnostic::error(rules::BAD_CONDITION, token.span, message))),
            };
        }
        Ok(left)
    }

    fn operator(&self) -> Option<(&'t Token, Punct, u8)> {
        let token = self.peek()?;
        let TokenKind::Punct(punct) = token.kind else {
            return None;
        };
        let punct = if punct == Punct::Assign { Punct::EqualEqual } else { punct };
        let tightness = match punct {
            Punct::OrOr => 1,
            Punct::AndAnd => 2,
            Punct::Or => 3,
            Punct::Xor => 4,
            Punct::And => 5,
            Punct::EqualEqual | Punct::NotEqual => 6,
            Punct::Less | Punct::LessEqual | Punct::Greater | Punct::GreaterEqual => 7,
            Punct::Shl | Punct::Shr => 8,
            Punct::Plus | Punct::Minus => 9,
            Punct::Star | Punct::Slash | Punct::Percent => 10,
            _ => return None,
        };
        Some((token, punct, tightness))
    }

    fn unary(&mut self, live: bool) -> Evaluated<Value> {
        let Some(token) = self.peek() else {
            return self.fail("the condition ends where a value is expected");
        };
        let TokenKind::Punct(op @ (Punct::Plus | Punct::Minus | Punct::Not | Punct::Tilde)) = token.kind else {
            return self.primary(token, live);
        };
        self.position += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail(&format!("this condition is nested more than {MAX_DEPTH} levels deep"));
        }
        let operand = self.unary(live)?;
        self.depth -= 1;
        let Value::Number { bits, unsigned } = operand else {
            return Err(Box::new(Diagnostic::error(
                rules::BAD_CONDITION,
                token.span,
                "strings can be compared with `==` and `!=` alone",
            )));
        };
        Ok(match op {
            Punct::Minus => Value::Number { bits: bits.wrapping_neg(), unsigned },
            Punct::Tilde => Value::Number { bits: !bits, unsigned },
            Punct::Not => Value::of(bits == 0),
            _ => Value::Number { bits, unsigned },
        })
    }

    fn primary(&mut self, token: &Token, live: bool) -> Evaluated<Value> {
        let literal =
            |error: LiteralError| Box::new(Diagnostic::error(rules::BAD_CONDITION, token.span, error.message));
        let value = match &token.kind {
            TokenKind::Punct(Punct::LeftParen) => {
                self.position += 1;
                let value = self.conditional(live)?;
                if !self.eat(Punct::RightParen) {
                    let what =
                        self.peek().map_or_else(|| "the end of the line".into(), |token| format!("`{}`", token.text()));
                    return self.fail(&format!("expected `)`, found {what}"));
                }
                return Ok(value);
            }
            TokenKind::Number(text) => match literal::number(text).map_err(literal)? {
                // All integers are 64 bits wide here: only `u`, or not fitting, makes one unsigned.
                Number::Int(value, ty) => {
                    let suffixed = text.contains(['u', 'U']) && matches!(ty, Scalar::U32 | Scalar::U64);
                    Value::Number { bits: value as i64, unsigned: suffixed || value > i64::MAX as u64 }
                }
                Number::Float(..) | Number::Imaginary(..) => {
                    return self.fail(&format!("`{text}` is not an integer: conditions are made of integers"));
                }
            },
            TokenKind::Char(text) => {
                Value::Number { bits: literal::character(text).map_err(literal)?, unsigned: false }
            }
            TokenKind::String(text) => Value::Text(literal::string(text).map_err(literal)?),
            TokenKind::Name(name) if &**name == "__has_include" => {
                return self.fail("`__has_include` is not in OKL: a cache could not notice a file that appears later");
            }
            TokenKind::Name(name) => {
                if self.tokens.get(self.position + 1).is_some_and(|next| next.is(Punct::LeftParen)) {
                    return self.fail(&format!("`{name}` is not a macro: it cannot be called in a condition"));
                }
                Value::of(&**name == "true")
            }
            _ => return self.fail(&format!("expected a value, found `{}`", token.text())),
        };
        self.position += 1;
        Ok(value)
    }
}

/// C's `? :`: the value's type is that of both.
fn either(truth: bool, then: Value, otherwise: Value) -> Value {
    let is_unsigned = |value: &Value| matches!(value, Value::Number { unsigned: true, .. });
    let unsigned = is_unsigned(&then) || is_unsigned(&otherwise);
    match if truth { then } else { otherwise } {
        Value::Number { bits, .. } => Value::Number { bits, unsigned },
        text => text,
    }
}

fn apply(op: Punct, left: &Value, right: &Value) -> Result<Value, &'static str> {
    match op {
        Punct::AndAnd => return Ok(Value::of(left.is_true() && right.is_true())),
        Punct::OrOr => return Ok(Value::of(left.is_true() || right.is_true())),
        _ => {}
    }
    let (&Value::Number { bits: a, unsigned: a_unsigned }, &Value::Number { bits: b, unsigned: b_unsigned }) =
        (left, right)
    else {
        return match op {
            Punct::EqualEqual => Ok(Value::of(left == right)),
            Punct::NotEqual => Ok(Value::of(left != right)),
            _ => Err("strings can be compared with `==` and `!=` alone"),
        };
    };
    if matches!(op, Punct::Shl | Punct::Shr) {
        return Ok(Value::Number { bits: shift(op, a, a_unsigned, b, b_unsigned), unsigned: a_unsigned });
    }
    let unsigned = a_unsigned || b_unsigned;
    let (ua, ub) = (a as u64, b as u64);
    let less = |a: i64, b: i64| {
        if unsigned { (a as u64) < b as u64 } else { a < b }
    };
    let bits = match op {
        Punct::Plus => a.wrapping_add(b),
        Punct::Minus => a.wrapping_sub(b),
        Punct::Star => a.wrapping_mul(b),
        Punct::Slash | Punct::Percent if b == 0 => return Err("division by zero"),
        Punct::Slash if unsigned => (ua / ub) as i64,
        Punct::Slash => a.wrapping_div(b),
        Punct::Percent if unsigned => (ua % ub) as i64,
        Punct::Percent => a.wrapping_rem(b),
        Punct::And => a & b,
        Punct::Or => a | b,
        Punct::Xor => a ^ b,
        Punct::EqualEqual => return Ok(Value::of(a == b)),
        Punct::NotEqual => return Ok(Value::of(a != b)),
        Punct::Less => return Ok(Value::of(less(a, b))),
        Punct::LessEqual => return Ok(Value::of(!less(b, a))),
        Punct::Greater => return Ok(Value::of(less(b, a))),
        Punct::GreaterEqual => return Ok(Value::of(!less(a, b))),
        _ => return Err("this operator has no place in a condition"),
    };
    Ok(Value::Number { bits, unsigned })
}

/// Shifts as gcc does where C leaves it open: a negative count shifts the other way, a large one shifts all out.
fn shift(op: Punct, value: i64, unsigned: bool, count: i64, count_unsigned: bool) -> i64 {
    let negative = count < 0 && !count_unsigned;
    let left = (op == Punct::Shl) != negative;
    let count = if negative { count.unsigned_abs() } else { count as u64 };
    let fill = if !left && !unsigned && value < 0 { -1 } else { 0 };
    match u32::try_from(count) {
        Ok(count) if count < 64 && left => value << count,
        Ok(count) if count < 64 && unsigned => ((value as u64) >> count) as i64,
        Ok(count) if count < 64 => value >> count,
        _ => fill,
    }
}
