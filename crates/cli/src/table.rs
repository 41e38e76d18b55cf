//! Columns of text, and paragraphs that fit the terminal.

/// Lines are this wide where the output is no terminal.
const WIDTH: usize = 100;

/// Columns of the terminal to which the standard output goes.
pub(crate) fn terminal_width() -> usize {
    terminal_size::terminal_size_of(std::io::stdout()).map_or(WIDTH, |(width, _)| usize::from(width.0).max(40))
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
    pub(crate) fn render(&self) -> String {
        self.render_wrapped(usize::MAX)
    }

    /// The same; a last cell that goes beyond `width` is continued in lines below it.
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
    use super::{Table, paragraph};

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
