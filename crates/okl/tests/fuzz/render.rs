//! Programs as OKL text, and arguments for them.
//!
//! What would leave C's meaning is wrapped where it is written: divisors are made positive, shifts short, subscripts
//! masked, floats clamped before they become integers, signed operands reduced before they are added. Races are kept
//! out by shape: an item writes its own elements, and reads others' only of what no item of its region writes.

use crate::program::{Function, Program, Region};
use crate::scope::{ATOMICS, Array, BINS, GROUPS, INPUT, ITEMS, OWN, Scope};
use crate::setup::{Argument, Setup};
use crate::stmt::block;
use crate::text::{convert, expression};
use okl::ir::Scalar;
use okl::value::ScalarValue;
use std::fmt::Write as _;

/// The kernel's text. `name` is the kernel's, and the prefix of its helpers' names.
pub(crate) fn source(program: &Program, name: &str) -> String {
    let mut out = String::new();
    let [a, b, c] = program.fields.map(Scalar::okl_name);
    let _ = writeln!(out, "struct {name}_record {{ {a} a; {b} b; {c} c[{OWN}]; }};\n");
    for (number, function) in program.functions.iter().enumerate() {
        render_function(&mut out, program, number, function, name);
    }
    render_kernel(&mut out, program, name);
    out
}

/// A subnormal `float` and the largest one, whose reciprocal is subnormal too.
pub(crate) const EXTREMES: [f32; 2] = [f32::MIN_POSITIVE / 8.0, f32::MAX];

/// Buffers and arguments in the kernel's order of parameters; `extremes` are the `float`s next to zero and to infinity that
/// they may have.
pub(crate) fn setup(program: &Program, extremes: [f32; 2]) -> Setup {
    let mut random = Random { state: u64::from(program.seed) | 1, extremes };
    let mut setup = Setup { buffers: Vec::new(), arguments: Vec::new(), printed: Vec::new(), lines: Vec::new() };
    for &ty in &program.scalars {
        setup.arguments.push(Argument::Scalar(random.value(ty)));
    }
    let mut memory = |ty: Scalar, len: usize, random: &mut Random| {
        let bytes: Vec<u8> = (0..len).flat_map(|_| random.value(ty).to_bytes()[..ty.bytes()].to_vec()).collect();
        setup.arguments.push(Argument::Memory { buffer: setup.buffers.len(), offset: 0, bytes: bytes.len() });
        setup.buffers.push(bytes);
    };
    program.inputs.iter().for_each(|&ty| memory(ty, INPUT, &mut random));
    program.outputs.iter().for_each(|&ty| memory(ty, OWN * ITEMS * GROUPS, &mut random));
    ATOMICS.iter().for_each(|&(_, _, ty)| memory(ty, BINS, &mut random));
    setup
}

/// A small generator for arguments (splitmix64); their values need no shrinking.
struct Random {
    state: u64,
    /// The `float`s next to zero and to infinity.
    extremes: [f32; 2],
}

impl Random {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn value(&mut self, ty: Scalar) -> ScalarValue {
        let bits = self.next();
        let small = (bits % 200) as i64 - 60;
        if bits.is_multiple_of(8) {
            return extreme((bits >> 8) as usize, ty, self.extremes);
        }
        match ty {
            Scalar::Bool => (bits & 1 == 1).into(),
            Scalar::F16 | Scalar::BF16 => ScalarValue::from_float((bits >> 40) as f64 / 1e6 - 8.0, ty),
            Scalar::F32 => ((bits >> 40) as f32 / 1e6 - 8.0).into(),
            Scalar::F64 => ((bits >> 11) as f64 / 1e15 - 4.5).into(),
            Scalar::U8 => (bits as u8).into(),
            Scalar::U16 => (bits as u16).into(),
            Scalar::U32 => (bits as u32).into(),
            Scalar::U64 => bits.into(),
            Scalar::I8 => (bits as i8).into(),
            Scalar::I16 => (small as i16).into(),
            Scalar::I32 => (small as i32).into(),
            Scalar::I64 => small.into(),
        }
    }
}

/// A value at the ends of its type.
fn extreme(which: usize, ty: Scalar, extremes: [f32; 2]) -> ScalarValue {
    let floats = [f64::NEG_INFINITY, f64::INFINITY, f64::NAN, -0.0];
    let integers = [i64::MIN, i64::MAX, -1, 0];
    match ty {
        Scalar::F32 => extremes
            .get(which % 6)
            .copied()
            .map_or_else(|| ScalarValue::from_float(floats[which % 4], ty), ScalarValue::from),
        Scalar::F64 => [f64::MIN_POSITIVE / 8.0, f64::MAX].get(which % 6).copied().unwrap_or(floats[which % 4]).into(),
        Scalar::F16 | Scalar::BF16 => ScalarValue::from_float(floats[which % 4], ty),
        Scalar::I32 => ([i32::MIN, i32::MAX, -1, 0][which % 4]).into(),
        Scalar::I64 => integers[which % 4].into(),
        Scalar::U64 => (integers[which % 4] as u64).into(),
        _ => ScalarValue::I64(integers[which % 4]).cast(ty).unwrap_or(ScalarValue::Bool(false)),
    }
}

fn render_function(out: &mut String, program: &Program, number: usize, function: &Function, name: &str) {
    let mut scope = Scope::new(&program.functions[..number], name, program.fields, Some(function.result));
    let mut params = Vec::new();
    for (k, ty) in function.params.iter().enumerate() {
        params.push(format!("{} a{k}", ty.okl_name()));
        scope.vars.push((format!("a{k}"), *ty, true));
    }
    if let Some(ty) = function.pointer {
        params.push(format!("{} *p", ty.okl_name()));
        scope.arrays.push(Array::own("p".into(), "", ty));
    }
    let _ = writeln!(out, "{} {name}_f{number}({}) {{", function.result.okl_name(), params.join(", "));
    block(out, &mut scope, &function.body, 1);
    let value = convert(&expression(&scope, &function.value), function.result);
    let _ = writeln!(out, "  return {value};\n}}\n");
}

fn render_kernel(out: &mut String, program: &Program, name: &str) {
    let declared = |qualifier: &str, types: &[Scalar], prefix: &str| {
        let one = |(k, ty): (usize, &Scalar)| format!("{qualifier}{} {prefix}{k}", ty.okl_name());
        types.iter().enumerate().map(one).collect::<Vec<_>>()
    };
    let mut params = declared("const ", &program.scalars, "n");
    params.extend(declared("const ", &program.inputs, "*in"));
    params.extend(declared("", &program.outputs, "*out"));
    params.extend(ATOMICS.iter().map(|(name, _, ty)| format!("{} *{name}", ty.okl_name())));
    let mut scope = Scope::new(&program.functions, name, program.fields, None);
    scope.vars.extend(program.scalars.iter().enumerate().map(|(k, &ty)| (format!("n{k}"), ty, false)));
    for (k, &ty) in program.inputs.iter().enumerate() {
        let name = format!("in{k}");
        scope.arrays.push(Array { name, prefix: String::new(), ty, mask: INPUT - 1, writable: false });
    }
    let _ = writeln!(out, "@kernel void {name}({}) {{", params.join(", "));
    let _ = writeln!(out, "  for (int o = 0; o < {GROUPS}; ++o; @outer) {{");
    scope.vars.push(("o".into(), Scalar::I32, false));
    declare_group(out, program, &mut scope);
    for (number, region) in program.regions.iter().enumerate() {
        render_region(out, program, number, region, &mut scope);
    }
    out.push_str("  }\n}\n");
}

/// Shared and exclusive variables, and values of the group.
fn declare_group(out: &mut String, program: &Program, scope: &mut Scope<'_>) {
    for (k, ty) in program.shared.iter().enumerate() {
        let _ = writeln!(out, "    @shared {} s{k}[{ITEMS}];", ty.okl_name());
    }
    for (k, (ty, is_array)) in program.exclusive.iter().enumerate() {
        let dims = if *is_array { format!("[{OWN}]") } else { String::new() };
        let _ = writeln!(out, "    @exclusive {} e{k}{dims};", ty.okl_name());
    }
    for value in &program.group {
        let (name, value) = (scope.fresh("g"), expression(scope, value));
        let _ = writeln!(out, "    const {} {name} = {};", value.ty.okl_name(), value.text);
        scope.vars.push((name, value.ty, false));
    }
}

fn render_region(out: &mut String, program: &Program, number: usize, region: &Region, scope: &mut Scope<'_>) {
    let (vars, arrays) = (scope.vars.len(), scope.arrays.clone());
    let has_barrier = !region.after_barrier.is_empty();
    let is_looped = region.trips > 1 && number > 0;
    let in_item = is_looped && has_barrier && region.loop_in_item;
    let mut closing = String::from("    }\n");
    if number > 0
        && let Some(condition) = &region.condition
    {
        let _ = writeln!(out, "    if ({}) {{", expression(scope, condition).text);
        closing.push_str("    }\n");
    }
    let iteration = scope.fresh("t");
    let head = format!("for (int {iteration} = 0; {iteration} < {}; ++{iteration}) {{", region.trips);
    if is_looped && !in_item {
        let _ = writeln!(out, "    {head}");
        closing.push_str("    }\n");
    }
    if is_looped {
        scope.vars.push((iteration, Scalar::I32, false));
    }
    open_items(out, program.shape, &mut closing);
    let _ = writeln!(out, "      const int at = {OWN} * (o * {ITEMS} + i);");
    scope.vars.push(("i".into(), Scalar::I32, false));
    reach_own(program, scope);
    if number == 0 {
        initialise(out, program);
    }
    if in_item {
        let _ = writeln!(out, "      {head}");
        closing.insert_str(0, "      }\n");
    }
    let reads = |k| (number > 0).then_some(k);
    reach_shared(program, scope, number % 2, reads(1 - number % 2));
    // An item that leaves would miss the barriers of the iterations to come.
    scope.may_leave = !in_item;
    block(out, scope, &region.body, 3);
    if has_barrier {
        out.push_str("      @barrier;\n");
        reach_shared(program, scope, 1 - number % 2, Some(number % 2));
        block(out, scope, &region.after_barrier, 3);
        if is_looped {
            // The next iteration writes what this one has read.
            out.push_str("      @barrier;\n");
        }
    }
    scope.may_leave = false;
    out.push_str(&closing);
    scope.vars.truncate(vars);
    scope.arrays = arrays;
}

/// The inner loops, in one of three forms.
fn open_items(out: &mut String, shape: u8, closing: &mut String) {
    match shape % 3 {
        0 => {
            let _ = writeln!(out, "    for (int i = 0; i < {ITEMS}; ++i; @inner) {{");
        }
        1 => {
            let _ = writeln!(out, "    for (int i = {}; i >= 0; --i; @inner) {{", ITEMS - 1);
        }
        _ => {
            let _ = writeln!(out, "    for (int y = 0; y < 2; ++y; @inner(1)) {{");
            let _ = writeln!(out, "    for (int x = 0; x < {}; ++x; @inner(0)) {{", ITEMS / 2);
            let _ = writeln!(out, "      const int i = y * {} + x;", ITEMS / 2);
            closing.push_str("    }\n");
        }
    }
}

/// An item's own memory: its elements of the outputs, its exclusive variables.
fn reach_own(program: &Program, scope: &mut Scope<'_>) {
    for (k, &ty) in program.outputs.iter().enumerate() {
        scope.arrays.push(Array::own(format!("out{k}"), "at + ", ty));
    }
    for (k, &(ty, is_array)) in program.exclusive.iter().enumerate() {
        if is_array {
            scope.arrays.push(Array::own(format!("e{k}"), "", ty));
        } else {
            scope.vars.push((format!("e{k}"), ty, true));
        }
    }
}

/// Of the two shared arrays a phase writes one, each item its own element, and reads the other one anywhere. In the
/// first phase all is being written, and none can be read.
fn reach_shared(program: &Program, scope: &mut Scope<'_>, writes: usize, reads: Option<usize>) {
    let array = |k: usize, prefix: &str, mask, writable| Array {
        name: format!("s{k}"),
        prefix: prefix.into(),
        ty: program.shared[k],
        mask,
        writable,
    };
    scope.arrays.retain(|a| !a.name.starts_with('s'));
    scope.arrays.push(array(writes, "i + ", 0, true));
    scope.arrays.extend(reads.map(|k| array(k, "", 3, false)));
}

/// The first region begins by writing everything once.
fn initialise(out: &mut String, program: &Program) {
    for (k, ty) in program.shared.iter().enumerate() {
        let _ = writeln!(out, "      s{k}[i] = ({}) (i + {k});", ty.okl_name());
    }
    for (k, (ty, is_array)) in program.exclusive.iter().enumerate() {
        if *is_array {
            let _ = writeln!(out, "      for (int k = 0; k < {OWN}; ++k) e{k}[k] = ({}) (k * i);", ty.okl_name());
        } else {
            let _ = writeln!(out, "      e{k} = ({}) (i - 2);", ty.okl_name());
        }
    }
}
