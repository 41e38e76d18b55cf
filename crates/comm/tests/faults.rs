//! What ends a group of ranks: each names the rank, its machine and what was waited for; and bad input.

use ferrocca_backend_reference as _;
use ferrocca_comm::{Comm, Grid, Operation, conformance, group, peers};
use ferrocca_core::{Device, Error, ErrorKind, Result};
use std::time::{Duration, Instant};

fn device() -> Result<Device> {
    Device::open("mode=Reference")
}

#[test]
fn transports_pass_their_suite() {
    conformance::suite(&Comm::alone(), Some(&device().unwrap())).unwrap();
    for size in [2, 3, 5, 16] {
        group(size, |comm| conformance::suite(comm, Some(&device()?))).unwrap();
    }
}

#[test]
fn nobody_waits_longer_than_the_limit() {
    group(3, |comm| conformance::limit(comm, Duration::from_millis(200))).unwrap();
    let start = Instant::now();
    let error = Comm::alone().receive(0, 1, 8).unwrap_err().to_string();
    assert!(error.contains("which nobody will send") && start.elapsed() < Duration::from_secs(5), "{error}");
}

/// Runs three ranks of which the last does something else, and returns the error.
fn failing(odd: impl Fn(&Comm, &Grid) -> Result<()> + Sync) -> String {
    let start = Instant::now();
    let outcome = group(3, |comm| {
        comm.set_limit(Duration::from_secs(2));
        let grid = Grid::new(comm, &[12], 1)?.periodic(&[true])?;
        let mut u = device()?.malloc_filled(6, 0.0)?;
        let plan = grid.plan(&[&mut u])?;
        for step in 0..10 {
            if step == 3 && comm.rank() == 2 {
                return odd(comm, &grid);
            }
            plan.exchange(&mut [&mut u])?;
        }
        Ok(())
    });
    assert!(start.elapsed() < Duration::from_secs(20));
    let error = outcome.unwrap_err();
    error.to_string()
}

#[test]
fn a_rank_that_fails_ends_the_others_and_is_named() {
    let error = failing(|_, _| Err(Error::invalid("the disk is full")));
    assert_eq!(error, "rank 2 of 3: the disk is full");
    let error = failing(|_, _| panic!("index 7"));
    assert_eq!(error, "rank 2 of 3: it panicked: index 7");
}

#[test]
fn a_rank_that_hangs_ends_the_others_in_time() {
    let error = failing(|_, _| {
        std::thread::sleep(Duration::from_secs(6));
        Ok(())
    });
    assert!(error.contains("waited 2.") && error.contains("8 bytes") && error.contains("of rank 2"), "{error}");
    assert!(error.contains("exchanging halos: rank ") && error.contains(" on "), "{error}");
}

#[test]
fn a_rank_that_sends_another_length_is_found() {
    let error = group(2, |comm| {
        let other = 1 - comm.rank();
        if comm.rank() == 0 { comm.send(other, 3, vec![0; 10]) } else { comm.receive(other, 3, 12).map(drop) }
    });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("rank 0 sent 10 bytes where 12 were expected"), "{error}");
}

#[test]
fn ranks_that_do_not_agree_on_the_fields_are_told() {
    type Odd = fn(&Comm, &Grid) -> Result<()>;
    let kinds: [(Odd, &str); 3] = [
        (|_, grid| grid.exchange(&mut [&mut device()?.malloc_filled(6, 0_f32)?]), "f32 [8]"),
        (|_, grid| grid.exchange(&mut [&mut device()?.malloc_filled(7, 0_f64)?]), "f64 [9]"),
        (
            |_, grid| grid.clone().periodic(&[true])?.exchange(&mut [&mut device()?.malloc_filled(6, 0_f64)?]),
            "Periodic",
        ),
    ];
    for (odd, expected) in kinds {
        let outcome = group(2, |comm| {
            let grid = Grid::new(comm, &[8], 1)?;
            if comm.rank() == 1 {
                return odd(comm, &grid);
            }
            grid.exchange(&mut [&mut device()?.malloc_filled(6, 0_f64)?])
        });
        let error = outcome.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Communication { .. }));
        let error = error.to_string();
        assert!(error.contains("do not agree on an exchange") && error.contains(expected), "{error}");
    }
}

#[test]
fn bad_input_is_refused_in_words() {
    let in_group = |size, work: fn(&Comm) -> Result<()>| group(size, work).unwrap_err().to_string();
    let cases = [
        (in_group(4, |comm| Grid::new(comm, &[3], 1).map(drop)), "3 points along axis 0 cannot be cut into 4 parts"),
        (in_group(4, |comm| Grid::new(comm, &[7], 2).map(drop)), "a halo of 2 is wider than a part"),
        (in_group(2, |comm| Grid::new(comm, &[8], 1)?.parts(&[3]).map(drop)), "[3] are 3 parts for 2 ranks"),
        (in_group(2, |comm| Grid::new(comm, &[8, 8], 1)?.parts(&[2]).map(drop)), "1 values for a grid of 2 axes"),
        (in_group(1, |comm| Grid::new(comm, &[], 1).map(drop)), "one to three axes"),
        (in_group(1, |comm| Grid::new(comm, &[4, 0], 1).map(drop)), "one to three axes"),
        (in_group(1, |comm| Grid::new(comm, &[2], 3)?.periodic(&[true]).map(drop)), "wider than a part"),
        (
            in_group(1, |comm| Grid::new(comm, &[4], 1)?.exchange(&mut [&mut device()?.malloc_filled(9, 0)?])),
            "6 elements ([6] with its halo), the memory 9",
        ),
        (
            in_group(1, |comm| {
                Grid::new(comm, &[4, 4], 1)?.reduce(Operation::Sum, &device()?.malloc_filled(42, 0.0)?).map(drop)
            }),
            "staggered along either of several axes",
        ),
        (in_group(1, |comm| Grid::new(comm, &[4], 1)?.plan::<ferrocca_core::Memory<f32>>(&[]).map(drop)), "no fields"),
        (
            in_group(2, |comm| {
                let grid = Grid::new(comm, &[8], 1)?;
                grid.scatter(&[1.0; 7], &mut device()?.malloc::<f64>(6)?)
            }),
            "the grid has 8 values, 7 were given",
        ),
        (in_group(0, |_| Ok(())), "at least one rank"),
        (in_group(1, |comm| comm.send(1, 3, vec![])), "there is no rank 1"),
    ];
    for (error, expected) in cases {
        assert!(error.contains(expected), "`{error}` does not say `{expected}`");
    }
    let one = device().unwrap();
    let twice = peers(&[one.clone(), one], |_, _| Ok(())).unwrap_err().to_string();
    assert!(twice.contains("ranks 0 and 1 were both given the device"), "{twice}");
}
