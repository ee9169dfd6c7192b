"""Holds JSON files against docs/run.schema.json, by the few words of JSON Schema that it uses.

    check_schema.py SCHEMA FILE...

A member that the schema does not name is a finding too: the document is to tell of all that is written.
"""

import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
WORDS = {"$ref", "additionalProperties", "definitions", "description", "enum", "items", "oneOf", "pattern", "properties",
         "required", "title", "type", "$schema"}


def is_type(value, name):
    if name in ("integer", "number"):
        whole = isinstance(value, (int, float)) and not isinstance(value, bool)
        return whole and (name == "number" or value == int(value))
    return isinstance(value, TYPES[name])


def check(value, schema, root, place="$"):
    """What is wrong, as texts."""
    assert set(schema) <= WORDS, f"words of JSON Schema that are not known here: {set(schema) - WORDS}"
    if "$ref" in schema:
        return check(value, root["definitions"][schema["$ref"].rsplit("/", 1)[1]], root, place)
    if "oneOf" in schema:
        tried = [check(value, one, root, place) for one in schema["oneOf"]]
        return [] if sum(not wrong for wrong in tried) == 1 else min(tried, key=len) or [f"{place}: several fit"]
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(is_type(value, name) for name in names):
        return [f"{place}: {value!r} is not of type {names}"]
    wrong = []
    if "enum" in schema and value not in schema["enum"]:
        wrong.append(f"{place}: {value!r} is none of {schema['enum']}")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        wrong.append(f"{place}: {value!r} does not match {schema['pattern']}")
    if isinstance(value, dict):
        wrong += [f"{place}: no member {name!r}" for name in schema.get("required", []) if name not in value]
        for name, member in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
            if inner is None and "properties" in schema:
                wrong.append(f"{place}: {name!r} is not in the schema")
            elif inner:
                wrong += check(member, inner, root, f"{place}.{name}")
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            wrong += check(item, schema["items"], root, f"{place}[{number}]")
    return wrong


def main():
    schema = json.load(open(sys.argv[1], encoding="utf-8"))
    # Neither nothing nor anything fits it.
    assert check({}, schema, schema) and check({"kind": "study"}, schema, schema)
    failed = 0
    for path in sys.argv[2:]:
        for line in check(json.load(open(path, encoding="utf-8")), schema, schema):
            failed += 1
            print(f"{path}: {line}")
    sys.exit(failed > 0)


main()
