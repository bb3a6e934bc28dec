"""The page's types are those of the messages: the same records with the same fields."""

import re
from pathlib import Path

import msgspec
import pytest

from cutpoint.workbench import messages

ROOT = Path(__file__).parents[2]
CONTRACT = (ROOT / "web" / "src" / "bridge" / "contract.ts").read_text()
INTERFACES = {
    name: re.findall(r"^  (?:readonly )?(\w+)\??:", body, re.MULTILINE)
    for name, body in re.findall(r"export interface (\w+) \{\n(.*?)\n\}", CONTRACT, re.DOTALL)
}
RECORDS = {
    name: kind for name, kind in vars(messages).items() if isinstance(kind, type) and issubclass(kind, msgspec.Struct)
}


@pytest.mark.parametrize("name", sorted(RECORDS.keys() - {"Message", "Nothing", "StartRequest"}))
def test_a_record_has_the_same_fields_on_both_sides(name: str) -> None:
    assert sorted(INTERFACES[name]) == sorted(field.name for field in msgspec.structs.fields(RECORDS[name]))
