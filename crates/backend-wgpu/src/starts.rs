//! Immediates that a shader need not read.
//!
//! A kernel adds to every index where its slice starts. That is zero for most launches, but the driver cannot know it, and
//! the sums cost lavapipe a tenth of a stencil's speed. A pipeline for launches whose slices all start where their bindings
//! do has zero in the place of these immediates.
//!
//! Source: the SPIR-V specification, section 3.

use crate::spirv::HEADER;
use std::collections::HashMap;

/// The word of a module that all its ids are below.
const BOUND: usize = 3;

const TYPE_INT: u32 = 21;
const TYPE_STRUCT: u32 = 30;
const TYPE_POINTER: u32 = 32;
const CONSTANT: u32 = 43;
const CONSTANT_NULL: u32 = 46;
const FUNCTION: u32 = 54;
const VARIABLE: u32 = 59;
const LOAD: u32 = 61;
const ACCESS_CHAIN: u32 = 65;
const MEMBER_DECORATE: u32 = 72;
const COPY_OBJECT: u32 = 83;

/// Storage class of immediates.
const PUSH_CONSTANT: u32 = 9;
/// Decoration that gives a member its place in bytes.
const OFFSET: u32 = 35;

/// What a module says of its types, and where its pointers into the immediates point.
#[derive(Default)]
struct Facts {
    /// The type `u32`.
    unsigned: Option<u32>,
    members: HashMap<u32, Vec<u32>>,
    offsets: HashMap<(u32, u32), u32>,
    pointees: HashMap<u32, u32>,
    constants: HashMap<u32, u32>,
    /// Type and place in bytes of what a pointer points to.
    places: HashMap<u32, (u32, u32)>,
}

impl Facts {
    fn note(&mut self, operation: u32, operands: &[u32]) {
        match (operation, operands) {
            (TYPE_INT, &[id, 32, 0]) => self.unsigned = Some(id),
            (TYPE_STRUCT, [id, members @ ..]) => drop(self.members.insert(*id, members.to_vec())),
            (TYPE_POINTER, &[id, PUSH_CONSTANT, pointee]) => drop(self.pointees.insert(id, pointee)),
            (CONSTANT, &[_, id, value]) => drop(self.constants.insert(id, value)),
            (MEMBER_DECORATE, &[id, member, OFFSET, offset]) => drop(self.offsets.insert((id, member), offset)),
            (VARIABLE, &[ty, id, PUSH_CONSTANT]) => {
                self.places.extend(self.pointees.get(&ty).map(|&pointee| (id, (pointee, 0))));
            }
            (ACCESS_CHAIN, [_, id, base, indices @ ..]) => {
                let member = |(ty, at): (u32, u32), index: &u32| {
                    let member = *self.constants.get(index)?;
                    let inner = *self.members.get(&ty)?.get(member as usize)?;
                    Some((inner, at + self.offsets.get(&(ty, member))?))
                };
                let place = self.places.get(base).and_then(|&place| indices.iter().try_fold(place, member));
                self.places.extend(place.map(|place| (*id, place)));
            }
            _ => {}
        }
    }
}

/// The module with zero in the place of the `u32` immediates at these offsets in bytes.
pub(crate) fn with_zeros(words: &[u32], offsets: &[u32]) -> Vec<u32> {
    let (mut facts, mut loads, mut first_function) = (Facts::default(), Vec::new(), None);
    let mut at = HEADER;
    while let Some(&word) = words.get(at) {
        let (operation, length) = (word & 0xffff, ((word >> 16) as usize).max(1));
        let operands = words.get(at + 1..at + length).unwrap_or_default();
        facts.note(operation, operands);
        match (operation, operands) {
            (FUNCTION, _) => drop(first_function.get_or_insert(at)),
            (LOAD, [ty, _, pointer]) if facts.unsigned == Some(*ty) => {
                let is_zero = |(place, offset): &(u32, u32)| place == ty && offsets.contains(offset);
                loads.extend(facts.places.get(pointer).filter(|place| is_zero(place)).map(|_| at));
            }
            _ => {}
        }
        at += length;
    }
    let mut changed = words.to_vec();
    let (Some(unsigned), Some(first_function)) = (facts.unsigned, first_function) else { return changed };
    if loads.is_empty() {
        return changed;
    }
    let zero = words[BOUND];
    changed[BOUND] += 1;
    for load in loads {
        // As long as the load was, with the same result.
        changed[load] = COPY_OBJECT | (4 << 16);
        changed[load + 3] = zero;
    }
    changed.splice(first_function..first_function, [CONSTANT_NULL | (3 << 16), unsigned, zero]);
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often an operation stands in a module.
    fn count(words: &[u32], operation: u32) -> usize {
        let (mut at, mut count) = (HEADER, 0);
        while let Some(&word) = words.get(at) {
            count += usize::from(word & 0xffff == operation);
            at += (word >> 16) as usize;
        }
        assert_eq!(at, words.len(), "an instruction has another length than it says");
        count
    }

    #[test]
    fn loads_of_the_immediates_at_these_offsets_are_zero() {
        let text = "
            struct Args { n: i32, c: f32, p_start: u32, u_start: u32, first_x: u32 }
            var<immediate> args: Args;
            @group(0) @binding(0) var<storage, read_write> p: array<f32>;
            @group(0) @binding(1) var<storage, read_write> u: array<f32>;
            fn value(at: u32) -> f32 { return p[args.p_start + at] + p[args.p_start + at + 1u]; }
            @compute @workgroup_size(64) fn main(@builtin(workgroup_id) group: vec3<u32>) {
                let i = (group.x + args.first_x) * 64u;
                if (i32(i) < args.n) { u[args.u_start + i] = args.c * value(i); }
            }";
        let module = naga::front::wgsl::parse_str(text).expect("it parses");
        let flags = naga::valid::ValidationFlags::all();
        let info = naga::valid::Validator::new(flags, naga::valid::Capabilities::all()).validate(&module);
        let options = naga::back::spv::Options { fake_missing_bindings: true, ..Default::default() };
        let words = naga::back::spv::write_vec(&module, &info.expect("it is valid"), &options, None);
        let words = words.expect("it is written");
        assert_eq!(with_zeros(&words, &[]), words);
        assert_eq!(with_zeros(&words, &[100]), words);
        // `c` is no `u32`.
        assert_eq!(with_zeros(&words, &[4]), words);
        for (offsets, loads) in [(&[12][..], 1), (&[8], 2), (&[8, 12], 3)] {
            let changed = with_zeros(&words, offsets);
            assert_eq!(count(&changed, LOAD), count(&words, LOAD) - loads, "{offsets:?}");
            assert_eq!(count(&changed, COPY_OBJECT), count(&words, COPY_OBJECT) + loads, "{offsets:?}");
            assert_eq!(count(&changed, CONSTANT_NULL), count(&words, CONSTANT_NULL) + 1, "{offsets:?}");
            assert_eq!(changed[BOUND], words[BOUND] + 1);
        }
    }
}
