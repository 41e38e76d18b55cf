//! Columns of text, and paragraphs that fit the terminal.

/// Lines are this wide where the output is no terminal, and `COLUMNS` says nothing.
const WIDTH: usize = 100;

/// What `COLUMNS` says, else the columns of the terminal to which the standard output goes.
pub(crate) fn terminal_width() -> usize {
    let asked =
        std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok()).filter(|&width| width > 0);
    let terminal = || terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0));
    asked.or_else(terminal).map_or(WIDTH, |width: usize| width.max(40))
}

/// Six significant digits, as C's `%g` prints them, with the exponent as Rust does.
pub(crate) fn number(value: f64) -> String {
    let scientific = format!("{value:.5e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let trim = |digits: &str| match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => digits.to_owned(),
    };
    match exponent.parse() {
        Ok(exponent @ -4..=5) => trim(&format!("{value:.*}", (5_i32 - exponent) as usize)),
        _ => format!("{}e{exponent}", trim(digits)),
    }
}

/// `text` in lines of at most `width` characters, unless a word is longer, each behind `indent`.
pub(crate) fn paragraph(text: &str, indent: &str, width: usize) -> String {
    let mut lines = vec![indent.to_owned()];
    for word in text.split_whitespace() {
        let line = lines.last().map_or(0, |line| line.chars().count());
        let is_empty = line == indent.len();
        if !is_empty && line + 1 + word.chars().count() > width {
            lines.push(indent.to_owned());
        }
        let Some(line) = lines.last_mut() else { continue };
        if line.len() > indent.len() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

/// Rows of cells, printed with each column as wide as its widest cell. The last column is not padded.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table whose first row is `head`.
    pub(crate) fn new<const N: usize>(head: [&str; N]) -> Self {
        Self { rows: vec![head.map(str::to_owned).to_vec()] }
    }

    /// Adds a row, which may have fewer cells than others.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The lines, each with its end.
    #[cfg(test)]
    pub(crate) fn render(&self) -> String {
        self.render_wrapped(usize::MAX)
    }

    /// The lines, each with its end; a last cell that goes beyond `width` is continued in lines below it.
    pub(crate) fn render_wrapped(&self, width: usize) -> String {
        self.rendered_rows(width).concat()
    }

    /// The same, row by row.
    pub(crate) fn rendered_rows(&self, width: usize) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest = |column: usize| {
            // A row's last cell runs on, as a sentence does.
            let cells = self.rows.iter().filter(|row| column + 1 < row.len());
            cells.map(|row| row[column].chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(widest).collect();
        let rendered = |row: &Vec<String>| {
            let mut line = String::new();
            let (last, cells) = row.split_last()?;
            for (cell, width) in cells.iter().zip(&widths) {
                line.push_str(&format!("{cell:<width$}  "));
            }
            let start = line.chars().count();
            // Where little room is left, lines run on.
            let is_long = width < usize::MAX && width > start + 20 && start + last.chars().count() > width;
            if is_long {
                let wrapped = paragraph(last, &" ".repeat(start), width);
                return Some(line + wrapped.trim_start());
            }
            line.push_str(last);
            Some(format!("{}\n", line.trim_end()))
        };
        self.rows.iter().filter_map(rendered).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Table, number, paragraph};

    #[test]
    fn numbers_have_six_digits() {
        let cases =
            [(0.0, "0"), (40.5, "40.5"), (-4.747_025_229e58, "-4.74703e58"), (1e-7, "1e-7"), (123_456.7, "123457")];
        cases.iter().for_each(|(value, expected)| assert_eq!(number(*value), *expected));
        assert_eq!(number(f64::NAN), "NaN");
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_and_a_last_cell_runs_on() {
        let mut table = Table::new(["mode", "name", "cores"]);
        table.row(vec!["Serial".into(), "µ-processor".into(), "1".into()]);
        table.row(vec!["CUDA".into(), "there is no driver on this machine".into()]);
        let expected = "mode    name         cores\n\
                        Serial  µ-processor  1\n\
                        CUDA    there is no driver on this machine\n";
        assert_eq!(table.render(), expected);
        let wrapped = "mode    name         cores\n\
                       Serial  µ-processor  1\n\
                       CUDA    there is no driver on\n        this machine\n";
        assert_eq!(table.render_wrapped(30), wrapped);
    }

    #[test]
    fn paragraphs_are_broken_between_words() {
        assert_eq!(paragraph("one two three", "  ", 9), "  one two\n  three\n");
        assert_eq!(paragraph("incomprehensible x", "", 5), "incomprehensible\nx\n");
    }
}
