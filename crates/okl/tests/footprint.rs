//! The footprint of stencils, against what the interpreter sees each group read and write.

// The fuzzing and the filetests use all of these; this needs only a part.
#[allow(dead_code)]
#[path = "fuzz/bounds.rs"]
mod bounds;
#[allow(dead_code)]
#[path = "filetests/setup.rs"]
mod setup;
#[allow(dead_code)]
#[path = "filetests/value.rs"]
mod value;

use fastrand::Rng;
use okl::interp::Accessed;
use okl::signature::ParameterKind;
use okl::signature::bounds::{BoxSpan, Footprint};
use okl::value::ScalarValue;
use okl::{Compiled, NoIncludes, Request};
use setup::{Argument, Setup};

fn compile(source: &str) -> Compiled {
    let request = Request { name: "test.okl", source, mode: "Serial", defines: &[], includes: &NoIncludes };
    okl::compile(&request, &okl::back::cpu::CpuTarget).unwrap_or_else(|found| panic!("{found}\n{source}"))
}

/// Integers in order, and memory of doubles of these lengths in order.
fn setup(compiled: &Compiled, scalars: &[i32], lengths: &[usize]) -> Setup {
    let (mut scalars, mut lengths) = (scalars.iter(), lengths.iter());
    let mut setup = Setup { buffers: Vec::new(), arguments: Vec::new(), printed: Vec::new(), lines: Vec::new() };
    for param in &compiled.signatures[0].params {
        let argument = match &param.kind {
            ParameterKind::Scalar(_) => Argument::Scalar(ScalarValue::I32(*scalars.next().expect("a number"))),
            _ => {
                let bytes = 8 * lengths.next().expect("a length");
                setup.buffers.push(vec![0; bytes]);
                Argument::Memory { buffer: setup.buffers.len() - 1, offset: 0, bytes }
            }
        };
        setup.arguments.push(argument);
    }
    setup
}

/// The footprint of the one launch, compared with all accesses, which are answered too.
fn checked(source: &str, scalars: &[i32], lengths: &[usize]) -> (Footprint, Vec<Accessed>) {
    let compiled = compile(source);
    let setup = setup(&compiled, scalars, lengths);
    let signature = &compiled.signatures[0];
    assert_eq!(bounds::known(signature, &setup), bounds::Known::Within, "{source}\n{}", signature.bounds_text());
    let name = &compiled.module.kernels[0].name;
    let report = setup.clone().trace(&compiled.module, name).expect("it runs");
    let footprints = bounds::footprints(signature, &setup);
    let compared = bounds::compare_footprints(signature, &setup, &footprints, &report.accesses);
    let text = || format!("{source}\n{scalars:?}\n{}", signature.footprint_text());
    let compared = compared.unwrap_or_else(|error| panic!("{error}\n{}", text()));
    assert_eq!(compared, report.accesses.len(), "{}", text());
    assert!(compared > 0, "{}", text());
    (footprints[0].clone().expect("it is known"), report.accesses)
}

/// The ends of every span are accessed by the first and the last unit that it names, and by one in the middle.
fn assert_exact(footprint: &Footprint, accesses: &[Accessed], source: &str) {
    for span in &footprint.spans {
        let middle = (span.units.start + span.units.end) / 2;
        for unit in [span.units.start, middle, span.units.end - 1] {
            let ends = span.of(&(unit..unit + 1)).unwrap_or_else(|| panic!("unit {unit} of {span:?}\n{source}"));
            for element in ends {
                let is_this = |access: &&Accessed| {
                    u64::from(access.group) / footprint.groups == unit
                        && access.buffer == span.param as usize - count_of_scalars(source)
                        && access.byte == 8 * element as usize
                        && access.writes == span.kind.writes()
                };
                assert!(accesses.iter().any(|access| is_this(&access)), "unit {unit} of {span:?}: {element}\n{source}");
            }
        }
    }
}

/// Parameters before the memory.
fn count_of_scalars(source: &str) -> usize {
    source.matches("const int n").count()
}

/// How many random kernels of each kind are tried.
const CASES: u64 = 60;

#[test]
fn random_stencils_along_one_axis() {
    for seed in 0..CASES {
        let mut random = Rng::with_seed(seed);
        let (tile, first) = (1 << random.u64(..5), random.i64(4..=9));
        // Whole groups and a last one that is cut off.
        let last = first + tile * random.i64(2..=6) + random.u64(..tile as u64) as i64;
        let reads: Vec<i64> = (0..random.i64(1..=4)).map(|_| random.i64(-4..=4)).collect();
        let terms: Vec<String> = reads.iter().map(|offset| format!("v[i + {offset}]")).collect();
        let written = random.i64(-2..=2);
        let source = format!(
            "@kernel void k(const int n0, const double *v, double *u) {{
               for (int i = {first}; i < n0; ++i; @tile({tile}, @outer, @inner)) {{ u[i + {written}] = {}; }}
             }}",
            terms.join(" + ")
        );
        let length = last as usize + 8;
        let (footprint, accesses) = checked(&source, &[last as i32], &[length, length]);
        assert_exact(&footprint, &accesses, &source);
        assert_eq!(footprint.groups, 1, "{source}");
    }
}

#[test]
fn random_stencils_along_three_axes() {
    for seed in 0..CASES / 2 {
        let mut random = Rng::with_seed(seed);
        let n: Vec<i64> = (0..3).map(|_| random.i64(4..=7)).collect();
        let offset = |random: &mut Rng| {
            let [x, y, z] = [random.i64(-1..=1), random.i64(-1..=1), random.i64(-1..=1)];
            format!("v[(i + {x}) + n0 * ((j + {y}) + n1 * (k + {z}))]")
        };
        let terms: Vec<String> = (0..random.i64(1..=4)).map(|_| offset(&mut random)).collect();
        let source = format!(
            "@kernel void k(const int n0, const int n1, const int n2, const double *v, double *u) {{
               for (int k = 1; k < n2 - 1; ++k; @outer(1)) for (int j = 1; j < n1 - 1; ++j; @outer(0))
                 for (int i = 1; i < n0 - 1; ++i; @inner) {{ u[i + n0 * (j + n1 * k)] = {}; }}
             }}",
            terms.join(" + ")
        );
        let length = (n[0] * n[1] * n[2]) as usize;
        let sizes: Vec<i32> = n.iter().map(|&n| n as i32).collect();
        let (footprint, accesses) = checked(&source, &sizes, &[length, length]);
        assert_exact(&footprint, &accesses, &source);
        assert_eq!([footprint.units, footprint.groups], [n[2] as u64 - 2, n[1] as u64 - 2], "{source}");
        assert!(footprint.spans.iter().all(|span| span.slope == n[0] * n[1]), "{footprint:?}");
    }
}

/// Ghosts that two items write, and a wrap that `?:` makes: units apart from the others, not a wide span of all.
#[test]
fn boundaries_belong_to_the_units_that_touch_them() {
    let ghosts = "@kernel void k(const int n0, const double *v, double *u) {
      for (int i = 1; i < n0 + 1; ++i; @tile(16, @outer, @inner)) {
        u[i] = v[i - 1] + v[i + 1];
        if (i == 1) { u[n0 + 1] = v[i]; }
        if (i == n0) { u[0] = v[i]; }
      }
    }";
    let (footprint, accesses) = checked(ghosts, &[100], &[102, 102]);
    assert_exact(&footprint, &accesses, ghosts);
    let written = |footprint: &Footprint| {
        let spans = footprint.spans.iter().filter(|span| span.kind.writes());
        spans.map(|span| (span.units.clone(), span.slope, span.within)).collect::<Vec<_>>()
    };
    assert_eq!(written(&footprint), [(0..7, 16, [1, 100]), (0..1, 0, [101, 101]), (6..7, 0, [0, 0])]);

    let wrap = "@kernel void k(const int n0, const double *v, double *u) {
      for (int i = 0; i < n0; ++i; @tile(16, @outer, @inner)) {
        const int left = i == 0 ? n0 - 1 : i - 1;
        int right = i + 1;
        if (right == n0) { right = 0; }
        u[i] = v[left] + v[right];
      }
    }";
    let (footprint, accesses) = checked(wrap, &[100], &[100, 100]);
    assert_exact(&footprint, &accesses, wrap);
    let mut read: Vec<_> = footprint.spans.iter().filter(|span| !span.kind.writes()).collect();
    read.sort_by_key(|span| span.within);
    let read: Vec<_> = read.iter().map(|span| (span.units.clone(), span.slope, span.within)).collect();
    assert_eq!(read, [(6..7, 0, [0, 0]), (0..7, 16, [0, 98]), (0..7, 16, [1, 99]), (0..1, 0, [99, 99])]);
}

/// Items of all groups in one row have the footprints that groups of one item have, as far as these exist; and what is said to be
/// certain happens.
#[test]
fn items_in_one_row_are_units_too() {
    let body = |tile: usize| {
        format!(
            "@kernel void k(const int n0, const double *v, double *u) {{
               for (int i = 3; i < n0 + 3; ++i; @tile({tile}, @outer, @inner)) {{
                 const int left = i == 3 ? n0 + 2 : i - 1;
                 u[i] = v[left] + v[i + 2] + v[7];
                 if (i == 3) {{ u[n0 + 4] = v[i]; }}
                 if (i >= n0 - 1 && i < n0 + 1) {{ u[i - n0 + 1] = 1; }}
                 if (v[i] > 0.5) {{ u[n0 + 5] = 2; }}
               }}
             }}"
        )
    };
    let footprint = |tile: usize| checked(&body(tile), &[100], &[110, 110]);
    let (alone, accesses) = footprint(1);
    let of = |span: &okl::signature::bounds::Span| {
        (span.param, span.kind, span.units.clone(), span.slope, span.reach, span.within)
    };
    let sorted = |spans: &[okl::signature::bounds::Span]| {
        let mut all: Vec<String> = spans.iter().map(|span| format!("{:?}", of(span))).collect();
        all.sort();
        all
    };
    for tile in [1, 4, 16, 200] {
        let items = footprint(tile).0.items.expect("one row");
        assert_eq!(sorted(&items), sorted(&alone.spans), "groups of {tile}");
    }
    let (mut certain, spans) = (0, alone.items.expect("one row"));
    for span in spans.iter().filter(|span| span.certain) {
        for unit in span.units.clone() {
            let [least, most] = span.of(&(unit..unit + 1)).expect("it is one of them");
            for element in least..=most {
                let is_this = |access: &Accessed| {
                    u64::from(access.group) == unit
                        && access.buffer == span.param as usize - 1
                        && access.byte == 8 * element as usize
                        && access.writes == span.kind.writes()
                };
                assert!(accesses.iter().any(is_this), "unit {unit} of {span:?}: {element}");
                certain += 1;
            }
        }
    }
    assert!(certain >= 300, "{certain} accesses are certain");
    let writes_at = |element: i64| spans.iter().find(|span| span.kind.writes() && span.within == [element; 2]);
    assert!(writes_at(104).expect("a ghost").certain);
    assert!(!writes_at(105).expect("data decide").certain);

    let rows = "@kernel void k(const int n0, const double *v, double *u) {
      for (int j = 0; j < n0; ++j; @outer(1)) for (int b = 0; b < 2; ++b; @outer(0)) for (int i = 0; i < 8; ++i; @inner) {
        u[16 * j + 8 * b + i] = v[j];
      }
    }";
    assert_eq!(checked(rows, &[5], &[5, 80]).0.items, None, "several axes");
    let uneven = "@kernel void k(const int n0, const double *v, double *u) {
      for (int b = 0; b < n0; ++b; @outer) for (int i = 0; i < 8; ++i; @inner) { u[9 * b + i] = v[b]; }
    }";
    assert_eq!(checked(uneven, &[5], &[5, 80]).0.items, None, "groups leave gaps");
}

/// A value between others is not one of them: nothing is left out where a loop has shrunk a number.
#[test]
fn what_lies_between_is_kept() {
    let source = "@kernel void k(const int n0, const double *v, double *u) {
      for (int b = 0; b < n0; ++b; @outer) for (int i = 0; i < 4; ++i; @inner) {
        double sum = 0;
        int j = 4 * b + i;
        for (int w = j; w > 0; w /= 2) { sum += v[w]; }
        u[j] = sum;
      }
    }";
    checked(source, &[5], &[20, 20]);
}

/// Where data decide an index, any element may be touched, and the parameter is named.
#[test]
fn data_make_it_unknown() {
    let source = "@kernel void k(const int n0, const int *at, const double *v, double *u) {
      for (int b = 0; b < n0; ++b; @outer) for (int i = 0; i < 4; ++i; @inner) { u[4 * b + i] = v[at[i]]; }
    }";
    let compiled = compile(source);
    let signature = &compiled.signatures[0];
    let scalars = [Some(ScalarValue::I32(5)), None, None, None];
    let unknown = signature.nests[0].bounds.footprint(&scalars[..], &[], [5, 1, 1], [1; 3]);
    assert_eq!(unknown, Err(Some(2)));
    let text = signature.footprint_text();
    assert!(text.contains("reads v[any]") && text.contains("writes u[4*g0 + i0]"), "{text}");
}

#[test]
fn the_text_names_offsets_from_the_index() {
    let source = "@kernel void k(const int n, const int nx, const double *v, double *u) {
      for (int j = 1; j < n; ++j; @outer) for (int i = 1; i < nx - 1; ++i; @inner) {
        u[i + nx * j] = v[i + nx * j] + v[i - 1 + nx * j] + v[i + 1 + nx * j] + v[i + nx * (j + 1)];
        if (j == 1) { u[i] += 1; }
      }
    }";
    let text = compile(source).signatures[0].footprint_text();
    for part in ["reads v[nx*g0 + i0 + {", "writes u[nx*g0 + i0 + nx + 1]", "updates u[i0 + 1] where"] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
}

/// The elements that the items of a group touch by a span of a box.
fn elements_of(span: &BoxSpan, group: [u64; 3], items: [u64; 3]) -> Vec<i64> {
    let places = |axis: usize| {
        let own = group[axis] * items[axis];
        own.max(span.places[axis].start)..(own + items[axis]).min(span.places[axis].end)
    };
    let mut elements = Vec::new();
    for (z, y, x) in places(2).flat_map(|z| places(1).flat_map(move |y| places(0).map(move |x| (z, y, x)))) {
        let at: i64 = [x, y, z].iter().zip(span.slopes).map(|(&place, slope)| place as i64 * slope).sum();
        elements.extend(at + span.reach[0]..=at + span.reach[1]);
    }
    elements
}

/// Items of a box are foretold axis by axis; and what is said to be certain happens.
#[test]
fn items_of_a_box_have_places_along_its_axes() {
    let source = "@kernel void k(const int n0, const int n1, const int n2, const double *v, double *u) {
      for (int k = 1; k < n2 + 1; ++k; @outer(2)) {
        for (int j = 1; j < n1 + 1; ++j; @tile(2, @outer(1), @inner(1))) {
          for (int i = 1; i < n0 + 1; ++i; @tile(4, @outer(0), @inner(0))) {
            const int at = i + (n0 + 2) * (j + (n1 + 2) * k);
            u[at] = v[at - 1] + v[at + 1] + v[at - (n0 + 2)] + v[at + (n0 + 2) * (n1 + 2)];
            if (j == 1) { u[at - (n0 + 2)] = v[at]; }
            if (v[at] > 0.5) { u[at] = 2; }
          }
        }
      }
    }";
    let sizes = [9, 5, 3];
    let length = 11 * 7 * 5;
    let (footprint, accesses) = checked(source, &sizes, &[length, length]);
    let spans = footprint.boxes.expect("a box");
    let (groups, items) = ([3, 3, 3], [4, 2, 1]);
    let group_of = |number: u64| [number % groups[0], number / groups[0] % groups[1], number / groups[0] / groups[1]];
    let is_of = |access: &Accessed, span: &BoxSpan| {
        access.buffer == span.param as usize - 3 && access.writes == span.kind.writes()
    };
    for access in &accesses {
        let of = |span: &&BoxSpan| {
            let elements = elements_of(span, group_of(access.group.into()), items);
            is_of(access, span) && elements.contains(&(access.byte as i64 / 8))
        };
        assert!(spans.iter().any(|span| of(&span)), "{access:?} is in none of {spans:#?}");
    }
    let mut certain = 0;
    for span in spans.iter().filter(|span| span.certain) {
        for group in 0..groups.iter().product() {
            for element in elements_of(span, group_of(group), items) {
                let is_this = |access: &Accessed| {
                    u64::from(access.group) == group && access.byte as i64 == 8 * element && is_of(access, span)
                };
                assert!(accesses.iter().any(is_this), "group {group} of {span:?}: {element}");
                certain += 1;
            }
        }
    }
    assert!(certain > 6 * 9 * 5 * 3, "{certain} accesses are certain");
    let writes =
        spans.iter().filter(|span| span.kind.writes()).map(|span| (span.places.clone(), span.slopes, span.certain));
    let (all, slopes) = ([0..9, 0..5, 0..3], [1, 11, 77]);
    assert_eq!(
        writes.collect::<Vec<_>>(),
        [(all.clone(), slopes, true), ([0..9, 0..1, 0..3], slopes, true), (all, slopes, false),]
    );
}
