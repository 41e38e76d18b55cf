//! Elements by their indices, and nodes that several elements have.

use ferrocca_backend_cpu as _;
use ferrocca_backend_reference as _;
use ferrocca_comm::{Comm, IndexPlan, Operation, RankIndices, SharedNodes, group};
use ferrocca_core::{Device, Result};

const ELEMENTS: [usize; 2] = [6, 5];
/// Nodes along an edge of an element.
const NODES: usize = 4;

/// Number of the node at a place of an element of a plane of elements, which share edges and corners.
fn number(element: usize, node: usize) -> u64 {
    let (row, column) = (element / ELEMENTS[1], element % ELEMENTS[1]);
    let (y, x) = (row * (NODES - 1) + node / NODES, column * (NODES - 1) + node % NODES);
    (y * (ELEMENTS[1] * (NODES - 1) + 1) + x) as u64 + 1
}

fn value(element: usize, node: usize) -> f64 {
    1.0 / (1.3 + element as f64 * 17.0 + node as f64)
}

/// All values after `operation`, dealt to ranks in order, joined again.
fn combined(size: usize, mode: &str, operation: Operation) -> Vec<f64> {
    let count = ELEMENTS[0] * ELEMENTS[1];
    let parts = group(size, |comm| {
        let device = Device::open(mode)?;
        let own = count * comm.rank() / size..count * (comm.rank() + 1) / size;
        let each = || own.clone().flat_map(|element| (0..NODES * NODES).map(move |node| (element, node)));
        let numbers: Vec<u64> = each().map(|(element, node)| number(element, node)).collect();
        let values: Vec<f64> = each().map(|(element, node)| value(element, node)).collect();
        let nodes = SharedNodes::new(comm, &device, &numbers)?;
        assert_eq!(nodes.neighbours() > 0, size > 1);
        let mut field = device.malloc_from(&values)?;
        nodes.combine(operation, &mut field)?;
        let wrong = nodes.combine(operation, &mut device.malloc_filled(3, 0.0)?).unwrap_err().to_string();
        assert!(wrong.contains("the field has 3 elements"), "{wrong}");
        field.to_vec()
    });
    parts.unwrap().concat()
}

#[test]
fn nodes_have_the_same_bits_on_any_number_of_ranks() {
    let count = ELEMENTS[0] * ELEMENTS[1];
    for operation in [Operation::Sum, Operation::Min, Operation::Max] {
        let mut expected = vec![0.0; count * NODES * NODES];
        for (at, expected) in expected.iter_mut().enumerate() {
            let own = number(at / (NODES * NODES), at % (NODES * NODES));
            let mut same = (0..count * NODES * NODES).map(|other| (other / (NODES * NODES), other % (NODES * NODES)));
            let mut next = || same.find(|(element, node)| number(*element, *node) == own).map(|(e, n)| value(e, n));
            let mut result = next().unwrap();
            while let Some(other) = next() {
                result = operation.combine(result, other);
            }
            *expected = result;
        }
        for (size, mode) in [(1, "mode=Reference"), (2, "mode=Serial"), (3, "mode=Reference"), (7, "mode=Serial")] {
            let found = combined(size, mode, operation);
            assert!(
                found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()),
                "{operation:?}, {size} ranks"
            );
        }
    }
}

#[test]
fn numbers_that_nobody_shares_are_left_alone() {
    group(2, |comm| {
        let device = Device::open("mode=Reference")?;
        // 0 stands for no node, however often it occurs; 5 occurs twice on each rank.
        let nodes = SharedNodes::new(comm, &device, &[0, 0, 5, 5, 10 + comm.rank() as u64])?;
        assert_eq!((nodes.groups(), nodes.neighbours()), (1, 1));
        let mut field = device.malloc_from(&[1_i64, 2, 3, 4, 5])?;
        nodes.combine(Operation::Sum, &mut field)?;
        assert_eq!(field.to_vec()?, [1, 2, 14, 14, 5]);
        Ok(())
    })
    .unwrap();
}

/// Rank r sends its elements 0 and 2 to the next one, which puts them at 3 and 1.
fn ring(comm: &Comm) -> (Vec<RankIndices>, Vec<RankIndices>) {
    let (rank, size) = (comm.rank(), comm.size());
    (vec![((rank + 1) % size, vec![0, 2])], vec![((rank + size - 1) % size, vec![3, 1])])
}

#[test]
fn listed_elements_go_where_they_are_listed() {
    for size in [1, 2, 3] {
        group(size, |comm| {
            let device = Device::open("mode=Reference")?;
            let (sends, receives) = ring(comm);
            let plan = IndexPlan::new(comm, &device, 4, &sends, &receives)?;
            let own = comm.rank() as f32 * 10.0;
            let mut field = device.malloc_from(&[own, own + 1.0, own + 2.0, own + 3.0])?;
            plan.exchange(&mut field)?;
            let other = ((comm.rank() + size - 1) % size) as f32 * 10.0;
            assert_eq!(field.to_vec()?, [own, other + 2.0, own + 2.0, other]);
            Ok(())
        })
        .unwrap();
    }
}

#[test]
fn wrong_lists_are_refused_on_every_rank() {
    let refusal = |change: fn(&mut Vec<RankIndices>, &mut Vec<RankIndices>)| {
        let work = |comm: &Comm| -> Result<String> {
            let device = Device::open("mode=Reference")?;
            let (mut sends, mut receives) = ring(comm);
            if comm.rank() == 1 {
                change(&mut sends, &mut receives);
            }
            Ok(IndexPlan::new(comm, &device, 4, &sends, &receives).map(drop).unwrap_err().to_string())
        };
        group(3, work).unwrap().join("; ")
    };
    type Change = fn(&mut Vec<RankIndices>, &mut Vec<RankIndices>);
    let cases: [(Change, &str); 5] = [
        (|sends, _| sends[0].1.push(1), "rank 1 sends 3 elements to rank 2, which expects 2"),
        (|sends, _| sends[0].1[0] = 4, "element 4 is sent to rank 2, the field has 4"),
        (|_, receives| receives[0].1[0] = 1, "element 1 is received twice"),
        (|sends, _| sends[0].0 = 3, "elements are sent to rank 3 of 3"),
        (|sends, _| sends.push((2, vec![])), "elements sent to rank 2 are listed twice"),
    ];
    for (change, expected) in cases {
        let errors = refusal(change);
        assert_eq!(errors.matches(expected).count(), 3, "{errors}");
    }
}
