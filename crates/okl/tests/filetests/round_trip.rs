//! The IR's text, read back.

use okl::ir::{self, Module};
use serde_json::Value;

/// Whether the text of a module says all of it.
pub(crate) fn check(module: &Module) -> Result<(), String> {
    let text = ir::dump(module);
    let read = ir::parse(&text).map_err(|e| format!("its IR cannot be read back: {e}\n{text}"))?;
    if ir::dump(&read) != text || without_spans(&read) != without_spans(module) {
        return Err(format!("its IR is another one when it is read back:\n{text}\n{}", ir::dump(&read)));
    }
    Ok(())
}

/// A module as data; floats are their bits, so that any NaN equals itself.
fn without_spans(module: &Module) -> Value {
    let mut value = serde_json::to_value(module).expect("a module is data");
    strip(&mut value);
    value
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("span");
            fields.values_mut().for_each(strip);
        }
        Value::Array(elements) => elements.iter_mut().for_each(strip),
        _ => {}
    }
}
