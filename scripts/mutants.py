"""The places of a C source where scripts/mutate can change something."""

import random
import re

# ---- the source as tokens --------------------------------------------------------------------

TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)
      | (?P<directive>(?<![^\n])[ \t]*\#(?:[^\n\\]|\\\n|\\.)*)
      | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      | (?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)[uUlLfF]*)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w])""",
    re.X | re.S)

OPERATORS = {
    "+": ["-", "*"], "-": ["+"], "*": ["/", "+"], "/": ["*"],
    "<": ["<=", ">", ">="], "<=": ["<", ">"], ">": [">=", "<", "<="], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
    "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="], "++": ["--"], "--": ["++"],
}
KEYWORDS = {"if", "else", "for", "while", "do", "switch", "case", "default", "return", "goto", "break",
            "continue", "sizeof", "typedef", "struct", "enum", "union", "static", "const", "extern"}
ASSERTS = {"assert", "static_assert", "_Static_assert"}


class Token:
    __slots__ = ("kind", "text", "start", "end", "mate")

    def __init__(self, kind, text, start, end):
        self.kind, self.text, self.start, self.end, self.mate = kind, text, start, end, None


def tokens_of(text):
    found = []
    for match in TOKEN.finditer(text):
        if match.lastgroup not in ("comment", "directive"):
            found.append(Token(match.lastgroup, match.group(), match.start(), match.end()))
    opened = []
    for i, token in enumerate(found):
        if token.kind == "sign" and token.text in "([{":
            opened.append(i)
        elif token.kind == "sign" and token.text in ")]}" and opened:
            token.mate = opened.pop()
            found[token.mate].mate = i
    return found


def statements_of(tokens):
    """(first, last) of every statement in a function's body, and of initial values outside of one."""
    i, found = 0, []
    start = 0
    while i < len(tokens):
        token = tokens[i]
        if token.text == "{" and token.kind == "sign" and token.mate:
            before = tokens[i - 1].text if i else ""
            if before == ")":
                found += body_statements(tokens, i + 1, token.mate)
                start = token.mate + 1
            elif before == "=":
                found.append((start, token.mate))
            i = token.mate
        elif token.text == ";":
            start = i + 1
        i += 1
    return found


def body_statements(tokens, first, end):
    found, start, i = [], first, first
    while i < end:
        token = tokens[i]
        if token.text in ("(", "[") and token.mate:
            i = token.mate
            head = tokens[start].text
            if token.text == "(" and start == tokens[i].mate - 1 and head in ("if", "while", "for", "switch"):
                found.append((start, i))
                start = i + 1
        elif token.text == "{" and token.mate:
            if i > start and tokens[i - 1].text in ("=", ")"):
                i = token.mate # initial values and compound literals belong to their statement
            else:
                start = i + 1
        elif token.text == "}" or token.text in ("else", "do"):
            start = i + 1
        elif token.text == ":" and tokens[start].text in ("case", "default") or \
                token.text == ":" and i == start + 1:
            start = i + 1
        elif token.text == ";":
            if i > start:
                found.append((start, i))
            start = i + 1
        i += 1
    return found


# ---- the changes -----------------------------------------------------------------------------


class Mutant:
    """Bytes start..end of a file become `new`; the statement around it spans lines[0]..lines[1]."""

    def __init__(self, path, kind, start, end, new):
        self.path, self.kind, self.start, self.end, self.new = path, kind, start, end, new
        self.line, self.lines = 0, (0, 0)

    def apply(self, text):
        return text[:self.start] + self.new + text[self.end:]


def declaration_end(tokens, first, last):
    """Index of the `=` where first..last declares something, last where it has no value, else None."""
    depth_free, i = [], first
    while i <= last:
        token = tokens[i]
        if token.text in ("(", "[") and token.mate and token.mate <= last:
            i = token.mate
        elif token.text in ("=", ",", ";"):
            break
        else:
            depth_free.append(token)
        i += 1
    words = [t.kind == "word" and t.text not in ("return", "goto", "else") for t in depth_free]
    for j in range(len(words) - 1):
        if words[j] and words[j + 1]:
            return min(i, last)
        if words[j] and depth_free[j + 1].text == "*" and j + 2 < len(words) and \
                (words[j + 2] or depth_free[j + 2].text == "*") and i <= last and tokens[i].text == "=":
            return min(i, last)
    return None


def arguments_of(tokens, i):
    """(first, last) of each argument of the call whose `(` is tokens[i]."""
    found, start, j, end = [], i + 1, i + 1, tokens[i].mate
    while j < end:
        if tokens[j].text in ("(", "[", "{") and tokens[j].mate:
            j = tokens[j].mate
        elif tokens[j].text == ",":
            found.append((start, j - 1))
            start = j + 1
        j += 1
    if start < end:
        found.append((start, end - 1))
    return [a for a in found if a[0] <= a[1]]


def changed_constants(text):
    match = re.fullmatch(r"(.*?)([uUlLfF]*)", text) if not text.lower().startswith("0x") else None
    if not match:
        return []
    digits, suffix = match.groups()
    if digits.isdigit():
        if digits != "0" and digits.startswith("0"):
            return []
        n = int(digits)
        values = {0: [1], 1: [0, 2]}.get(n, [n + 1, 2 * n])
        return [str(v) + suffix for v in values]
    value = float(digits)
    changed = [1.0] if value == 0 else [value * 2, value + 1 if value < 1e6 else 0.0]
    return [repr(v) + suffix for v in changed if v != value]


def is_binary(tokens, i):
    before, after = tokens[i - 1], tokens[i + 1]
    operand = before.kind in ("word", "number", "string") and before.text not in KEYWORDS or \
        before.text in (")", "]")
    return operand and after.text not in (")", ",", ";", "]")


def statement_mutants(path, text, tokens, first, last):
    words = {tokens[i].text for i in range(first, min(first + 2, last + 1))}
    if words & ASSERTS or tokens[first].text == "typedef":
        return
    value = declaration_end(tokens, first, last)
    begin = first
    if value is not None:
        if tokens[value].text != "=":
            return
        begin = value + 1
    head = tokens[first]
    called = any(tokens[i].text == "(" and tokens[i - 1].kind == "word" for i in range(first + 1, last + 1))
    assigned = any(tokens[i].text in ("=", "+=", "-=", "*=", "/=", "|=", "++", "--") for i in range(first, last + 1))
    if value is None and tokens[last].text == ";" and head.text not in KEYWORDS - {"goto", "break", "continue"} \
            and (called or assigned or head.text in ("goto", "break", "continue")):
        yield Mutant(path, "dropped statement", head.start, tokens[last].end, ";")
    if head.text in ("if", "while") and tokens[first + 1].text == "(" and tokens[first + 1].mate:
        inner = text[tokens[first + 1].end:tokens[tokens[first + 1].mate].start]
        yield Mutant(path, "negated condition", tokens[first + 1].end, tokens[tokens[first + 1].mate].start,
                     "!(" + inner + ")")
    for i in range(begin, last + 1):
        token = tokens[i]
        if token.kind == "number":
            for new in changed_constants(token.text):
                yield Mutant(path, "constant", token.start, token.end, new)
        elif token.kind == "sign" and token.text in OPERATORS and first < i < last:
            if token.text in ("++", "--") or is_binary(tokens, i):
                for new in OPERATORS[token.text]:
                    yield Mutant(path, "operator", token.start, token.end, new)
        elif token.kind == "word" and i < last and tokens[i + 1].text == "(" and tokens[i + 1].mate and \
                token.text not in KEYWORDS | ASSERTS:
            arguments = arguments_of(tokens, i + 1)
            for a, b in zip(arguments, arguments[1:]):
                one = text[tokens[a[0]].start:tokens[a[1]].end]
                two = text[tokens[b[0]].start:tokens[b[1]].end]
                if one != two:
                    between = text[tokens[a[1]].end:tokens[b[0]].start]
                    yield Mutant(path, "swapped arguments", tokens[a[0]].start, tokens[b[1]].end,
                                 two + between + one)


def mutants_of(path, text):
    tokens = tokens_of(text)
    newlines = [i for i, c in enumerate(text) if c == "\n"]

    def line_of(position):
        low, high = 0, len(newlines)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if newlines[middle] < position else (low, middle)
        return low + 1

    for first, last in statements_of(tokens):
        for mutant in statement_mutants(path, text, tokens, first, last):
            mutant.line = line_of(mutant.start)
            mutant.lines = (line_of(tokens[first].start), line_of(tokens[last].end))
            yield mutant


def shuffled_mutants(top, files, seed):
    """All mutants in a random order: a line is drawn first, then one of its changes."""
    lines = {}
    for path in files:
        text = (top / path).read_text()
        for mutant in mutants_of(path, text):
            lines.setdefault((path, mutant.line), []).append(mutant)
    draw = random.Random(seed)
    keys = sorted(lines)
    draw.shuffle(keys)
    for key in keys:
        yield draw.choice(lines[key])
