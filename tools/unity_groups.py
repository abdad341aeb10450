#!/usr/bin/env python3
"""Prints which .cpp files of a module may be compiled together, one line "GROUP FILE" for each.

A file that is compiled alone spends most of its time on headers and on templates that its neighbours instantiate too; the
sanitizer builds, which nobody edits against, compile groups instead (CMake's UNITY_GROUP). Two files may share a group
where neither uses, as a name of its own, what the other declares for itself alone: in an anonymous namespace, as a constant, an alias
or a macro. Then the group means what its files mean alone.
"""
import argparse
import pathlib
import re

IGNORED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'(?!\w)', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)[ \t]*(\w*)(?:\\\n|[^\n])*", re.M)
TOKEN = re.compile(r"(?<![.\w])(?<!->)(?<!::)[A-Za-z_]\w*")
TYPE = re.compile(r"\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(\w+)\s*(?:final\b)?\s*(?::[^:]|$)")
PREFIX = re.compile(r"^\s*(?:template\s*<[^{;]*?>\s*(?=struct|class|using|[\w:]+[\s&*<]))?(?:\[\[[^\]]*\]\]\s*)*")


def without_parameters(text):
    """A declaration up to its first parenthesis outside template arguments."""
    depth = 0
    for at, sign in enumerate(text):
        if sign == "<":
            depth += 1
        elif sign == ">" and text[at - 1] != "-":
            depth -= 1
        elif sign == "(" and depth <= 0:
            return text[:at]
    return text


def declared_name(text):
    """The name that a declaration at namespace scope declares, or None."""
    text = text.strip()
    if match := re.match(r"(?:TEST|TEST_F|TEST_P|TYPED_TEST)\s*\(\s*(\w+)\s*,\s*(\w+)", text):
        return f"{match[1]}_{match[2]}_Test"
    if match := re.match(r"(?:template\s*<.*>\s*)?using\s+(\w+)\s*=", text, re.S):
        return match[1]
    if match := re.match(r"using\s+(namespace\b)?.*?(\w+)$", text, re.S):
        return None if match[1] else match[2]
    if match := TYPE.search(without_parameters(text)):
        return match[1]
    head = re.split(r"(?<![=!<>])=(?!=)", without_parameters(text))[0]
    names = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^\]]*\]", "", head))
    return names[-1] if names else None


class Names:
    """What a file declares at namespace scope."""

    def __init__(self, text):
        self.alone = {}  # name -> the text of an alias, which others may repeat, or a mark
        self.named = {}  # name -> its namespace
        self.spaces = {}  # last name of a nested namespace, which hides an outer one, -> all of it
        self.directives = set(re.findall(r"\busing\s+namespace\s+(?:\w+::)*(\w+)\s*;", text))
        scopes = []  # for each open brace: the name of a namespace ("" for an anonymous one), or None
        start = 0
        for at, sign in enumerate(text):
            if sign not in "{};":
                continue
            statement = text[start:at]
            outside = None not in scopes
            if outside and sign != "}":
                match = re.search(r"\bnamespace\b([\w:\s]*)$", statement) if sign == "{" else None
                if not match:
                    self.note(statement, scopes)
            if sign == "{":
                scopes.append(match[1].strip() if outside and match else None)
                path = "::".join(filter(None, scopes))
                if scopes[-1] and path.count("::") > 1:
                    self.spaces[path.split("::")[-1]] = path
            elif sign == "}" and scopes:
                scopes.pop()
            if outside or None not in scopes:
                start = at + 1

    def note(self, statement, scopes):
        name = declared_name(PREFIX.sub("", statement, 1))
        if not name:
            return
        if "" in scopes or re.match(r"\s*(?:static|const|constexpr|using|thread_local)\b", statement):
            self.alone[name] = " ".join(statement.split()) if re.match(r"\s*using\b", statement) else object()
        else:
            self.named[name] = scopes[-1].split("::")[-1] if scopes else ""


class Header(Names):
    known = {}

    def __init__(self, path):
        text = stripped(path)
        super().__init__(code(text))
        self.named |= dict.fromkeys(self.alone, "")
        self.includes = included(path, text)

    @classmethod
    def all_of(cls, paths):
        """All that these headers include, and they themselves."""
        seen, waiting = set(), list(paths)
        while waiting:
            path = waiting.pop()
            if path not in seen:
                seen.add(path)
                if path not in cls.known:
                    cls.known[path] = cls(path)
                waiting += cls.known[path].includes
        return sorted(seen)


def stripped(path):
    """The text without comments and characters, and without strings that span lines."""
    return IGNORED.sub(lambda match: match[0] if match[0][0] == '"' else " ", path.read_text(encoding="utf-8"))


def code(text):
    """The text without directives and strings."""
    return re.sub(r'"(?:\\.|[^"\\\n])*"', " ", DIRECTIVE.sub("", text))


def included(path, text):
    """The project's headers that a file includes itself."""
    roots = [path.parent, *(parent / "src" for parent in path.parents), *path.parents]
    found = []
    for name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', text, re.M):
        found += [root / name for root in roots if (root / name).is_file()][:1]
    return found


class Source:
    def __init__(self, path):
        text = stripped(path)
        self.path, self.size = path, path.stat().st_size
        self.own = self.macros(text)
        headers = Header.all_of(included(path, text))
        names = Names(code(text))
        self.own |= names.alone | names.spaces
        self.seen = {}  # what its headers declare: name -> header
        for header in headers:
            self.own |= Header.known[header].spaces
            for name, space in Header.known[header].named.items():
                self.seen[name] = header
                if (space and space in names.directives) or str(self.own.get(name)).endswith(f"{space}::{name}"):
                    self.own[name] = header
        self.used = set(TOKEN.findall(code(text))) | self.seen.keys() | self.own.keys()

    @staticmethod
    def macros(text):
        names = {}
        for word, name in DIRECTIVE.findall(text):
            if word == "define":
                names[name] = object()
            elif word == "undef":
                names.pop(name, None)
        return names

    def means(self, name):
        return self.own.get(name, self.seen.get(name))

    def goes_with(self, other):
        shared = (self.own.keys() & other.used) | (self.used & other.own.keys())
        return all(self.means(name) == other.means(name) for name in shared)


def group(paths, limit):
    groups = []
    for path in paths:
        source = Source(path.resolve())
        for one in groups:
            if sum(other.size for other in one) + source.size <= limit and all(map(source.goes_with, one)):
                one.append(source)
                break
        else:
            groups.append([source])
    return groups


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bytes", type=int, default=100_000, help="the most source text in one group")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    for number, one in enumerate(group(arguments.files, arguments.bytes)):
        for source in one:
            print(f"{number} {source.path}")


if __name__ == "__main__":
    main()
