//! Statements as text.

use crate::program::{Ex, St};
use crate::scope::{ATOMICS, Array, BINS, OWN, Scope, add_record, assignable, writable};
use crate::text::{Typed, as_int, convert, element, expression, pass};
use okl::ir::Scalar;
use std::fmt::Write as _;

/// Statements of one scope.
pub(crate) fn block(out: &mut String, scope: &mut Scope<'_>, stmts: &[St], depth: usize) {
    let (vars, arrays, records) = (scope.vars.len(), scope.arrays.len(), scope.records.len());
    for stmt in stmts {
        statement(out, scope, stmt, depth);
    }
    scope.records.truncate(records);
    scope.vars.truncate(vars);
    scope.arrays.truncate(arrays);
}

fn statement(out: &mut String, scope: &mut Scope<'_>, stmt: &St, depth: usize) {
    let pad = "  ".repeat(depth);
    match stmt {
        St::If(condition, then, otherwise) => branch(out, scope, condition, then, otherwise, depth),
        St::For(trips, form, body) => for_loop(out, scope, iterations(scope, *trips), form % 4, body, depth),
        St::While(trips, body) => while_loop(out, scope, trips % 5, body, depth),
        St::DoWhile(trips, body) => do_loop(out, scope, trips % 5, body, depth),
        St::Switch(value, arms) => switch(out, scope, value, arms, depth),
        _ => {
            if let Some(line) = line(scope, stmt) {
                let _ = writeln!(out, "{pad}{line};");
            }
        }
    }
}

/// A statement of one line, without its semicolon; `None` where it has no meaning at this place.
fn line(scope: &mut Scope<'_>, stmt: &St) -> Option<String> {
    match stmt {
        St::Declare(ty, value) => Some(declare(scope, *ty, value)),
        St::Array(ty, values) => Some(declare_array(scope, *ty, values)),
        St::Record(values) => Some(declare_record(scope, values)),
        St::CopyRecord(which) => copy_record(scope, *which),
        St::Assign(var, value) => {
            let (name, ty) = assignable(scope, *var)?;
            Some(format!("{name} = {}", convert(&expression(scope, value), ty)))
        }
        St::Update(var, op, value) => {
            let (name, ty) = assignable(scope, *var)?;
            Some(update(&name, ty, *op, &expression(scope, value)))
        }
        St::Step(var, how) => step(scope, *var, *how),
        St::Store(array, index, value) => {
            let array = writable(scope, *array)?;
            let (index, value) = (expression(scope, index), expression(scope, value));
            Some(format!("{} = {}", element(&array, &index), convert(&value, array.ty)))
        }
        St::Atomic(which, index, value) => atomic(scope, *which, index, value),
        St::CallFor(function, array, arguments) => call(scope, *function, *array, arguments),
        St::Break(condition) if scope.loops > 0 => Some(format!("if ({}) break", expression(scope, condition).text)),
        St::Continue(condition) if scope.loops > 0 || (scope.may_leave && scope.result.is_none()) => {
            Some(format!("if ({}) continue", expression(scope, condition).text))
        }
        St::Return(condition) if scope.may_leave => {
            let condition = expression(scope, condition);
            let value = scope.result.map(|ty| format!(" {}", convert(&condition, ty))).unwrap_or_default();
            Some(format!("if ({} && {} % 3 == 1) return{value}", condition.text, as_int(&condition)))
        }
        _ => None,
    }
}

fn declare(scope: &mut Scope<'_>, ty: Scalar, value: &Ex) -> String {
    let value = convert(&expression(scope, value), ty);
    let name = scope.fresh("v");
    scope.vars.push((name.clone(), ty, true));
    format!("{} {name} = {value}", ty.okl_name())
}

fn declare_array(scope: &mut Scope<'_>, ty: Scalar, values: &[Ex]) -> String {
    let values: Vec<_> = values.iter().take(OWN).map(|v| convert(&expression(scope, v), ty)).collect();
    let name = scope.fresh("l");
    scope.arrays.push(Array::own(name.clone(), "", ty));
    format!("{} {name}[{OWN}] = {{{}}}", ty.okl_name(), values.join(", "))
}

fn declare_record(scope: &mut Scope<'_>, values: &[Ex]) -> String {
    let [a, b, c] = scope.fields;
    let fields = [a, b].into_iter().chain([c; OWN]);
    let values: Vec<_> = fields.zip(values).map(|(ty, v)| convert(&expression(scope, v), ty)).collect();
    let name = scope.fresh("r");
    add_record(scope, name.clone());
    format!("{}_record {name} = {{{}}}", scope.name, values.join(", "))
}

fn copy_record(scope: &mut Scope<'_>, which: u8) -> Option<String> {
    let other = scope.records.get(usize::from(which) % scope.records.len().max(1)).cloned()?;
    let name = scope.fresh("r");
    add_record(scope, name.clone());
    Some(format!("{}_record {name} = {other}", scope.name))
}

fn step(scope: &Scope<'_>, var: u8, how: u8) -> Option<String> {
    let (name, ty) = assignable(scope, var).filter(|(_, ty)| *ty != Scalar::Bool)?;
    let text = ["++NAME", "NAME++", "--NAME", "NAME--"][usize::from(how % 4)].replace("NAME", &name);
    // Kept far from the largest value, so that a step does not overflow.
    let is_bounded = matches!(ty, Scalar::I32 | Scalar::I64);
    Some(if is_bounded { format!("{name} %= 1000003; {text}") } else { text })
}

fn atomic(scope: &Scope<'_>, which: u8, index: &Ex, value: &Ex) -> Option<String> {
    if scope.result.is_some() {
        return None;
    }
    let (name, op, ty) = ATOMICS[usize::from(which) % ATOMICS.len()];
    let (index, value) = (as_int(&expression(scope, index)), convert(&expression(scope, value), ty));
    Some(format!("@atomic {name}[{index} & {}] {op} {value}", BINS - 1))
}

fn call(scope: &Scope<'_>, which: u8, array: u8, arguments: &[Ex]) -> Option<String> {
    let with_pointer: Vec<_> = scope.functions.iter().enumerate().filter(|(_, f)| f.pointer.is_some()).collect();
    let &(number, function) = with_pointer.get(usize::from(which) % with_pointer.len().max(1))?;
    let fits = |a: &&Array| a.writable && Some(a.ty) == function.pointer && a.mask == OWN - 1;
    let targets: Vec<_> = scope.arrays.iter().filter(fits).collect();
    let target = targets.get(usize::from(array) % targets.len().max(1))?;
    let mut passed = pass(scope, function, arguments);
    let prefix = target.prefix.trim_end_matches(" + ");
    passed.push(if prefix.is_empty() { target.name.clone() } else { format!("{} + {prefix}", target.name) });
    Some(format!("{}_f{number}({})", scope.name, passed.join(", ")))
}

fn update(name: &str, ty: Scalar, op: u8, value: &Typed) -> String {
    if ty.is_float() {
        return format!("{name} {} {}", ["+=", "-=", "*=", "/="][usize::from(op % 4)], value.text);
    }
    let value = as_int(value);
    match op % 7 {
        0 if ty == Scalar::Bool => format!("{name} ^= ({value} & 1)"),
        0 if matches!(ty, Scalar::I32 | Scalar::I64) => {
            format!("{name} = {name} % 10007 + {value} % 10007")
        }
        0 => format!("{name} += {value} % 10007"),
        1 => format!("{name} &= {value}"),
        2 => format!("{name} |= {value}"),
        3 => format!("{name} ^= {value}"),
        4 => format!("{name} >>= ({value} & 3)"),
        5 => format!("{name} /= ({value} & 7) + 1"),
        _ => format!("{name} %= ({value} & 7) + 1"),
    }
}

fn branch(out: &mut String, scope: &mut Scope<'_>, condition: &Ex, then: &[St], otherwise: &[St], depth: usize) {
    let pad = "  ".repeat(depth);
    let _ = writeln!(out, "{pad}if ({}) {{", expression(scope, condition).text);
    block(out, scope, then, depth + 1);
    if !otherwise.is_empty() {
        let _ = writeln!(out, "{pad}}} else {{");
        block(out, scope, otherwise, depth + 1);
    }
    let _ = writeln!(out, "{pad}}}");
}

/// Few; many in some loops that stand in no other.
fn iterations(scope: &Scope<'_>, trips: u8) -> u32 {
    if trips > 240 && scope.loops == 0 && scope.result.is_none() { 700 } else { u32::from(trips % 5) }
}

fn for_loop(out: &mut String, scope: &mut Scope<'_>, trips: u32, form: u8, body: &[St], depth: usize) {
    let (pad, name) = ("  ".repeat(depth), scope.fresh("k"));
    let (head, ty) = match form {
        0 => (format!("int {name} = 0; {name} < {trips}; ++{name}"), Scalar::I32),
        1 => (format!("int {name} = {trips}; {name} > 0; {name}--"), Scalar::I32),
        2 => (format!("long {name} = 1; {name} <= {trips}; {name} += 2"), Scalar::I64),
        _ => (format!("unsigned int {name} = 0; {name} != {trips}; {name}++"), Scalar::U32),
    };
    let _ = writeln!(out, "{pad}for ({head}) {{");
    looped(out, scope, (name, ty), body, depth);
    let _ = writeln!(out, "{pad}}}");
}

fn while_loop(out: &mut String, scope: &mut Scope<'_>, trips: u8, body: &[St], depth: usize) {
    let (pad, name) = ("  ".repeat(depth), scope.fresh("w"));
    let _ = writeln!(out, "{pad}int {name} = 0;\n{pad}while ({name}++ < {trips}) {{");
    looped(out, scope, (name, Scalar::I32), body, depth);
    let _ = writeln!(out, "{pad}}}");
}

fn do_loop(out: &mut String, scope: &mut Scope<'_>, trips: u8, body: &[St], depth: usize) {
    let (pad, name) = ("  ".repeat(depth), scope.fresh("d"));
    let _ = writeln!(out, "{pad}int {name} = 0;\n{pad}do {{");
    looped(out, scope, (name.clone(), Scalar::I32), body, depth);
    let _ = writeln!(out, "{pad}}} while (++{name} < {trips});");
}

fn looped(out: &mut String, scope: &mut Scope<'_>, counter: (String, Scalar), body: &[St], depth: usize) {
    let vars = scope.vars.len();
    scope.vars.push((counter.0, counter.1, false));
    scope.loops += 1;
    block(out, scope, body, depth + 1);
    scope.loops -= 1;
    scope.vars.truncate(vars);
}

fn switch(out: &mut String, scope: &mut Scope<'_>, value: &Ex, arms: &[(bool, Vec<St>)], depth: usize) {
    let pad = "  ".repeat(depth);
    let _ = writeln!(out, "{pad}switch ({} & 3) {{", as_int(&expression(scope, value)));
    for (number, (falls, body)) in arms.iter().enumerate() {
        let label = if number == 2 { "default".into() } else { format!("case {number}") };
        let _ = writeln!(out, "{pad}{label}: {{");
        block(out, scope, body, depth + 1);
        let _ = writeln!(out, "{pad}}}{}", if *falls { "" } else { " break;" });
    }
    let _ = writeln!(out, "{pad}}}");
}
