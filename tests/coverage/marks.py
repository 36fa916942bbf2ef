"""Tables that commands write into a page of docs, between two marks that stay."""


def put_between_marks(page, mark, lines):
    begin, end = f"<!-- {mark}: begin -->\n", f"<!-- {mark}: end -->"
    head, rest = page.read_text().split(begin)
    page.write_text(head + begin + "".join(line + "\n" for line in lines) + end + rest.split(end)[1])


def between_marks(page, mark):
    """The lines that stand there."""
    return page.read_text().split(f"<!-- {mark}: begin -->\n")[1].split(f"<!-- {mark}: end -->")[0].splitlines()
