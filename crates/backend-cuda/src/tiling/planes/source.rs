//! The text of a loop over planes: the text of its main kernel in a namespace, and three kernels around it.
//!
//! Pointer parameters of the function of items become template parameters, so that the text of a kernel takes accessors. That of the
//! state looks at how far an index is from the item's own. The compiler has to find that number: integers are constants of the
//! text, and an item's coordinates drop out of the difference. Where it does not, a call stays in the text that nobody defines,
//! and the loop is replayed as it was recorded.

use super::plan::Plan;
use super::text::{PLANES, PRELUDE, SUMS, TILES};
use crate::persistent::source::namespaces;
use crate::tiling::source::{Parameter, element, literal, parameters, with_accessors};
use crate::tiling::text::ELEMENTS;
use ferrocca_core::backend::boxes::{Argument, Box3};
use std::fmt::Write as _;

/// Threads of a block of the launches beside tiles.
pub(super) const THREADS: i64 = 256;

/// Names of the kernels: tiles, the copy of what lies around the box, and the launch beside tiles in each step.
pub(super) fn entries(plan: &Plan) -> Vec<String> {
    let shells = (0..plan.steps).map(|step| format!("shell_{step}"));
    let names = ["planes".to_owned(), "ghosts".to_owned()].into_iter().chain(shells);
    names.map(|name| format!("okl_{name}_{}", plan.recorded.entry)).collect()
}

/// The text; the error is the reason why there is none.
pub(super) fn text(plan: &Plan) -> Result<String, String> {
    let (text, entry) = (plan.program.text(), &plan.recorded.entry);
    let unknown = || format!("the text of `{entry}` is of another form");
    let parameters = parameters(text, entry).ok_or_else(unknown)?;
    let program = with_accessors(text, entry).and_then(|text| with_sums(&text, entry)).ok_or_else(unknown)?;
    let mut out = format!("{PRELUDE}{ELEMENTS}{SUMS}{}", namespaces([program.as_str()].into_iter()));
    let of_state = |argument: &Argument| matches!(argument, Argument::State(_) | Argument::Next(_));
    let states = plan.recorded.arguments.iter().zip(&parameters).filter(|(argument, _)| of_state(argument));
    let mut types: Vec<&str> = states.map(|(_, parameter)| parameter.ty.as_str()).collect();
    types.dedup();
    let Some(value) = types.first().and_then(|ty| element(ty)).filter(|_| types.len() == 1) else {
        return Err(format!("elements of type `{}` do not move between threads", types.join("`, `")));
    };
    write_sizes(&mut out, plan, value);
    out += PLANES;
    write_item(&mut out, plan, &parameters);
    write_kernels(&mut out, plan, &parameters);
    Ok(out)
}

/// Whether the value of an argument is a constant of the text.
pub(super) fn is_constant(plan: &Plan, argument: usize) -> bool {
    let parameters = parameters(plan.program.text(), &plan.recorded.entry).unwrap_or_default();
    match (plan.recorded.arguments.get(argument), parameters.get(argument)) {
        (Some(Argument::Value(_, bytes)), Some(parameter)) => literal(&parameter.ty, bytes).is_some(),
        _ => true,
    }
}

fn write_sizes(out: &mut String, plan: &Plan, value: &str) {
    let (buffers, values) = (plan.recorded.in_place.max(1), plan.value_bytes.max(16));
    let _ = writeln!(
        out,
        "\ntypedef {value} okl_value_type;\nstruct __align__(16) okl_parameters {{\n    const unsigned char *from;\n    unsigned \
         char *to;\n    unsigned char *addresses[{buffers}];\n    __align__(16) unsigned char values[{values}];\n}};\n"
    );
    let (middle, own, reach) = (plan.recorded.middle(plan.steps), plan.own(), plan.recorded.reach);
    let length = |axis: usize| middle[axis].end - middle[axis].start;
    let sizes = [
        ("steps", plan.steps as i64),
        ("threads", THREADS),
        ("width", plan.tile.width),
        ("width_y", plan.tile.size()[1]),
        ("points", plan.tile.points),
        ("own_x", own[0]),
        ("own_y", own[1]),
        ("chunk", plan.chunk),
        ("reach_x", reach[0]),
        ("reach_y", reach[1]),
        ("reach_z", reach[2]),
        ("column", 2 * reach[2] + 1),
        ("plane", plan.tile.plane(reach)),
        ("stride_y", plan.recorded.lattice.strides[1]),
        ("stride_z", plan.recorded.lattice.strides[2]),
        ("begin_x", middle[0].start),
        ("begin_y", middle[1].start),
        ("begin_z", middle[2].start),
        ("middle_x", length(0)),
        ("middle_y", length(1)),
        ("middle_z", length(2)),
        ("origin", plan.recorded.origin),
    ];
    for (name, size) in sizes {
        let _ = writeln!(out, "static constexpr int okl_{name} = {size};");
    }
}

/// The function that a thread of a tile calls for each of its points.
fn write_item(out: &mut String, plan: &Plan, parameters: &[Parameter]) {
    out.push_str(
        "\nstatic __device__ __forceinline__ void okl_item_of(\n    const okl_parameters &given, const okl_value_type \
         (&column)[okl_column][okl_points], const okl_value_type *plane, int x, int y, int z,\n    int point, okl_value_type \
         &result\n) {\n    // What a tile computes beyond these is wrong, whatever it is.\n",
    );
    let cone = plan.recorded.cone(plan.steps);
    for (name, range) in ["x", "y", "z"].iter().zip(&cone) {
        let (begin, end) = (range.start, range.end);
        let _ = writeln!(out, "    {name} = okl_clamped({name}, {begin}, {end});");
        let _ = writeln!(out, "    __builtin_assume({name} >= {begin});\n    __builtin_assume({name} < {end});");
    }
    out.push_str("    okl_value_type next = 0;\n");
    let arguments = self::arguments(plan, parameters, &|argument, parameter| {
        let ty = parameter.qualified();
        match argument {
            Argument::State(offset) => format!("okl_neighbours<okl_value_type>{{column, plane, point, {offset}}}"),
            Argument::Next(offset) => format!("okl_result<{ty}>{{next, {offset}}}"),
            _ => String::new(),
        }
    });
    let (mut groups, mut items) = (["0"; 3].map(String::from), ["0"; 3].map(String::from));
    let mut places = ["0"; 3].map(String::from);
    for (coordinate, axis) in plan.recorded.axes.iter().enumerate() {
        let Some(axis) = *axis else { continue };
        let (name, size) = (["x", "y", "z"][coordinate], plan.recorded.group[axis]);
        let first = plan.recorded.first[coordinate];
        let factor = |of: usize, factor: i64| {
            (0..6).map(|place| if place == of { factor } else { 0 }.to_string()).collect::<Vec<_>>()
        };
        let mut item = factor(coordinate, 1);
        let mut group = factor(coordinate, 1);
        if size > 1 {
            places[coordinate] = format!("(int)okl_quotient<{size}>({name} - ({first}))");
            item[3 + coordinate] = format!("-{size}");
            group = factor(3 + coordinate, 1);
            items[axis] = format!("okl_sum<int>{{-({first}), {}, at}}", item.join(", "));
        }
        let constant = if size > 1 { 0 } else { -first };
        groups[axis] = format!("okl_sum<int>{{{constant}, {}, at}}", group.join(", "));
    }
    let _ = writeln!(out, "    const okl_place at = {{x, y, z, {}}};", places.join(", "));
    for (what, numbers) in [("group", &groups), ("item", &items)] {
        let types = numbers.each_ref().map(|number| if number == "0" { "int" } else { "okl_sum<int>" });
        let _ = writeln!(out, "    const okl_numbers<{}> {what} = {{{}}};", types.join(", "), numbers.join(", "));
    }
    let _ = writeln!(
        out,
        "    okl_program_0::{}_group({arguments}group, item);\n    result = next;\n}}",
        plan.recorded.entry
    );
}

/// A text whose function of items takes sums for the numbers of group and item, and keeps what is made of them.
fn with_sums(text: &str, entry: &str) -> Option<String> {
    let begin = text.find(&format!("static __device__ __forceinline__ void {entry}_group("))?;
    let end = begin + text[begin..].find("\n}\n")?;
    let mut body = text[begin..end].replacen(
        "const okl_group group, const okl_item item)",
        "const okl_groups group, const okl_items item)",
        1,
    );
    for number in ["group.", "item."] {
        body = body.replace(&format!("(int){number}"), number);
    }
    let mut out = String::from(text[..begin].trim_end_matches(">\n"));
    let is_template = out.len() < begin;
    out.push_str(if is_template { ", " } else { "template <" });
    out.push_str("typename okl_groups, typename okl_items>\n");
    for line in body.lines() {
        let indent = line.len() - line.trim_start().len();
        let ty = ["int", "int64_t"].into_iter().find(|ty| line[indent..].starts_with(&format!("const {ty} ")));
        let declared =
            ty.and_then(|ty| Some((ty, line[indent + 6 + ty.len()..].strip_suffix(';')?.split_once(" = ")?)));
        match declared {
            Some((ty, (name, value))) => {
                let _ = writeln!(out, "{}const auto{name} = okl_integer<{ty}>({value});", &line[..indent]);
            }
            None => {
                let _ = writeln!(out, "{line}");
            }
        }
    }
    out.truncate(out.len() - 1);
    out.push_str(&text[end..]);
    Some(out)
}

/// The arguments of a call; `state` makes those of the state and of where it goes.
fn arguments(plan: &Plan, parameters: &[Parameter], state: &dyn Fn(&Argument, &Parameter) -> String) -> String {
    let mut arguments = String::new();
    for (argument, parameter) in plan.recorded.arguments.iter().zip(parameters) {
        let ty = parameter.qualified();
        let text = match argument {
            Argument::Value(at, bytes) => {
                literal(&parameter.ty, bytes).unwrap_or_else(|| format!("okl_value{{given.values + {at}}}"))
            }
            Argument::Null => format!("({ty} *)nullptr"),
            Argument::InPlace(number, offset) => format!("({ty} *)given.addresses[{number}] + {offset}"),
            Argument::State(_) | Argument::Next(_) => state(argument, parameter),
        };
        let _ = write!(arguments, "{text}, ");
    }
    arguments
}

/// A call of the item at the point `at`.
fn write_call(out: &mut String, plan: &Plan, arguments: &str) {
    let (mut groups, mut items) = (["0"; 3].map(String::from), ["0"; 3].map(String::from));
    for (coordinate, axis) in plan.recorded.axes.iter().enumerate() {
        let Some(axis) = *axis else { continue };
        let place = format!("(at[{coordinate}] - ({}))", plan.recorded.first[coordinate]);
        match plan.recorded.group[axis] {
            1 => groups[axis] = place,
            size => {
                groups[axis] = format!("{place} / {size}");
                items[axis] = format!("(unsigned)({place} % {size})");
            }
        }
    }
    let _ = writeln!(
        out,
        "    okl_program_0::{}_group({arguments}okl_program_0::okl_group{{{}}}, okl_program_0::okl_item{{{}}});",
        plan.recorded.entry,
        groups.join(", "),
        items.join(", ")
    );
}

fn write_kernels(out: &mut String, plan: &Plan, parameters: &[Parameter]) {
    let entries = entries(plan);
    let head = |threads: i64, name: &str| {
        format!(
            "\nextern \"C\" __global__ void __launch_bounds__({threads}) {name}(const __grid_constant__ okl_parameters given) {{"
        )
    };
    let _ = writeln!(out, "{}{TILES}}}", head(plan.tile.threads(), &entries[0]));
    let point = |all: &Box3, hole: &Box3| {
        let boxes = [all, hole].map(|of| {
            let [begin, end] = [of.each_ref().map(|range| range.start), of.each_ref().map(|range| range.end)];
            let list = |of: [i64; 3]| format!("{{{}, {}, {}}}", of[0], of[1], of[2]);
            format!("{{{}, {}}}", list(begin), list(end))
        });
        format!(
            "    const okl_box all = {}, hole = {};\n    int at[3];\n    if (!okl_point(all, hole, at)) return;\n",
            boxes[0], boxes[1]
        )
    };
    let points = &plan.recorded.points;
    let _ = writeln!(out, "{}\n{}", head(THREADS, &entries[1]), point(&plan.recorded.lattice.all(), points));
    out.push_str(
        "    const unsigned element = okl_element_of(at[0], at[1], at[2]);\n    ((okl_value_type *)given.to)[element] = ((const \
         okl_value_type *)given.from)[element];\n}\n",
    );
    let arguments = self::arguments(plan, parameters, &|argument, parameter| {
        let ty = parameter.qualified();
        match argument {
            Argument::State(offset) => format!("({ty} *)given.from + {offset}"),
            Argument::Next(offset) => format!("({ty} *)given.to + {offset}"),
            _ => String::new(),
        }
    });
    for (step, entry) in entries[2..].iter().enumerate() {
        let hole = plan.recorded.hole(plan.steps, step as u64);
        let _ = writeln!(out, "{}\n{}", head(THREADS, entry), point(points, &hole));
        write_call(out, plan, &arguments);
        out.push_str("}\n");
    }
}
