//! JSON of records that hold signatures: what a launch computes nests, and the thread that builds a kernel may have little
//! stack.
//!
//! Invariants: what [`write`] answers, [`read`] reads; text that nests deeper than [`MAX_LEVELS`] is refused before anything
//! is made of it. Below that, the types of `okl::signature` that nest ask for stack at each level, however they are read,
//! written or dropped. Not here: values of no type (`serde_json::Value`), which do not ask, and stand in no record.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Serialize, ser};
use serde_json::{Deserializer, Error, Serializer};

/// Brackets within brackets. The language limits what a launch computes (`okl`, K008) to less than a fourth of it. Miri's time grows with its
/// square.
pub(crate) const MAX_LEVELS: usize = if cfg!(miri) { 512 } else { 16_384 };

/// A value as text.
/// # Errors
/// The value has no JSON, or nests too deep.
pub(crate) fn write(value: &impl Serialize) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    value.serialize(&mut Serializer::new(&mut text))?;
    match levels(&text) {
        0..=MAX_LEVELS => Ok(text),
        levels => Err(ser::Error::custom(too_deep(levels))),
    }
}

/// A value of a text.
/// # Errors
/// It is not JSON, is another value's, or nests too deep.
pub(crate) fn read<T: DeserializeOwned>(text: &[u8]) -> Result<T, Error> {
    let levels = levels(text);
    if levels > MAX_LEVELS {
        return Err(Error::custom(too_deep(levels)));
    }
    let mut deserializer = Deserializer::from_slice(text);
    deserializer.disable_recursion_limit();
    let value = T::deserialize(&mut deserializer)?;
    deserializer.end().map(|()| value)
}

fn too_deep(levels: usize) -> String {
    format!("it nests {levels} levels deep, and {MAX_LEVELS} are possible")
}

/// Brackets within brackets at the deepest place.
fn levels(text: &[u8]) -> usize {
    let (mut depth, mut most) = (0usize, 0);
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => {
                depth += 1;
                most = most.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            // What a string holds opens nothing; `\"` does not end it.
            b'"' => {
                while bytes.next().is_some_and(|byte| *byte != b'"' && (*byte != b'\\' || bytes.next().is_some())) {}
            }
            _ => {}
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use okl::ir::{BinaryOp, Literal, Scalar};
    use okl::signature::{HostExpr, HostExprKind, HostOp};
    use okl::value::ScalarValue;
    use serde::Deserialize;
    use serde::de::IgnoredAny;

    /// Terms of a sum, and levels of loops, that need more than a small stack.
    const MANY: usize = if cfg!(miri) { 100 } else { 4000 };

    /// Runs `work` on a thread with so little stack that a walk of some hundred levels overflows it.
    fn on_small_stack(work: impl FnOnce() + Send + 'static) {
        let thread = std::thread::Builder::new().stack_size(64 * 1024).spawn(work).expect("there is a thread");
        thread.join().expect("it ends");
    }

    /// `((n + 1) + 1) …`
    fn sum(terms: usize) -> HostExpr {
        let of = |kind| HostExpr { ty: Scalar::I64, kind };
        (0..terms).fold(of(HostExprKind::Param(0)), |sum, _| {
            let one = of(HostExprKind::Literal(Literal::Int(1)));
            of(HostExprKind::Binary(BinaryOp::Add, sum.into(), one.into()))
        })
    }

    #[test]
    fn what_is_written_is_read_on_any_stack() {
        on_small_stack(|| {
            for terms in [0, 50, MANY] {
                let expr = sum(terms);
                let text = write(&expr).expect("it is not too deep");
                assert!(read::<HostExpr>(&text).expect("it was written so") == expr.clone());
                assert_eq!(format!("{expr:?}").matches("Param").count(), 1);
                let n: [ScalarValue; 1] = [7i64.into()];
                assert_eq!(okl::signature::evaluate(&expr, &n[..], &[]), Ok((7 + terms as i64).into()));
            }
            let launch = vec![HostOp::Launch(0)];
            let ops = (0..MANY).fold(launch, |ops, _| vec![HostOp::Loop(sum(0), ops.into())]);
            let text = write(&ops).expect("it is not too deep");
            assert!(read::<Vec<HostOp>>(&text).expect("it was written so") == ops.clone());
        });
    }

    #[test]
    fn what_cannot_be_read_is_not_written() {
        on_small_stack(|| {
            let error = write(&sum(MAX_LEVELS)).expect_err("too deep").to_string();
            assert!(error.contains(&format!("{MAX_LEVELS} are possible")), "{error}");
        });
    }

    #[test]
    fn text_that_nests_too_deep_is_refused_before_it_is_read() {
        #[derive(Debug, Deserialize)]
        #[expect(dead_code)]
        struct Known {
            known: u32,
        }
        on_small_stack(|| {
            let count = if cfg!(miri) { MAX_LEVELS + 1 } else { 10 << 20 };
            let open = b"[".repeat(count);
            let closed = [&*open, &b"]".repeat(count)].concat();
            let objects = b"{\"kind\":".repeat(count.div_ceil(8).max(MAX_LEVELS + 1));
            let unknown = [b"{\"known\":1,\"more\":", &*closed, b"}"].concat();
            for text in [&open, &closed, &objects, &unknown] {
                for error in [
                    read::<HostExpr>(text).map(drop).expect_err("too deep"),
                    read::<IgnoredAny>(text).map(drop).expect_err("too deep"),
                    read::<Known>(text).map(drop).expect_err("too deep"),
                ] {
                    assert!(error.to_string().contains(&format!("{MAX_LEVELS} are possible")), "{error}");
                }
            }
        });
    }

    #[test]
    fn levels_are_brackets_outside_of_strings() {
        for (text, expected) in [
            ("", 0),
            ("1", 0),
            ("[]", 1),
            ("[[],{\"a\":[1]}]", 3),
            ("\"[[[\"", 0),
            ("[\"\\\"[[\", \"\\\\\", [1]]", 2),
            ("[\"\\\\\", [[]]]", 3),
            ("]]][", 1),
            ("\"\\", 0),
        ] {
            assert_eq!(levels(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn what_stands_behind_a_value_is_refused() {
        assert_eq!(read::<u32>(b" 7 ").ok(), Some(7));
        assert!(read::<u32>(b"7 8").is_err());
        assert!(read::<u32>(b"").is_err());
    }
}
