//! The structures of arguments of a text: what [`super::interface`] lays out, as WGSL.

use super::interface::Layout;
use super::nest::AXES;
use super::{Features, types};
use crate::back::namer::Namer;
use crate::ir::{Body, Module, Role, Scalar, Type, VarId, bytes_of};

/// The structures of a text. Nests with the same values share one.
#[derive(Default)]
pub(super) struct ArgumentsTable {
    pub(super) structures: Vec<Structure>,
}

/// Members, and their size in bytes.
pub(super) struct Structure {
    members: Vec<(String, MemberType)>,
    bytes: u32,
}

/// Type of a member.
#[derive(Clone, PartialEq)]
enum MemberType {
    /// A number of the launch, which no user has named; a `bool`.
    Number,
    Flag,
    /// As it is.
    Value(Type),
    /// A struct with narrow fields, as so many words.
    Words(u64),
}

/// The structure of a nest.
pub(super) struct Arguments {
    /// Its place in the table.
    pub(super) structure: usize,
    members: Vec<Member>,
}

/// What a member holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Member {
    /// The start of the slice of the pointer parameter at this position.
    Start(u32),
    /// The value of a captured variable.
    Value(VarId),
    /// The first group along an axis.
    First(usize),
    /// One past the last group along axis 0.
    End,
}

impl Arguments {
    /// Where a member stands.
    pub(super) fn position(&self, member: Member) -> usize {
        let position = self.members.iter().position(|other| *other == member);
        position.unwrap_or_else(|| unreachable!("{member:?} is not among the arguments"))
    }

    /// Positions of the pointer parameters, each with the member for its start.
    pub(super) fn starts(&self) -> impl Iterator<Item = (u32, Member)> {
        self.members.iter().filter_map(|member| match member {
            Member::Start(position) => Some((*position, *member)),
            _ => None,
        })
    }
}

impl ArgumentsTable {
    /// The structure for these captured values: `u_start: u32`, `n: i32`, `first_x: u32` …
    pub(super) fn arguments(
        &mut self,
        module: &Module,
        body: &Body,
        captures: &[VarId],
        several: &[usize],
        is_coarsened: bool,
    ) -> Arguments {
        let mut layout = Layout::default();
        let (mut members, mut typed) = (Vec::new(), Vec::new());
        for &var in captures {
            let variable = body.var(var);
            if let (Type::Pointer(_), Role::Param(position)) = (&variable.ty, variable.role) {
                layout.add(4, 4);
                members.push(Member::Start(position));
                typed.push((format!("{}_start", variable.name), MemberType::Number));
                continue;
            }
            let bytes = bytes_of(module, &variable.ty) as u32;
            let ty = match &variable.ty {
                Type::Scalar(scalar) => {
                    layout.add(bytes.max(4), bytes.max(4));
                    if *scalar == Scalar::Bool { MemberType::Flag } else { MemberType::Value(variable.ty.clone()) }
                }
                ty if types::is_native(module, ty) => {
                    layout.add(bytes, types::align(module, ty) as u32);
                    MemberType::Value(ty.clone())
                }
                _ => {
                    layout.add(bytes.next_multiple_of(4), 4);
                    MemberType::Words(u64::from(bytes.div_ceil(4)))
                }
            };
            members.push(Member::Value(var));
            typed.push((variable.name.clone(), ty));
        }
        let first = several.iter().map(|&axis| (Member::First(axis), format!("first_{}", AXES[axis])));
        for (member, hint) in first.chain(is_coarsened.then(|| (Member::End, "end_x".to_owned()))) {
            layout.add(4, 4);
            members.push(member);
            typed.push((hint, MemberType::Number));
        }
        let known = self.structures.iter().position(|known| known.members == typed);
        let structure = known.unwrap_or_else(|| {
            self.structures.push(Structure { members: typed, bytes: layout.bytes() });
            self.structures.len() - 1
        });
        Arguments { structure, members }
    }
}

/// A structure's spellings.
pub(super) struct StructureNames {
    /// The variable.
    pub(super) variable: String,
    ty: String,
    /// In the order of the members.
    pub(super) members: Vec<String>,
}

impl Structure {
    pub(super) fn names(&self, names: &mut Namer) -> StructureNames {
        // The user's come first: the launch's numbers make room for them.
        let mut order: Vec<usize> = (0..self.members.len()).collect();
        order.sort_by_key(|&index| self.members[index].1 == MemberType::Number);
        let spelled = names.members(order.iter().map(|&index| self.members[index].0.as_str()));
        let mut members = vec![String::new(); order.len()];
        order.into_iter().zip(spelled).for_each(|(index, name)| members[index] = name);
        StructureNames { variable: names.global("args"), ty: names.global("Args"), members }
    }

    /// The definition, and the variable's declaration; none where there is nothing in it.
    pub(super) fn lines(
        &self,
        module: &Module,
        names: &Namer,
        own: &StructureNames,
        features: &Features,
    ) -> Vec<String> {
        if self.bytes == 0 {
            return Vec::new();
        }
        let StructureNames { variable, ty, members } = own;
        let mut lines = vec![format!("struct {ty} {{")];
        lines.extend(self.members.iter().zip(members).map(|((_, of), name)| match of {
            MemberType::Number | MemberType::Flag => format!("    {name}: u32,"),
            MemberType::Value(ty) => format!("    {}{name}: {},", types::aligned(module, ty), types::name(names, ty)),
            MemberType::Words(count) => format!("    {name}: array<u32, {count}>,"),
        }));
        lines.push("}".into());
        lines.push(String::new());
        lines.push(if self.bytes <= features.immediate_bytes {
            format!("var<immediate> {variable}: {ty};")
        } else {
            format!("@group(1) @binding(0) var<storage, read> {variable}: {ty};")
        });
        lines.push(String::new());
        lines
    }
}
