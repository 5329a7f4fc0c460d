"""What a model allows in each of its fields, read from its JSON Schema."""

import json
from dataclasses import dataclass
from typing import Any

JsonSchema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Schema:
    """Walks the JSON Schema of a model: it holds names, units, descriptions and ranges in one place."""

    root: JsonSchema

    def resolve(self, node: JsonSchema) -> JsonSchema:
        """Follow references, and see through "this or null"; what stands beside a reference wins."""
        while True:
            options = [option for option in node.get("anyOf", []) if option.get("type") != "null"]
            if "$ref" in node:
                inner: JsonSchema = self.root["$defs"][node["$ref"].rsplit("/", 1)[-1]]
            elif len(options) == 1:
                inner = options[0]
            else:
                return node
            node = {**inner, **{key: value for key, value in node.items() if key not in ("$ref", "anyOf", "default")}}

    def options(self, node: JsonSchema, value: Any) -> list[JsonSchema]:
        """Return the alternatives of a union, only the right one where `value` holds a known discriminator."""
        if "discriminator" in node:
            mapping, name = node["discriminator"]["mapping"], node["discriminator"]["propertyName"]
            tag = value.get(name) if isinstance(value, dict) else None
            references = [mapping[tag]] if isinstance(tag, str) and tag in mapping else list(mapping.values())
            return [self.resolve({"$ref": reference}) for reference in references]
        return [self.resolve(option) for option in [*node.get("anyOf", []), *node.get("oneOf", [])]] or [node]

    def child(self, node: JsonSchema, key: str | int, value: Any) -> JsonSchema | None:
        """Return the schema of the field or entry `key` inside `node`, None if it has none."""
        for option in self.options(self.resolve(node), value):
            if isinstance(key, str):
                extra = option.get("additionalProperties", False)
                # True stands for anything at all.
                others = {} if extra is True else extra or None
                found = option.get("properties", {}).get(key, others)
            else:
                prefix = option.get("prefixItems", [])
                found = prefix[key] if key < len(prefix) else option.get("items")
                if found is not None:
                    found = {name: node[name] for name in ("unit", "description") if name in node} | found
            if found is not None:
                return self.resolve(found)
        return None

    def names(self, node: JsonSchema, value: Any) -> list[str]:
        """Return the names of the fields that `node` can have."""
        options = self.options(self.resolve(node), value)
        return list(dict.fromkeys(name for option in options for name in option.get("properties", {})))

    def values(self, node: JsonSchema) -> list[str]:
        """Return the values a field may take if they can be counted, tags of a union included, as they are written."""
        if "discriminator" in node:
            return list(node["discriminator"]["mapping"])
        found = [v for option in self.options(node, None) for v in option.get("enum", [option.get("const")])]
        return [value if isinstance(value, str) else json.dumps(value) for value in found if value is not None]

    def allowed(self, node: JsonSchema) -> str:
        """Say what a field may hold: kind, range, unit and description."""
        node = self.resolve(node)
        kinds = dict.fromkeys(self._kind(option) for option in self.options(node, None)) if "anyOf" in node else None
        kind = self._kind(node) if kinds is None else " or ".join(kinds)
        unit = f", in {node['unit']}" if node.get("unit", "1") != "1" else ""
        description = node.get("description", "").split("\n\n")[0].replace("\n", " ").rstrip(". ")
        return f"{kind}{unit}" + (f" ({description})" if description else "")

    def _kind(self, node: JsonSchema) -> str:
        if "discriminator" in node:
            name = node["discriminator"]["propertyName"]
            return f"a mapping whose {name} is one of {', '.join(self.values(node))}"
        if values := [] if "anyOf" in node else self.values(node):
            return f"one of {', '.join(values)}" if len(values) > 1 else values[0]
        nouns = {"number": "a number", "integer": "a whole number", "boolean": "true or false", "null": "null"}
        match node.get("type"):
            case "string":
                return "text" + (f" matching {node['pattern']}" if "pattern" in node else _length(node, "Length", ""))
            case "array":
                return "a list" + _length(node, "Items", " entries")
            case "object":
                names = list(node.get("properties", {}))
                return f"a mapping with the fields {', '.join(names)}" if names else "a mapping"
            case other:
                return nouns.get(str(other), "a value") + _range(node)


def _range(node: JsonSchema) -> str:
    low, high = node.get("minimum"), node.get("maximum")
    if low is not None and high is not None:
        return f" from {low:.12g} to {high:.12g}"
    words = {"minimum": "at least", "exclusiveMinimum": "above", "maximum": "at most", "exclusiveMaximum": "below"}
    bounds = [f"{word} {node[name]:.12g}" for name, word in words.items() if name in node]
    return f" {' and '.join(bounds)}" if bounds else ""


def _length(node: JsonSchema, what: str, noun: str) -> str:
    low, high = node.get(f"min{what}"), node.get(f"max{what}")
    noun = noun or " characters"
    if low is not None and low == high:
        return f" of {low}{noun}"
    bounds = [f"{word} {value}" for word, value in (("at least", low), ("at most", high)) if value is not None]
    return f" of {' and '.join(bounds)}{noun}" if bounds else ""
