"""What notebooks show of devices, memory and profiles."""

from html import escape


def table(head, rows):
    """Rows of texts, below a head where there is one."""
    head = f"<thead><tr>{''.join(f'<th>{escape(name)}</th>' for name in head)}</tr></thead>" if head else ""
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{head}<tbody>{body}</tbody></table>"


def size(count):
    """Bytes with a unit."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024:
            break
        count, unit = count / 1024, {"bytes": "KiB", "KiB": "MiB", "MiB": "GiB", "GiB": "TiB"}[unit]
    return f"{count:.4g} {unit}"


def device(self):
    info = self.info
    rows = [(name.replace("_", " "), size(value) if name == "memory_bytes" else value) for name, value in info.items()]
    rows = [(name, value) for name, value in rows if value not in ("", None)]
    return table([], [*rows, ("allocated here", size(self.memory_allocated))])


def array(self):
    kind = type(self).__name__
    rows = [("shape", self.shape), ("dtype", self.dtype), ("size", size(self.nbytes)), ("on", self.device)]
    if self.readonly:
        rows.append(("access", "read-only"))
    name = getattr(self, "name", None)
    return table([], [(kind, name or ""), *rows])


def kernel(self):
    return table(["parameter", "type"], self.parameters)
