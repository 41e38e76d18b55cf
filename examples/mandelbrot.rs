//! Mandelbrot's set: complex numbers in memory, by value, and in a loop that ends at another step for each point.
//!
//! cargo run --release --example mandelbrot -- CPU

use ferrocca::{Complex, Device, Props, Result, args};

const KERNEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/kernels/mandelbrot.okl");

/// A grid of points: `rows` upwards, `columns` to the right.
#[derive(Clone, Copy)]
pub(crate) struct Grid {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// The lowest point at the left.
    pub(crate) corner: Complex<f32>,
    /// To the next point at the right, and to the next one above.
    pub(crate) spacing: Complex<f32>,
}

impl Grid {
    /// Points from -2 - 1.25i to 0.5 + 1.25i.
    pub(crate) fn of_all(rows: usize, columns: usize) -> Self {
        let between = |points: usize| 2.5 / (points - 1) as f32;
        Self {
            rows,
            columns,
            corner: Complex::new(-2.0, -1.25),
            spacing: Complex::new(between(columns), between(rows)),
        }
    }
}

/// How many steps each point takes to leave the circle of radius 2, `most` where it does not, row by row.
pub(crate) fn steps(device: &Device, grid: Grid, most: usize) -> Result<Vec<i32>> {
    let Grid { rows, columns, corner, spacing } = grid;
    // Without fused multiplications the steps are the same on every device.
    let kernel = device.build_kernel(KERNEL, "mandelbrot", Props::new().with("fp_contract", "off"))?;
    let mut steps = device.malloc::<i32>(rows * columns)?;
    kernel.launch(args![rows, columns, &corner, &spacing, most, &mut steps])?;
    steps.to_vec()
}

/// The same in Rust.
pub(crate) fn expected(grid: Grid, most: usize) -> Vec<i32> {
    let point = |number: usize| {
        let (row, column) = ((number / grid.columns) as f32, (number % grid.columns) as f32);
        let c = grid.corner + Complex::new(column * grid.spacing.re, row * grid.spacing.im);
        let (mut z, mut taken) = (Complex::new(0.0, 0.0), 0);
        while taken < most as i32 && z.norm_sqr() <= 4.0 {
            z = z * z + c;
            taken += 1;
        }
        taken
    };
    (0..grid.rows * grid.columns).map(point).collect()
}

#[allow(dead_code)] // The tests call `steps`.
fn main() -> Result<()> {
    let device = Device::open(std::env::args().nth(1).unwrap_or("CPU".into()))?;
    let (grid, most) = (Grid::of_all(31, 78), 200);
    let steps = steps(&device, grid, most)?;
    for row in steps.chunks(grid.columns).rev() {
        let shade = |&taken: &i32| match taken {
            0..3 => ' ',
            3..5 => '.',
            5..9 => ':',
            9..20 => '+',
            20..200 => '%',
            _ => '#',
        };
        println!("{}", row.iter().map(shade).collect::<String>());
    }
    println!("steps as in Rust: {}", steps == expected(grid, most));
    Ok(())
}
