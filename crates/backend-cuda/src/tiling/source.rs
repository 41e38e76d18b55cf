//! The text of a loop in windows: the texts of its kernels, each in a namespace, and one kernel around them.
//!
//! Pointer parameters of the functions of items become template parameters, so that the text of a kernel takes accessors. These
//! have `[]` alone: a text that does anything else with a pointer does not compile, and its loop is replayed as it was recorded.
//!
//! Registers have no addresses: each index has to become a constant when the text is compiled. That takes three things. Integers
//! are constants of the text, so that a condition on an item's number compares with a constant. The number of a thread's first item
//! is a remainder, and that of each item is assumed to be below a constant, so that conditions which the middle of the row
//! fulfils vanish. And a kernel that but adds the number of an item to that of the first one of its group ([`is_flat`]) is called
//! as if one group had all items.

use super::plan::{Plan, WARP, WARPS};
use super::text::{ELEMENTS, MESSAGE, MESSAGES, PRELUDE, REGISTERS, WINDOWS};
use crate::persistent::source::namespaces;
use ferrocca_core::backend::rows::{Call, CallArgument, Ends, InlineCall, Items, Message, Place, RowLoop};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A parameter of a function of items.
pub(super) struct Parameter {
    /// Without `const`.
    pub(super) ty: String,
    is_constant: bool,
    is_pointer: bool,
}

impl Parameter {
    /// `const double`
    pub(super) fn qualified(&self) -> String {
        let constant = if self.is_constant { "const " } else { "" };
        format!("{constant}{}", element(&self.ty).unwrap_or("int"))
    }
}

/// The text of a plan.
pub(super) struct Source<'a> {
    plan: &'a Plan,
    /// Of the functions of the plan's calls.
    parameters: Vec<Vec<Parameter>>,
    /// C++'s type of each buffer's elements.
    types: Vec<&'static str>,
    out: String,
}

/// Name of the kernel.
pub(super) fn entry(plan: &Plan) -> String {
    let first = plan.row.calls.iter().find_map(|call| call.items.as_ref());
    format!("okl_tiles_{}", first.map_or("", |items| items.entry.as_str()))
}

/// The text; the error is the reason why there is none.
pub(super) fn text(plan: &Plan) -> Result<String, String> {
    let mut programs: Vec<String> = plan.programs.iter().map(|program| program.text().to_owned()).collect();
    let mut parameters = Vec::new();
    let mut known: BTreeSet<(usize, &str)> = BTreeSet::new();
    let unknown = |entry: &str| format!("the text of `{entry}` is of another form");
    for (call, &program) in plan.row.calls.iter().zip(&plan.program_of) {
        let Some(Items { entry, .. }) = &call.items else {
            parameters.push(Vec::new());
            continue;
        };
        let text = plan.programs[program].text();
        parameters.push(self::parameters(text, entry).ok_or_else(|| unknown(entry))?);
        if known.insert((program, entry)) {
            let program = &mut programs[program];
            *program = with_accessors(program, entry).ok_or_else(|| unknown(entry))?;
        }
    }
    let mut source = Source { plan, parameters, types: Vec::new(), out: format!("{PRELUDE}{ELEMENTS}{REGISTERS}") };
    source.types = source.types()?;
    source.out += &namespaces(programs.iter().map(String::as_str));
    source.write_sizes();
    source.out += WINDOWS;
    if plan.messages > 0 {
        source.out += MESSAGES;
    }
    for repetition in 0..plan.row.period {
        source.write_repetition(repetition);
    }
    source.write_windows();
    if plan.ends == Ends::Shared {
        source.write_ends();
    }
    source.write_kernel();
    Ok(source.out)
}

/// Where the parameters of the function of items of an entry stand in a text.
fn list<'a>(text: &'a str, entry: &str) -> Option<(usize, &'a str)> {
    let head = format!("static __device__ __forceinline__ void {entry}_group(");
    let begin = text.find(&head)?;
    let at = begin + head.len();
    let length = text[at..].find("const okl_group ")?;
    Some((begin, &text[at..at + length]))
}

pub(super) fn parameters(text: &str, entry: &str) -> Option<Vec<Parameter>> {
    let (_, list) = list(text, entry)?;
    let of = |parameter: &str| {
        let is_constant = parameter.starts_with("const ");
        let plain = parameter.strip_prefix("const ").unwrap_or(parameter);
        let is_pointer = plain.contains('*');
        let ty = plain.split([' ', '*']).next()?.to_owned();
        Some(Parameter { ty, is_constant, is_pointer })
    };
    list.split_terminator(", ").map(of).collect()
}

/// A text whose function of items takes any type for each pointer.
pub(super) fn with_accessors(text: &str, entry: &str) -> Option<String> {
    let (begin, list) = list(text, entry)?;
    let at = text[begin..].find('(')? + begin + 1;
    let mut names = Vec::new();
    let new: String = list
        .split_terminator(", ")
        .enumerate()
        .map(|(number, parameter)| match parameter.rsplit_once(['*', ' ']) {
            Some((_, name)) if parameter.contains('*') && !parameter.contains('(') => {
                names.push(format!("typename okl_{number}"));
                format!("okl_{number} {name}, ")
            }
            _ => format!("{parameter}, "),
        })
        .collect();
    let template = if names.is_empty() { String::new() } else { format!("template <{}>\n", names.join(", ")) };
    Some(format!("{}{template}{}{new}{}", &text[..begin], &text[begin..at], &text[at + list.len()..]))
}

/// Whether a function of items uses the numbers of group and item in two lines only, of the forms
/// `const int first = 1 + (int)group.x * 64;` and `const int i = first + (int)item.x;`, and `first` nowhere else: then item `j` of
/// group 0 is any item, whatever `j` is.
fn is_flat(text: &str, entry: &str, items: u64) -> bool {
    let Some((begin, _)) = list(text, entry) else { return false };
    let body = text[begin..].split("\n}\n").next().unwrap_or_default();
    let mut lines = body.lines();
    let head = lines.next().unwrap_or_default();
    if !head.ends_with("const okl_group group, const okl_item item) {") {
        return false;
    }
    let (mut first, mut uses) = (None, 0);
    for line in lines {
        let Some((name, value)) = line.trim_start().strip_prefix("const ").and_then(|line| line.split_once(" = "))
        else {
            uses += count(line, "group") + count(line, "item") + first.map_or(0, |name| count(line, name));
            continue;
        };
        let name = name.rsplit(' ').next().unwrap_or_default();
        let value = value.replace("(int)", "");
        let factor = format!("group.x * {items};");
        let before = value.strip_suffix(&factor).map(|before| before.strip_suffix(" + ").unwrap_or(before));
        match (before, first) {
            (Some(before), None) if before.chars().all(|c| c.is_ascii_digit()) => first = Some(name),
            (_, Some(of)) if value == format!("{of} + item.x;") => {}
            _ => uses += count(&value, "group") + count(&value, "item") + first.map_or(0, |name| count(&value, name)),
        }
    }
    first.is_some() && uses == 0
}

/// How often a word stands in a line.
fn count(line: &str, word: &str) -> usize {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.split(|c| !is_part(c)).filter(|part| *part == word).count()
}

/// C++'s own name of an element type that shuffles take.
pub(super) fn element(ty: &str) -> Option<&'static str> {
    Some(match ty {
        "int" => "int",
        "uint32_t" => "unsigned int",
        "int64_t" => "long long",
        "uint64_t" => "unsigned long long",
        "float" => "float",
        "double" => "double",
        _ => return None,
    })
}

/// An integer as a constant of the text; `None` for what is no integer.
pub(super) fn literal(ty: &str, bytes: &[u8]) -> Option<String> {
    let is_integer = matches!(
        ty,
        "bool" | "int8_t" | "uint8_t" | "int16_t" | "uint16_t" | "int" | "uint32_t" | "int64_t" | "uint64_t"
    );
    let name = match ty {
        "bool" => "bool",
        "int8_t" => "signed char",
        "uint8_t" => "unsigned char",
        "int16_t" => "short",
        "uint16_t" => "unsigned short",
        other => element(other).unwrap_or_default(),
    };
    let value = bytes.iter().rev().fold(0_u64, |value, &byte| value << 8 | u64::from(byte));
    (is_integer && bytes.len() <= 8).then(|| format!("({name}){value:#x}ull"))
}

/// Whether the value of an argument is a constant of the text.
pub(super) fn is_constant(plan: &Plan, call: usize, argument: usize) -> bool {
    let Some(Call { items: Some(items), arguments, .. }) = plan.row.calls.get(call) else { return true };
    let parameters = parameters(plan.programs[plan.program_of[call]].text(), &items.entry).unwrap_or_default();
    match (arguments.get(argument), parameters.get(argument)) {
        (Some(CallArgument::Value(_, bytes)), Some(parameter)) => literal(&parameter.ty, bytes).is_some(),
        _ => true,
    }
}

impl Source<'_> {
    fn types(&self) -> Result<Vec<&'static str>, String> {
        let mut types: Vec<Option<&'static str>> = vec![None; self.plan.row.buffers.len()];
        for (call, parameters) in self.plan.row.calls.iter().zip(&self.parameters) {
            let Some(Items { entry, .. }) = &call.items else { continue };
            for (argument, parameter) in call.arguments.iter().zip(parameters) {
                let CallArgument::Memory(own, _) = argument else { continue };
                for steps in 0..self.plan.row.period {
                    let buffer = self.plan.row.moved(*own, steps);
                    let ty = element(&parameter.ty).filter(|_| parameter.is_pointer);
                    let Some(ty) = ty.filter(|ty| types[buffer].is_none_or(|other| other == *ty)) else {
                        return Err(format!(
                            "elements of type `{}`, as `{entry}` has them, do not move between threads",
                            parameter.ty
                        ));
                    };
                    types[buffer] = Some(ty);
                }
            }
        }
        Ok(types.into_iter().map(|ty| ty.unwrap_or("int")).collect())
    }

    fn line(&mut self, line: impl AsRef<str>) {
        self.out.push_str(line.as_ref());
        self.out.push('\n');
    }

    /// Of the parameters, and of windows.
    fn write_sizes(&mut self) {
        let (buffers, values) = (self.plan.row.buffers.len(), self.plan.value_bytes.max(16));
        let mut messages = String::new();
        if self.plan.messages > 0 {
            messages = format!("    okl_message messages[{}];\n", self.plan.messages);
            self.out += MESSAGE;
        }
        let _ = writeln!(
            self.out,
            "\nstruct __align__(16) okl_parameters {{\n    unsigned long long steps;\n    // Windows.\n    unsigned first, \
             end;\n    unsigned char *addresses[{buffers}];\n    __align__(16) unsigned char values[{values}];\n{messages}}};\n"
        );
        let Plan { per_thread, row: RowLoop { middle, shrink: [left, right], .. }, .. } = self.plan;
        let _ = writeln!(
            self.out,
            "static constexpr unsigned okl_count = {per_thread}, okl_threads = {};\n// What the middle of the row is, and how much \
             of a window a repetition makes wrong.\nstatic constexpr int okl_begin = {}, okl_end = {}, okl_left = {left}, \
             okl_right = {right};",
            WARP * WARPS,
            middle.start,
            middle.end
        );
    }

    /// `double (&r0)[okl_count], `
    fn registers(&self) -> String {
        let of = |buffer: &usize| format!(", {} (&r{buffer})[okl_count]", self.types[*buffer]);
        self.in_windows().iter().map(of).collect()
    }

    fn in_windows(&self) -> Vec<usize> {
        (0..self.plan.row.buffers.len()).filter(|&buffer| self.plan.row.buffers[buffer].in_windows).collect()
    }

    fn write_repetition(&mut self, repetition: usize) {
        let (plan, registers) = (self.plan, self.registers());
        self.line(format!(
            "\nstatic __device__ __forceinline__ void okl_repetition_{repetition}(const okl_parameters &given, const int \
             position{registers}) {{"
        ));
        for (number, call) in plan.row.calls.iter().enumerate() {
            if let (Some(items), Some(written)) = (&call.items, call.row.written) {
                self.write_items(number, items, repetition, written);
            }
        }
        self.line("}");
    }

    /// The items of a thread.
    fn write_items(&mut self, number: usize, items: &Items, repetition: usize, written: i64) {
        let plan = self.plan;
        let (call, program, Items { entry, group }) = (&plan.row.calls[number], plan.program_of[number], items);
        // How far each buffer is read to the left and to the right of what an item writes.
        let wide = plan.row.beside(call, repetition);
        self.line(format!("    {{ // {entry}"));
        for (buffer, [left, right]) in &wide {
            if [*left, *right] != [0, 0] {
                let ty = self.types[*buffer];
                self.line(format!("        {ty} w{buffer}[{left} + okl_count + {right}];"));
                self.line(format!("        okl_widen<{left}, {right}>(r{buffer}, w{buffer});"));
            }
        }
        let arguments = self.arguments(
            number,
            &|own, ty, offset| {
                let buffer = plan.row.moved(own, repetition);
                match wide.get(&buffer) {
                    Some([0, 0]) => format!("okl_registers<{ty}>{{r{buffer}, (unsigned)(position - {offset})}}"),
                    Some([left, _]) => {
                        format!("okl_registers<{ty}>{{w{buffer}, (unsigned)(position - {})}}", left + offset)
                    }
                    // No item of the middle uses it.
                    None => format!("okl_registers<{ty}>{{nullptr, 0}}"),
                }
            },
            repetition,
        );
        self.line("        #pragma unroll");
        self.line("        for (unsigned k = 0; k < okl_count; ++k) {");
        self.line(format!("            const int number = position - {written} + (int)k;"));
        self.line(format!("            __builtin_assume((unsigned)number < {}u);", plan.row.middle.end - written));
        let (quotient, rest) = if is_flat(plan.programs[program].text(), entry, *group) {
            ("0", "(unsigned)number".to_owned())
        } else {
            self.line(format!("            const unsigned quotient = okl_quotient<{group}>(number);"));
            ("quotient", format!("(unsigned)number - quotient * {group}u"))
        };
        self.line(format!(
            "            okl_program_{program}::{entry}_group({arguments}okl_program_{program}::okl_group{{{quotient}, 0, 0}}, \
             okl_program_{program}::okl_item{{{rest}, 0, 0}});"
        ));
        self.line("        }");
        self.line("    }");
    }

    /// The arguments of a call; `accessor` makes that of a buffer, as the first repetition names it.
    fn arguments(&self, number: usize, accessor: &dyn Fn(usize, &str, i64) -> String, repetition: usize) -> String {
        let call = &self.plan.row.calls[number];
        let mut arguments = String::new();
        for (argument, parameter) in call.arguments.iter().zip(&self.parameters[number]) {
            let text = match argument {
                CallArgument::Value(at, bytes) => {
                    literal(&parameter.ty, bytes).unwrap_or_else(|| format!("okl_value{{given.values + {at}}}"))
                }
                CallArgument::Null => format!("({} *)nullptr", parameter.qualified()),
                CallArgument::Memory(own, offset) if self.plan.row.buffers[*own].in_place => {
                    let (buffer, ty) = (self.plan.row.moved(*own, repetition), parameter.qualified());
                    format!("({ty} *)given.addresses[{buffer}] + {offset}")
                }
                CallArgument::Memory(own, offset) => accessor(*own, &parameter.qualified(), *offset),
            };
            let _ = write!(arguments, "{text}, ");
        }
        arguments
    }

    fn write_windows(&mut self) {
        let plan = self.plan;
        self.line(
            "\nstatic __device__ __forceinline__ void okl_windows(const okl_parameters &given, unsigned char *shared) {",
        );
        self.line(
            "    const int wrong_left = okl_left * (int)given.steps, wrong_right = okl_right * (int)given.steps;",
        );
        self.line(format!("    const int own = {} - wrong_left - wrong_right;", plan.window()));
        // Block 0 has the ends.
        let block = if plan.ends == Ends::Shared { "(blockIdx.x - 1)" } else { "blockIdx.x" };
        self.line(format!("    const unsigned number = given.first + {block} * {WARPS} + threadIdx.x / 32;"));
        self.line("    if (number >= given.end) return;");
        self.line("    const long long first = okl_begin + (long long)number * own;");
        self.line("    // The last one overlaps the one before, and stores the same there.");
        self.line(format!("    const int start = first < okl_end - {0} ? (int)first : okl_end - {0};", plan.window()));
        self.line("    const unsigned from = (unsigned)(start - okl_begin) + threadIdx.x % 32 * okl_count;");
        self.line("    const int position = okl_begin + (int)(from % (unsigned)(okl_end - okl_begin));");
        let buffers = self.in_windows();
        let widest = buffers.iter().map(|&buffer| plan.row.buffers[buffer].element_bytes).max().unwrap_or(8);
        self.line(format!("    unsigned char *const stage = shared + threadIdx.x / 32 * {};", plan.window() * widest));
        for &buffer in &buffers {
            let ty = self.types[buffer];
            self.line(format!("    {ty} r{buffer}[okl_count];"));
            if plan.row.buffers[buffer].is_live {
                self.line(format!(
                    "    okl_load((const {ty} *)given.addresses[{buffer}] + start, ({ty} *)stage, r{buffer});"
                ));
            }
        }
        let call = |repetition: usize| {
            let registers: String = buffers.iter().map(|buffer| format!(", r{buffer}")).collect();
            format!("okl_repetition_{repetition}(given, position{registers});")
        };
        let period = plan.row.period;
        self.line("    #pragma unroll 1");
        self.line(format!("    for (unsigned left = (unsigned)given.steps; left >= {period}; left -= {period}) {{"));
        for repetition in 0..period {
            self.line(format!("        {}", call(repetition)));
        }
        self.line("    }");
        for repetition in 0..(plan.steps % period as u64) as usize {
            self.line(format!("    {}", call(repetition)));
        }
        for buffer in plan.row.stored(plan.steps).into_iter().filter(|&buffer| plan.row.buffers[buffer].in_windows) {
            let ty = self.types[buffer];
            self.line(format!(
                "    okl_store(r{buffer}, ({ty} *)stage, ({ty} *)given.addresses[{buffer}] + start, wrong_left, wrong_left + own);"
            ));
        }
        self.line("}");
    }

    fn write_ends(&mut self) {
        let plan = self.plan;
        self.line("\nstatic __device__ void okl_ends(const okl_parameters &given, unsigned char *shared) {");
        self.line("    const int wrong = (okl_left + okl_right) * (int)given.steps;");
        self.line("    const int split = okl_begin + wrong, gap = okl_end - wrong - split;");
        let (all, wrong) = (plan.row.shrink[0] + plan.row.shrink[1], plan.steps as i64);
        let mut at = 0;
        let buffers: Vec<usize> =
            (0..plan.row.buffers.len()).filter(|&buffer| !plan.row.buffers[buffer].in_place).collect();
        for &buffer in &buffers {
            let (ty, of) = (self.types[buffer], &plan.row.buffers[buffer]);
            self.line(format!("    {ty} *const s{buffer} = ({ty} *)(shared + {at});"));
            self.line(format!(
                "    okl_load_pieces((const {ty} *)given.addresses[{buffer}], s{buffer}, {}, split, gap);",
                of.elements
            ));
            let most = plan.row.middle.start + (of.elements - plan.row.middle.end).max(0) + 2 * wrong * all;
            at = (at + most * of.element_bytes + 15) / 16 * 16;
        }
        self.line("    // Up to `right`, and from `left` on, the elements are right.");
        self.line("    int right = split, left = split + gap;");
        let inline = || plan.row.calls.iter().filter_map(|call| call.inline.as_ref());
        for inline in inline() {
            if let InlineCall::Messages(messages, first) = inline {
                for (number, message) in (*first..).zip(messages) {
                    let word = if message.is_sent { 2 } else { 3 };
                    self.line(format!(
                        "    unsigned long long n{number} = okl_control(given.messages[{number}])[{word}];"
                    ));
                }
            }
        }
        self.line("    __syncthreads();");
        self.line("    for (unsigned step = 0; step < (unsigned)given.steps; ++step) {");
        for repetition in 0..plan.row.period {
            self.line(format!("        if (step % {} == {repetition}) {{", plan.row.period));
            for (number, call) in plan.row.calls.iter().enumerate() {
                match (&call.items, &call.inline) {
                    (Some(items), _) => self.write_end_items(number, items, repetition),
                    (None, Some(inline)) => self.write_inline(inline, repetition),
                    (None, None) => {}
                }
            }
            self.line("        }");
        }
        self.line("    }");
        self.line("    const int begin = okl_begin + okl_left * (int)given.steps, end = okl_end - okl_right * (int)given.steps;");
        for buffer in plan.row.stored(plan.steps) {
            let (ty, elements) = (self.types[buffer], plan.row.buffers[buffer].elements);
            self.line(format!(
                "    okl_store_pieces(s{buffer}, ({ty} *)given.addresses[{buffer}], {elements}, split, gap, begin, end);"
            ));
        }
        self.line("}");
    }

    /// What is no launch.
    fn write_inline(&mut self, inline: &InlineCall, repetition: usize) {
        let piece = |place: &Place| {
            let (buffer, words) = (self.plan.row.moved(place.buffer, repetition), self.words(place.buffer));
            format!("okl_pieces<{words}>{{({words} *)s{buffer}, split, gap, {}}}", place.first)
        };
        let lines: Vec<String> = match inline {
            InlineCall::Copy([from, to]) => vec![format!("okl_copy({}, {}, {});", piece(from), piece(to), to.count)],
            InlineCall::Messages(messages, first) => {
                let line = |(number, message): (usize, &Message)| {
                    let (what, place) = (if message.is_sent { "send" } else { "receive" }, &message.place);
                    format!(
                        "if (okl_{what}({}, {}, ++n{number}, given.messages[{number}])) return;",
                        piece(place),
                        place.count
                    )
                };
                (*first..).zip(messages).map(line).collect()
            }
        };
        for line in lines {
            self.line(format!("            {line}"));
        }
        self.line("            __syncthreads();");
    }

    /// The type of words as long as a buffer's elements.
    fn words(&self, buffer: usize) -> &'static str {
        if self.plan.row.buffers[buffer].element_bytes == 4 { "unsigned" } else { "unsigned long long" }
    }

    /// The items at both ends of a launch.
    fn write_end_items(&mut self, number: usize, Items { entry, group }: &Items, repetition: usize) {
        let plan = self.plan;
        let (call, program) = (&plan.row.calls[number], plan.program_of[number]);
        let [before, behind] = call.row.reach();
        let items = call.row.items;
        let (first, second) = match call.row.written {
            Some(written) => (format!("right - {}", written + behind), format!("left - {}", written - before)),
            None => (items.to_string(), items.to_string()),
        };
        let arguments = self.arguments(
            number,
            &|own, ty, offset| {
                let buffer = plan.row.moved(own, repetition);
                format!("okl_pieces<{ty}>{{s{buffer}, split, gap, {offset}}}")
            },
            repetition,
        );
        self.line(format!("            {{ // {entry}"));
        self.line(format!("                const int first = {first}, second = {second};"));
        self.line(format!("                const int count = first + (second < {items} ? {items} - second : 0);"));
        self.line("                for (int i = threadIdx.x; i < count; i += okl_threads) {");
        self.line("                    const unsigned number = i < first ? i : i - first + second;");
        self.line(format!(
            "                    okl_program_{program}::{entry}_group({arguments}okl_program_{program}::okl_group{{number / \
             {group}u, 0, 0}}, okl_program_{program}::okl_item{{number % {group}u, 0, 0}});"
        ));
        self.line("                }");
        if call.row.written.is_some() {
            self.line(format!("                right -= {behind};"));
            self.line(format!("                left += {before};"));
        }
        self.line("                __syncthreads();");
        self.line("            }");
    }

    fn write_kernel(&mut self) {
        let bytes = shared_bytes(self.plan);
        let name = entry(self.plan);
        self.line(format!(
            "\nextern \"C\" __global__ void __launch_bounds__({}) {name}(const __grid_constant__ okl_parameters given) {{",
            WARP * WARPS
        ));
        self.line(format!("    __shared__ __align__(16) unsigned char okl_room[{bytes}];"));
        self.line(match self.plan.ends {
            Ends::Shared => "    if (blockIdx.x == 0) okl_ends(given, okl_room); else okl_windows(given, okl_room);",
            Ends::Recorded => "    okl_windows(given, okl_room);",
        });
        self.line("}");
    }
}

/// What windows take while they are loaded, or the ends.
fn shared_bytes(plan: &Plan) -> i64 {
    let widest = plan.row.buffers.iter().filter(|of| of.in_windows).map(|of| of.element_bytes).max().unwrap_or(8);
    let windows = WARPS * plan.window() * widest;
    match plan.ends {
        Ends::Shared => plan.ends_bytes().max(windows),
        Ends::Recorded => windows,
    }
}
