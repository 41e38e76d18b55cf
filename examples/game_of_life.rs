//! Conway's game of life: integers, and two buffers that swap roles.
//!
//! cargo run --release --example game_of_life -- CPU

use ferrocca::{Device, Result, args};

const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/kernels/game_of_life.okl");

/// A board: 1 for each cell that lives.
pub(crate) struct Board {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) cells: Vec<u8>,
}

impl Board {
    /// An empty board with one glider, which moves by a row and a column in four generations.
    pub(crate) fn with_glider(rows: usize, columns: usize) -> Self {
        let mut cells = vec![0; rows * columns];
        for (row, column) in [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)] {
            cells[row * columns + column] = 1;
        }
        Self { rows, columns, cells }
    }
}

/// A line for each row.
impl std::fmt::Display for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for row in self.cells.chunks(self.columns) {
            writeln!(f, "{}", row.iter().map(|&cell| if cell == 1 { '#' } else { '.' }).collect::<String>())?;
        }
        Ok(())
    }
}

/// The board after so many generations.
pub(crate) fn play(device: &Device, board: &Board, generations: u64) -> Result<Board> {
    let Board { rows, columns, cells } = board;
    let generation = device.build_kernel(KERNELS, "generation", ())?;
    let mut now = device.malloc_from(cells)?;
    let mut next = device.malloc::<u8>(cells.len())?;
    let mut graph = device.record(|r| {
        r.launch(&generation, args![*rows, *columns, &now, &mut next])?;
        r.rotate([&now, &next])
    })?;
    graph.replay_rotating(generations, [&mut now, &mut next])?;
    Ok(Board { rows: *rows, columns: *columns, cells: now.to_vec()? })
}

#[allow(dead_code)] // The tests call `play`.
fn main() -> Result<()> {
    let device = Device::open(std::env::args().nth(1).unwrap_or("CPU".into()))?;
    let board = Board::with_glider(10, 20);
    for generation in [0, 4, 20] {
        println!("generation {generation}\n{}", play(&device, &board, generation)?);
    }
    Ok(())
}
