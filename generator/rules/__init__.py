"""What a person knows about an API that its headers don't say: rules.toml. See docs/rules.md."""

from generator.rules.kinds import COUNTING
from generator.rules.lookup import (
    FieldRule,
    FunctionRule,
    HandleRule,
    HelperRule,
    LengthRule,
    Rule,
    Rules,
    TypedTable,
    TypedValue,
    stripped,
)
from generator.rules.read import SPECS, load, parse
from generator.rules.unmatched import unmatched
from generator.rules.values import RulesError

__all__ = [
    "COUNTING",
    "SPECS",
    "FieldRule",
    "FunctionRule",
    "HandleRule",
    "HelperRule",
    "LengthRule",
    "Rule",
    "Rules",
    "RulesError",
    "TypedTable",
    "TypedValue",
    "load",
    "parse",
    "stripped",
    "unmatched",
]
