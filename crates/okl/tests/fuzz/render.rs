//! Programs as OKL text, and arguments for them.
//!
//! What would leave C's meaning is wrapped where it is written: divisors are made positive, shifts short, subscripts
//! masked, floats clamped before they become integers, signed operands reduced before they are added. Races are kept
//! out by shape: an item writes its own elements, and reads others' only of what no item of its region writes.

use crate::program::{Ex, Function, Program, St};
use crate::setup::{Argument, Setup};
use okl::ir::Scalar;
use okl::value::ScalarValue;
use std::fmt::Write as _;

/// Elements of an input array; a power of two.
const INPUT: usize = 64;
/// Elements of an output array that belong to one item.
const OWN: usize = 4;
/// Items of a group, and groups.
const ITEMS: usize = 6;
const GROUPS: usize = 3;
/// Elements of the arrays that are updated atomically; a power of two.
const BINS: usize = 4;
/// Those arrays, each with the one operator for which order does not matter.
const ATOMICS: [(&str, &str, Scalar); 3] = [
    ("sums", "+=", Scalar::I32),
    ("masks", "|=", Scalar::U32),
    ("flips", "^=", Scalar::I64),
];

/// The kernel's text. `name` is the kernel's, and the prefix of its helpers' names.
pub(crate) fn source(program: &Program, name: &str) -> String {
    let mut out = String::new();
    let [a, b, c] = program.fields.map(Scalar::okl_name);
    let _ = writeln!(
        out,
        "struct {name}_record {{ {a} a; {b} b; {c} c[{OWN}]; }};\n"
    );
    for (number, function) in program.functions.iter().enumerate() {
        render_function(&mut out, program, number, function, name);
    }
    render_kernel(&mut out, program, name);
    out
}

/// Buffers and arguments in the kernel's order of parameters.
pub(crate) fn setup(program: &Program) -> Setup {
    let mut random = Random(u64::from(program.seed) | 1);
    let mut setup = Setup {
        buffers: Vec::new(),
        arguments: Vec::new(),
    };
    for &ty in &program.scalars {
        setup.arguments.push(Argument::Scalar(random.value(ty)));
    }
    let mut memory = |ty: Scalar, len: usize, random: &mut Random| {
        let bytes: Vec<u8> = (0..len)
            .flat_map(|_| random.value(ty).to_bytes()[..ty.bytes()].to_vec())
            .collect();
        setup.arguments.push(Argument::Memory {
            buffer: setup.buffers.len(),
            offset: 0,
            bytes: bytes.len(),
        });
        setup.buffers.push(bytes);
    };
    program
        .inputs
        .iter()
        .for_each(|&ty| memory(ty, INPUT, &mut random));
    program
        .outputs
        .iter()
        .for_each(|&ty| memory(ty, OWN * ITEMS * GROUPS, &mut random));
    ATOMICS
        .iter()
        .for_each(|&(_, _, ty)| memory(ty, BINS, &mut random));
    setup
}

/// A small generator for arguments (splitmix64); their values need no shrinking.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn value(&mut self, ty: Scalar) -> ScalarValue {
        let bits = self.next();
        let small = (bits % 200) as i64 - 60;
        match ty {
            Scalar::Bool => (bits & 1 == 1).into(),
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

/// An array within reach: `name[prefix + (k & mask)]`.
#[derive(Clone)]
struct Array {
    name: String,
    prefix: String,
    ty: Scalar,
    mask: usize,
    writable: bool,
}

/// What is in scope.
struct Scope<'a> {
    functions: &'a [Function],
    name: &'a str,
    /// Name, type, and whether it may be assigned.
    vars: Vec<(String, Scalar, bool)>,
    arrays: Vec<Array>,
    /// Names of records, and the types of their fields.
    records: Vec<String>,
    fields: [Scalar; 3],
    loops: u32,
    /// Within a device function, its result.
    result: Option<Scalar>,
    /// `return` and `continue` may leave the item here.
    may_leave: bool,
    next: u32,
}

impl Scope<'_> {
    fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }
}

fn render_function(
    out: &mut String,
    program: &Program,
    number: usize,
    function: &Function,
    name: &str,
) {
    let mut scope = Scope {
        functions: &program.functions[..number],
        name,
        vars: Vec::new(),
        arrays: Vec::new(),
        records: Vec::new(),
        fields: program.fields,
        loops: 0,
        result: Some(function.result),
        may_leave: true,
        next: 0,
    };
    let mut params = Vec::new();
    for (k, ty) in function.params.iter().enumerate() {
        params.push(format!("{} a{k}", ty.okl_name()));
        scope.vars.push((format!("a{k}"), *ty, true));
    }
    if let Some(ty) = function.pointer {
        params.push(format!("{} *p", ty.okl_name()));
        scope.arrays.push(Array {
            name: "p".into(),
            prefix: String::new(),
            ty,
            mask: OWN - 1,
            writable: true,
        });
    }
    let _ = writeln!(
        out,
        "{} {name}_f{number}({}) {{",
        function.result.okl_name(),
        params.join(", ")
    );
    block(out, &mut scope, &function.body, 1);
    let value = convert(&expression(&scope, &function.value), function.result);
    let _ = writeln!(out, "  return {value};\n}}\n");
}

fn render_kernel(out: &mut String, program: &Program, name: &str) {
    let mut params: Vec<String> = program
        .scalars
        .iter()
        .enumerate()
        .map(|(k, ty)| format!("const {} n{k}", ty.okl_name()))
        .collect();
    params.extend(
        program
            .inputs
            .iter()
            .enumerate()
            .map(|(k, ty)| format!("const {} *in{k}", ty.okl_name())),
    );
    params.extend(
        program
            .outputs
            .iter()
            .enumerate()
            .map(|(k, ty)| format!("{} *out{k}", ty.okl_name())),
    );
    params.extend(
        ATOMICS
            .iter()
            .map(|(name, _, ty)| format!("{} *{name}", ty.okl_name())),
    );
    let mut scope = Scope {
        functions: &program.functions,
        name,
        vars: program
            .scalars
            .iter()
            .enumerate()
            .map(|(k, &ty)| (format!("n{k}"), ty, false))
            .collect(),
        arrays: Vec::new(),
        records: Vec::new(),
        fields: program.fields,
        loops: 0,
        result: None,
        may_leave: false,
        next: 0,
    };
    for (k, &ty) in program.inputs.iter().enumerate() {
        let array = Array {
            name: format!("in{k}"),
            prefix: String::new(),
            ty,
            mask: INPUT - 1,
            writable: false,
        };
        scope.arrays.push(array);
    }
    let _ = writeln!(out, "@kernel void {name}({}) {{", params.join(", "));
    let _ = writeln!(out, "  for (int o = 0; o < {GROUPS}; ++o; @outer) {{");
    scope.vars.push(("o".into(), Scalar::I32, false));
    for (k, ty) in program.shared.iter().enumerate() {
        let _ = writeln!(out, "    @shared {} s{k}[{ITEMS}];", ty.okl_name());
    }
    for (k, (ty, is_array)) in program.exclusive.iter().enumerate() {
        let dims = if *is_array {
            format!("[{OWN}]")
        } else {
            String::new()
        };
        let _ = writeln!(out, "    @exclusive {} e{k}{dims};", ty.okl_name());
    }
    for value in &program.group {
        let (name, value) = (scope.fresh("g"), expression(&scope, value));
        let _ = writeln!(
            out,
            "    const {} {name} = {};",
            value.ty.okl_name(),
            value.text
        );
        scope.vars.push((name, value.ty, false));
    }
    for (number, region) in program.regions.iter().enumerate() {
        render_region(out, program, number, region, &mut scope);
    }
    out.push_str("  }\n}\n");
}

fn render_region(
    out: &mut String,
    program: &Program,
    number: usize,
    region: &crate::program::Region,
    scope: &mut Scope<'_>,
) {
    let (vars, arrays) = (scope.vars.len(), scope.arrays.clone());
    let has_barrier = !region.after_barrier.is_empty();
    let is_looped = region.turns > 1 && number > 0;
    let in_item = is_looped && has_barrier && region.loop_in_item;
    let mut closing = String::from("    }\n");
    if number > 0
        && let Some(condition) = &region.condition
    {
        let _ = writeln!(out, "    if ({}) {{", expression(scope, condition).text);
        closing.push_str("    }\n");
    }
    let turn = scope.fresh("t");
    let head = format!(
        "for (int {turn} = 0; {turn} < {}; ++{turn}) {{",
        region.turns
    );
    if is_looped && !in_item {
        let _ = writeln!(out, "    {head}");
        closing.push_str("    }\n");
    }
    if is_looped {
        scope.vars.push((turn, Scalar::I32, false));
    }
    match program.shape % 3 {
        0 => {
            let _ = writeln!(out, "    for (int i = 0; i < {ITEMS}; ++i; @inner) {{");
        }
        1 => {
            let _ = writeln!(
                out,
                "    for (int i = {}; i >= 0; --i; @inner) {{",
                ITEMS - 1
            );
        }
        _ => {
            let _ = writeln!(out, "    for (int y = 0; y < 2; ++y; @inner(1)) {{");
            let _ = writeln!(
                out,
                "    for (int x = 0; x < {}; ++x; @inner(0)) {{",
                ITEMS / 2
            );
            let _ = writeln!(out, "      const int i = y * {} + x;", ITEMS / 2);
            closing.push_str("    }\n");
        }
    }
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
    // An item that leaves would miss the barriers of the turns to come.
    scope.may_leave = !in_item;
    block(out, scope, &region.body, 3);
    if has_barrier {
        out.push_str("      @barrier;\n");
        reach_shared(program, scope, 1 - number % 2, Some(number % 2));
        block(out, scope, &region.after_barrier, 3);
        if is_looped {
            // The next turn writes what this one has read.
            out.push_str("      @barrier;\n");
        }
    }
    scope.may_leave = false;
    out.push_str(&closing);
    scope.vars.truncate(vars);
    scope.arrays = arrays;
}

/// An item's own memory: its elements of the outputs, its exclusive variables.
fn reach_own(program: &Program, scope: &mut Scope<'_>) {
    for (k, &ty) in program.outputs.iter().enumerate() {
        let array = Array {
            name: format!("out{k}"),
            prefix: "at + ".into(),
            ty,
            mask: OWN - 1,
            writable: true,
        };
        scope.arrays.push(array);
    }
    for (k, &(ty, is_array)) in program.exclusive.iter().enumerate() {
        if is_array {
            let array = Array {
                name: format!("e{k}"),
                prefix: String::new(),
                ty,
                mask: OWN - 1,
                writable: true,
            };
            scope.arrays.push(array);
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
            let _ = writeln!(
                out,
                "      for (int k = 0; k < {OWN}; ++k) e{k}[k] = ({}) (k * i);",
                ty.okl_name()
            );
        } else {
            let _ = writeln!(out, "      e{k} = ({}) (i - 2);", ty.okl_name());
        }
    }
}

/// Statements of one scope.
fn block(out: &mut String, scope: &mut Scope<'_>, stmts: &[St], depth: usize) {
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
        St::Declare(ty, value) => {
            let value = convert(&expression(scope, value), *ty);
            let name = scope.fresh("v");
            let _ = writeln!(out, "{pad}{} {name} = {value};", ty.okl_name());
            scope.vars.push((name, *ty, true));
        }
        St::Array(ty, values) => {
            let values: Vec<_> = values
                .iter()
                .take(OWN)
                .map(|v| convert(&expression(scope, v), *ty))
                .collect();
            let name = scope.fresh("l");
            let _ = writeln!(
                out,
                "{pad}{} {name}[{OWN}] = {{{}}};",
                ty.okl_name(),
                values.join(", ")
            );
            scope.arrays.push(Array {
                name,
                prefix: String::new(),
                ty: *ty,
                mask: OWN - 1,
                writable: true,
            });
        }
        St::Record(values) => {
            let fields = [scope.fields[0], scope.fields[1]]
                .into_iter()
                .chain([scope.fields[2]; OWN]);
            let values: Vec<_> = fields
                .zip(values)
                .map(|(ty, v)| convert(&expression(scope, v), ty))
                .collect();
            let name = scope.fresh("r");
            let _ = writeln!(
                out,
                "{pad}{}_record {name} = {{{}}};",
                scope.name,
                values.join(", ")
            );
            add_record(scope, name);
        }
        St::CopyRecord(which) => {
            if let Some(other) = scope
                .records
                .get(usize::from(*which) % scope.records.len().max(1))
                .cloned()
            {
                let name = scope.fresh("r");
                let _ = writeln!(out, "{pad}{}_record {name} = {other};", scope.name);
                add_record(scope, name);
            }
        }
        St::Assign(var, value) => {
            let value = expression(scope, value);
            if let Some((name, ty)) = assignable(scope, *var) {
                let _ = writeln!(out, "{pad}{name} = {};", convert(&value, ty));
            }
        }
        St::Update(var, op, value) => {
            let value = expression(scope, value);
            if let Some((name, ty)) = assignable(scope, *var) {
                let _ = writeln!(out, "{pad}{};", update(&name, ty, *op, &value));
            }
        }
        St::Step(var, how) => {
            if let Some((name, ty)) = assignable(scope, *var)
                && ty != Scalar::Bool
            {
                // Kept far from the largest value, so that a step does not overflow.
                if matches!(ty, Scalar::I32 | Scalar::I64) {
                    let _ = writeln!(out, "{pad}{name} %= 1000003;");
                }
                let text = ["++NAME", "NAME++", "--NAME", "NAME--"][usize::from(*how % 4)]
                    .replace("NAME", &name);
                let _ = writeln!(out, "{pad}{text};");
            }
        }
        St::Store(array, index, value) => {
            let (index, value) = (expression(scope, index), expression(scope, value));
            if let Some(array) = writable(scope, *array) {
                let _ = writeln!(
                    out,
                    "{pad}{} = {};",
                    element(&array, &index),
                    convert(&value, array.ty)
                );
            }
        }
        St::Atomic(which, index, value) => {
            let (index, value) = (expression(scope, index), expression(scope, value));
            if scope.result.is_none() {
                let (name, op, ty) = ATOMICS[usize::from(*which) % ATOMICS.len()];
                let mask = BINS - 1;
                let index = as_int(&index);
                let _ = writeln!(
                    out,
                    "{pad}@atomic {name}[{index} & {mask}] {op} {};",
                    convert(&value, ty)
                );
            }
        }
        St::CallFor(function, array, arguments) => {
            call_statement(out, scope, *function, *array, arguments, &pad)
        }
        St::If(condition, then, otherwise) => {
            let _ = writeln!(out, "{pad}if ({}) {{", expression(scope, condition).text);
            block(out, scope, then, depth + 1);
            if !otherwise.is_empty() {
                let _ = writeln!(out, "{pad}}} else {{");
                block(out, scope, otherwise, depth + 1);
            }
            let _ = writeln!(out, "{pad}}}");
        }
        St::For(turns, form, body) => {
            let name = scope.fresh("k");
            let turns = turns % 5;
            let head = match form % 4 {
                0 => format!("int {name} = 0; {name} < {turns}; ++{name}"),
                1 => format!("int {name} = {turns}; {name} > 0; {name}--"),
                2 => format!("long {name} = 1; {name} <= {turns}; {name} += 2"),
                _ => format!("unsigned int {name} = 0; {name} != {turns}; {name}++"),
            };
            let ty = [Scalar::I32, Scalar::I32, Scalar::I64, Scalar::U32][usize::from(form % 4)];
            let _ = writeln!(out, "{pad}for ({head}) {{");
            looped(out, scope, Some((name, ty)), body, depth);
            let _ = writeln!(out, "{pad}}}");
        }
        St::While(turns, body) => {
            let name = scope.fresh("w");
            let _ = writeln!(
                out,
                "{pad}int {name} = 0;\n{pad}while ({name}++ < {}) {{",
                turns % 5
            );
            looped(out, scope, Some((name, Scalar::I32)), body, depth);
            let _ = writeln!(out, "{pad}}}");
        }
        St::DoWhile(turns, body) => {
            let name = scope.fresh("d");
            let _ = writeln!(out, "{pad}int {name} = 0;\n{pad}do {{");
            looped(out, scope, Some((name.clone(), Scalar::I32)), body, depth);
            let _ = writeln!(out, "{pad}}} while (++{name} < {});", turns % 5);
        }
        St::Switch(value, arms) => {
            let _ = writeln!(
                out,
                "{pad}switch ({} & 3) {{",
                as_int(&expression(scope, value))
            );
            for (number, (falls, body)) in arms.iter().enumerate() {
                let label = if number == 2 {
                    "default".into()
                } else {
                    format!("case {number}")
                };
                let _ = writeln!(out, "{pad}{label}: {{");
                block(out, scope, body, depth + 1);
                let _ = writeln!(out, "{pad}}}{}", if *falls { "" } else { " break;" });
            }
            let _ = writeln!(out, "{pad}}}");
        }
        St::Break(condition) if scope.loops > 0 => {
            let _ = writeln!(
                out,
                "{pad}if ({}) break;",
                expression(scope, condition).text
            );
        }
        St::Continue(condition)
            if scope.loops > 0 || (scope.may_leave && scope.result.is_none()) =>
        {
            let _ = writeln!(
                out,
                "{pad}if ({}) continue;",
                expression(scope, condition).text
            );
        }
        St::Return(condition) if scope.may_leave => {
            let condition = expression(scope, condition);
            let value = scope
                .result
                .map(|ty| format!(" {}", convert(&condition, ty)))
                .unwrap_or_default();
            let _ = writeln!(
                out,
                "{pad}if ({} && {} % 3 == 1) return{value};",
                condition.text,
                as_int(&condition)
            );
        }
        St::Break(_) | St::Continue(_) | St::Return(_) => {}
    }
}

/// The fields of a record are variables, and its array is an array.
fn add_record(scope: &mut Scope<'_>, name: String) {
    let [a, b, c] = scope.fields;
    scope.vars.push((format!("{name}.a"), a, true));
    scope.vars.push((format!("{name}.b"), b, true));
    scope.arrays.push(Array {
        name: format!("{name}.c"),
        prefix: String::new(),
        ty: c,
        mask: OWN - 1,
        writable: true,
    });
    scope.records.push(name);
}

fn looped(
    out: &mut String,
    scope: &mut Scope<'_>,
    counter: Option<(String, Scalar)>,
    body: &[St],
    depth: usize,
) {
    let vars = scope.vars.len();
    scope
        .vars
        .extend(counter.map(|(name, ty)| (name, ty, false)));
    scope.loops += 1;
    block(out, scope, body, depth + 1);
    scope.loops -= 1;
    scope.vars.truncate(vars);
}

fn call_statement(
    out: &mut String,
    scope: &Scope<'_>,
    which: u8,
    array: u8,
    arguments: &[Ex],
    pad: &str,
) {
    let with_pointer: Vec<_> = scope
        .functions
        .iter()
        .enumerate()
        .filter(|(_, f)| f.pointer.is_some())
        .collect();
    let Some(&(number, function)) =
        with_pointer.get(usize::from(which) % with_pointer.len().max(1))
    else {
        return;
    };
    let fits: Vec<_> = scope
        .arrays
        .iter()
        .filter(|a| a.writable && Some(a.ty) == function.pointer && a.mask == OWN - 1)
        .collect();
    let Some(target) = fits.get(usize::from(array) % fits.len().max(1)) else {
        return;
    };
    let mut passed = pass(scope, function, arguments);
    let prefix = target.prefix.trim_end_matches(" + ");
    passed.push(if prefix.is_empty() {
        target.name.clone()
    } else {
        format!("{} + {prefix}", target.name)
    });
    let _ = writeln!(out, "{pad}{}_f{number}({});", scope.name, passed.join(", "));
}

fn pass(scope: &Scope<'_>, function: &Function, arguments: &[Ex]) -> Vec<String> {
    let value = |k: usize, ty: Scalar| match arguments.get(k % arguments.len().max(1)) {
        Some(argument) => convert(&expression(scope, argument), ty),
        None => "1".into(),
    };
    function
        .params
        .iter()
        .enumerate()
        .map(|(k, &ty)| value(k, ty))
        .collect()
}

fn assignable(scope: &Scope<'_>, which: u8) -> Option<(String, Scalar)> {
    let vars: Vec<_> = scope.vars.iter().filter(|v| v.2).collect();
    let var = vars.get(usize::from(which) % vars.len().max(1))?;
    Some((var.0.clone(), var.1))
}

fn writable(scope: &Scope<'_>, which: u8) -> Option<Array> {
    let arrays: Vec<_> = scope.arrays.iter().filter(|a| a.writable).collect();
    arrays
        .get(usize::from(which) % arrays.len().max(1))
        .map(|a| (*a).clone())
}

/// Text of an expression, with its type in C.
struct Typed {
    text: String,
    ty: Scalar,
}

fn typed(text: impl Into<String>, ty: Scalar) -> Typed {
    Typed {
        text: text.into(),
        ty,
    }
}

fn expression(scope: &Scope<'_>, ex: &Ex) -> Typed {
    match ex {
        Ex::Int(value) if *value < 0 => typed(format!("({value})"), Scalar::I32),
        Ex::Int(value) => match value % 5 {
            0 => typed(format!("{value}u"), Scalar::U32),
            1 => typed(format!("{value}L"), Scalar::I64),
            _ => typed(value.to_string(), Scalar::I32),
        },
        Ex::Float(bits) => {
            let value = f64::from(*bits) * 0.3 - 20.0;
            let (suffix, ty) = if bits % 2 == 0 {
                ("f", Scalar::F32)
            } else {
                ("", Scalar::F64)
            };
            typed(format!("({value:?}{suffix})"), ty)
        }
        Ex::Var(which) => match scope
            .vars
            .get(usize::from(*which) % scope.vars.len().max(1))
        {
            Some((name, ty, _)) => typed(name.clone(), *ty),
            None => typed("7", Scalar::I32),
        },
        Ex::Element(which, index) => {
            let index = expression(scope, index);
            match scope
                .arrays
                .get(usize::from(*which) % scope.arrays.len().max(1))
            {
                Some(array) => typed(element(array, &index), array.ty),
                None => index,
            }
        }
        Ex::Unary(op, a) => unary(*op, &expression(scope, a)),
        Ex::Binary(op, a, b) => binary(*op, &expression(scope, a), &expression(scope, b)),
        Ex::Cast(ty, a) => typed(convert(&expression(scope, a), *ty), *ty),
        Ex::Select(condition, a, b) => {
            let (condition, a, b) = (
                expression(scope, condition),
                expression(scope, a),
                expression(scope, b),
            );
            typed(
                format!("({} ? {} : {})", condition.text, a.text, b.text),
                promote(a.ty, b.ty),
            )
        }
        Ex::Math(which, a, b) => math(*which, &expression(scope, a), &expression(scope, b)),
        Ex::Call(which, arguments) => {
            let pure: Vec<_> = scope
                .functions
                .iter()
                .enumerate()
                .filter(|(_, f)| f.pointer.is_none())
                .collect();
            match pure.get(usize::from(*which) % pure.len().max(1)) {
                Some((number, function)) => {
                    let passed = pass(scope, function, arguments);
                    typed(
                        format!("{}_f{number}({})", scope.name, passed.join(", ")),
                        function.result,
                    )
                }
                None => typed("11", Scalar::I32),
            }
        }
    }
}

fn element(array: &Array, index: &Typed) -> String {
    format!(
        "{}[{}({} & {})]",
        array.name,
        array.prefix,
        as_int(index),
        array.mask
    )
}

/// As `int`, whatever it was.
fn as_int(value: &Typed) -> String {
    convert(value, Scalar::I32)
}

/// Converted to `ty`; a float is clamped first where `ty` is an integer.
fn convert(value: &Typed, ty: Scalar) -> String {
    let name = ty.okl_name();
    let (lo, hi) = match ty {
        Scalar::I8 => (-100, 100),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => (0, 200),
        _ => (-30000, 30000),
    };
    if value.ty.is_float() && ty.is_integer() && ty != Scalar::Bool {
        // Moved to where it is positive: under -fno-trapping-math gcc before 15 turns `(double) (int) x` into
        // `trunc(x)`, which gives -0.0 for what C makes 0.
        return format!(
            "(({name}) ((int) (fmin(fmax((double) {}, {lo}.0), {hi}.0) + 30001.0) - 30001))",
            value.text
        );
    }
    format!("(({name}) {})", value.text)
}

fn promote(a: Scalar, b: Scalar) -> Scalar {
    use Scalar::{F32, F64, I32, I64, U32, U64};
    [F64, F32, U64, I64, U32]
        .into_iter()
        .find(|&ty| a == ty || b == ty)
        .unwrap_or(I32)
}

fn is_wrapping(ty: Scalar) -> bool {
    matches!(ty, Scalar::U32 | Scalar::U64)
}

fn unary(op: u8, a: &Typed) -> Typed {
    let ty = promote(a.ty, a.ty);
    match op % 3 {
        0 if ty.is_float() || is_wrapping(ty) => typed(format!("(-{})", a.text), ty),
        0 => typed(format!("(-({} % 10007))", a.text), ty),
        1 if ty.is_integer() => typed(format!("(~{})", a.text), ty),
        _ => typed(format!("(!{})", a.text), Scalar::I32),
    }
}

fn binary(op: u8, a: &Typed, b: &Typed) -> Typed {
    let ty = promote(a.ty, b.ty);
    let (x, y) = (&a.text, &b.text);
    let comparisons = ["<", "<=", ">", ">=", "==", "!=", "&&", "||"];
    if op % 4 == 3 {
        return typed(
            format!("({x} {} {y})", comparisons[usize::from(op / 4) % 8]),
            Scalar::I32,
        );
    }
    if ty.is_float() {
        let op = ["+", "-", "*", "/"][usize::from(op / 4) % 4];
        return typed(format!("({x} {op} {y})"), ty);
    }
    let shifted = promote(a.ty, a.ty);
    match (op / 4) % 10 {
        n @ 0..=2 if is_wrapping(ty) => {
            typed(format!("({x} {} {y})", ["+", "-", "*"][usize::from(n)]), ty)
        }
        0 => typed(format!("({x} % 10007 + {y} % 10007)"), ty),
        1 => typed(format!("({x} % 10007 - {y} % 10007)"), ty),
        2 => typed(format!("({x} % 1009 * ({y} % 1009))"), ty),
        3 => typed(format!("({x} / (({y} & 15) + 1))"), ty),
        4 => typed(format!("({x} % (({y} & 15) + 1))"), ty),
        5 => typed(format!("({x} & {y})"), ty),
        6 => typed(format!("({x} | {y})"), ty),
        7 => typed(format!("({x} ^ {y})"), ty),
        8 => typed(format!("(({x} & 255) << ({y} & 7))"), shifted),
        _ => typed(format!("({x} >> ({y} & 7))"), shifted),
    }
}

fn math(which: u8, a: &Typed, b: &Typed) -> Typed {
    let (x, y) = (&a.text, &b.text);
    let double = |text: String| typed(text, Scalar::F64);
    let single = |text: String| typed(text, Scalar::F32);
    match which % 9 {
        0 => double(format!("sqrt(fabs((double) {x}))")),
        1 => single(format!("sqrtf(fabsf((float) {x}))")),
        2 => double(format!("floor((double) {x})")),
        3 => double(format!("trunc((double) {x})")),
        4 => single(format!("ceilf((float) {x})")),
        5 => double(format!("fma((double) {x}, (double) {y}, 0.25)")),
        6 => single(format!("fmaf((float) {x}, (float) {y}, 0.25f)")),
        7 => typed(format!("abs({} % 10007)", as_int(a)), Scalar::I32),
        _ => typed(format!("max({}, {})", as_int(a), as_int(b)), Scalar::I32),
    }
}

fn update(name: &str, ty: Scalar, op: u8, value: &Typed) -> String {
    if ty.is_float() {
        return format!(
            "{name} {} {}",
            ["+=", "-=", "*=", "/="][usize::from(op % 4)],
            value.text
        );
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
