//! The text of a persistent loop: the texts of its kernels, each in a namespace, and one kernel around them.
//!
//! One block brings the state into shared memory, runs the repetitions, and brings back what was written. The phases of a
//! cycle stand in the text one behind the other, so that every pointer is a fixed place in shared memory when the text
//! is compiled. The types of a kernel's parameters are known to its text alone: values and pointers become them by
//! conversion.

use super::plan::{Call, CallArgument, Place, Plan, Ring, Work, alignment_of, product};
use std::cmp::Ordering;
use std::fmt::Write as _;

/// What every such text begins with.
const PRELUDE: &str = "\
// A recorded loop as one block, which keeps its state in shared memory.

// Becomes what the parameter is that it is passed to.
struct okl_value {
    const unsigned char *at;
    template <typename T>
    __device__ __forceinline__ operator T() const {
        return *(const T *)at;
    }
};
struct okl_pointer {
    unsigned char *at;
    template <typename T>
    __device__ __forceinline__ operator T *() const {
        return (T *)at;
    }
};
";

const COPY: &str = "
template <typename Word, unsigned count>
static __device__ __forceinline__ void okl_copy(const unsigned char *from, unsigned char *to) {
    #pragma unroll 4
    for (unsigned round = 0; round < count / okl_threads; ++round) {
        const unsigned i = round * okl_threads + threadIdx.x;
        ((Word *)to)[i] = ((const Word *)from)[i];
    }
    if constexpr (count % okl_threads != 0) {
        const unsigned i = count / okl_threads * okl_threads + threadIdx.x;
        if (i < count) ((Word *)to)[i] = ((const Word *)from)[i];
    }
}
";

/// Name of the kernel.
pub(super) fn entry(plan: &Plan) -> String {
    // There is a launch, else there would be no plan.
    let first = plan.phases.iter().flatten().find_map(|step| match &step.work {
        Work::Call(call) => Some(call.entry.as_str()),
        _ => None,
    });
    format!("okl_loop_{}", first.unwrap_or_default())
}

/// The text.
pub(super) fn text(plan: &Plan) -> String {
    let mut out = String::from(PRELUDE);
    out += &namespaces(plan.programs.iter().map(|program| program.text()));
    let (addresses, values) = (plan.segments.len() + plan.rings.len(), plan.value_bytes.max(16));
    let _ = writeln!(
        out,
        "\nstruct __align__(16) okl_parameters {{\n    unsigned long long times, first_phase, first_slot, unused;\n    \
         unsigned char *addresses[{}];\n    __align__(16) unsigned char values[{values}];\n}};\n",
        addresses.max(1)
    );
    let _ = writeln!(out, "static constexpr unsigned okl_threads = {};", plan.threads);
    out.push_str(COPY);
    declare_state(&mut out, plan);
    for (index, phase) in plan.phases.iter().enumerate() {
        let _ = writeln!(
            out,
            "\nstatic __device__ __forceinline__ void okl_phase_{index}(const okl_parameters &given, unsigned long long \
             slot) {{"
        );
        for step in phase {
            write_work(&mut out, &step.work, plan);
            // Groups with barriers end with one of their own.
            let has_waited = matches!(&step.work, Work::Call(call) if call.has_barriers);
            if step.barrier_after && !has_waited {
                out.push_str("    __syncthreads();\n");
            }
        }
        out.push_str("}\n");
    }
    write_kernel(&mut out, plan);
    out
}

/// Texts that do not see each other.
pub(crate) fn namespaces<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for (index, text) in texts.enumerate() {
        let _ = writeln!(out, "\nnamespace okl_program_{index} {{\n{}}}", device_text(text));
    }
    out
}

/// A text whose entries are functions of the device, and have no names of C.
fn device_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        match line.strip_prefix("extern \"C\" __global__ void ") {
            Some(rest) => {
                let name = rest.strip_prefix("__launch_bounds__(").and_then(|rest| rest.split_once(") "));
                let _ = writeln!(out, "static __device__ void {}", name.map_or(rest, |(_, name)| name));
            }
            None => {
                let _ = writeln!(out, "{line}");
            }
        }
    }
    out
}

/// Segments as arrays of their own, which the compiler knows to be disjoint, or as parts of what the launch gives.
fn declare_state(out: &mut String, plan: &Plan) {
    if !plan.is_static {
        out.push_str("\nextern __shared__ __align__(16) unsigned char okl_state[];\n");
        for (index, segment) in plan.segments.iter().enumerate() {
            let _ = writeln!(out, "#define okl_state_{index} (okl_state + {})", segment.offset + segment.shift);
        }
        return;
    }
    out.push('\n');
    for (index, segment) in plan.segments.iter().enumerate() {
        let (bytes, shift) = (segment.bytes + segment.shift, segment.shift);
        let _ = writeln!(out, "static __shared__ __align__(16) unsigned char okl_segment_{index}[{bytes}];");
        let _ = writeln!(out, "#define okl_state_{index} (okl_segment_{index} + {shift})");
    }
}

fn place(place: &Place) -> String {
    format!("okl_state_{} + {}", place.segment, place.offset)
}

/// A copy by the whole block, in words as wide as the alignment allows and, where that leaves something, in bytes.
fn write_copy(out: &mut String, from: &str, to: &str, bytes: u64, alignment: u64) {
    let ty = match alignment {
        16 => "uint4",
        8 => "uint2",
        4 => "unsigned int",
        2 => "unsigned short",
        _ => "unsigned char",
    };
    let words = bytes / alignment;
    if words > 0 {
        let _ = writeln!(out, "    okl_copy<{ty}, {words}>({from}, {to});");
    }
    let done = words * alignment;
    if done < bytes {
        let rest = bytes - done;
        let _ = writeln!(out, "    okl_copy<unsigned char, {rest}>({from} + {done}, {to} + {done});");
    }
}

fn write_work(out: &mut String, work: &Work, plan: &Plan) {
    match work {
        Work::Call(call) => write_call(out, call, plan.threads),
        Work::Copy { from, to, bytes, alignment } => write_copy(out, &place(from), &place(to), *bytes, *alignment),
        Work::Fill { to, bytes, pattern, alignment } => write_fill(out, to, *bytes, pattern, *alignment),
        Work::Snapshot { from, ring, alignment } => {
            let Ring { stride, bytes, .. } = plan.rings[*ring];
            let to = format!("given.addresses[{}] + slot * {stride}ull", plan.segments.len() + ring);
            write_copy(out, &place(from), &to, bytes, *alignment);
        }
    }
}

fn write_call(out: &mut String, call: &Call, threads: u64) {
    let mut arguments = String::new();
    for argument in &call.arguments {
        let _ = match argument {
            CallArgument::Value(at) => write!(arguments, "okl_value{{given.values + {at}}}, "),
            CallArgument::Memory(at) => write!(arguments, "okl_pointer{{{}}}, ", place(at)),
            CallArgument::Null => write!(arguments, "okl_pointer{{nullptr}}, "),
        };
    }
    let program = format!("okl_program_{}", call.program);
    let (groups, items) = (product(&call.groups), product(&call.items));
    let group = if groups == 1 { "0" } else { "group" };
    let item = if call.has_barriers { "threadIdx.x" } else { "item" };
    let function = format!(
        "{program}::{}_group({arguments}{program}::okl_group{{{}}}, {program}::okl_item{{{}}});",
        call.entry,
        coordinates(group, &call.groups),
        coordinates(item, &call.items)
    );
    if call.has_barriers {
        // One group after the other; the next one shares the memory of the one before.
        let _ = writeln!(
            out,
            "    for (unsigned group = 0; group < {groups}u; ++group) {{\n        {function}\n        __syncthreads();\n    }}"
        );
        return;
    }
    let all = groups * items;
    let head = match all.cmp(&threads) {
        Ordering::Less => format!("if (const unsigned number = threadIdx.x; number < {all}u)"),
        Ordering::Equal => "if (const unsigned number = threadIdx.x; true)".to_owned(),
        Ordering::Greater => format!("for (unsigned number = threadIdx.x; number < {all}u; number += okl_threads)"),
    };
    let _ = writeln!(out, "    {head} {{");
    let _ = match groups {
        1 => writeln!(out, "        const unsigned item = number;"),
        _ => writeln!(out, "        const unsigned item = number % {items}u, group = number / {items}u;"),
    };
    let _ = writeln!(out, "        {function}\n    }}");
}

/// A number as positions along the axes, the first of which runs fastest.
fn coordinates(number: &str, sizes: &[u64; 3]) -> String {
    let mut before = 1;
    let parts = (0..3).map(|axis| {
        let (size, after) = (sizes[axis], product(&sizes[axis + 1..]));
        let mut part = match (size, before) {
            (1, _) => "0".to_owned(),
            (_, 1) => number.to_owned(),
            (_, before) => format!("{number} / {before}u"),
        };
        if size > 1 && after > 1 {
            part = format!("{part} % {size}u");
        }
        before *= size;
        part
    });
    parts.collect::<Vec<_>>().join(", ")
}

fn write_fill(out: &mut String, to: &Place, bytes: u64, pattern: &[u8], alignment: u64) {
    let width = alignment.min(8).min(alignment_of(pattern.len() as u64));
    let (ty, words) = match width {
        8 => ("unsigned long long", bytes / 8),
        4 => ("unsigned int", bytes / 4),
        2 => ("unsigned short", bytes / 2),
        _ => ("unsigned char", bytes),
    };
    let values: Vec<String> = pattern
        .chunks_exact(width as usize)
        .map(|word| format!("{:#x}u", word.iter().rev().fold(0_u64, |value, &byte| value << 8 | u64::from(byte))))
        .map(|value| if width == 8 { format!("{value}ll") } else { value })
        .collect();
    // In braces, because one phase may fill with several patterns.
    let (pattern, value) = match &values[..] {
        [value] => (String::new(), value.clone()),
        _ => (format!("const {ty} pattern[] = {{{}}}; ", values.join(", ")), format!("pattern[i % {}u]", values.len())),
    };
    let _ = writeln!(
        out,
        "    {{ {pattern}for (unsigned i = threadIdx.x; i < {words}u; i += okl_threads) (({ty} *)({}))[i] = {value}; }}",
        place(to)
    );
}

fn write_kernel(out: &mut String, plan: &Plan) {
    let _ = writeln!(
        out,
        "\nextern \"C\" __global__ void __launch_bounds__({}) {}(const __grid_constant__ okl_parameters given) {{",
        plan.threads,
        entry(plan)
    );
    for (index, segment) in plan.segments.iter().enumerate() {
        let (from, to) = (format!("given.addresses[{index}]"), format!("okl_state_{index}"));
        write_copy(out, &from, &to, segment.bytes, alignment_of(segment.shift));
    }
    out.push_str("    __syncthreads();\n    unsigned long long left = given.times, slot = given.first_slot;\n");
    let phases = plan.phases.len();
    if phases > 1 {
        // To the end of the cycle that an earlier replay has left in its midst.
        for phase in 1..phases {
            let _ = writeln!(
                out,
                "    if (given.first_phase != 0 && given.first_phase <= {phase} && left != 0) {{\n        \
                 okl_phase_{phase}(given, slot);\n        __syncthreads();\n        ++slot;\n        --left;\n    }}"
            );
        }
    }
    let _ = writeln!(out, "    #pragma unroll 1\n    for (; left >= {phases}; left -= {phases}, slot += {phases}) {{");
    for phase in 0..phases {
        let _ = writeln!(out, "        okl_phase_{phase}(given, slot + {phase});");
    }
    out.push_str("    }\n");
    for phase in 0..phases - 1 {
        let _ = writeln!(
            out,
            "    if (left > {phase}) {{\n        okl_phase_{phase}(given, slot + {phase});\n        __syncthreads();\n    }}"
        );
    }
    out.push_str("    __syncthreads();\n");
    for (segment, range) in &plan.written {
        let (from, to) =
            (format!("okl_state_{segment} + {}", range.start), format!("given.addresses[{segment}] + {}", range.start));
        let alignment = alignment_of(plan.segments[*segment].shift + range.start);
        write_copy(out, &from, &to, range.end - range.start, alignment);
    }
    out.push_str("}\n");
}
