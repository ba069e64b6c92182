import { expect, test } from "vitest";
import { filterJson } from "./filter-json.ts";

const list = {
  data: [
    { name: "one", status: "active", spent: 5n, tags: ["a", "b"], "odd name": 1 },
    { name: "two", status: "disabled", spent: 9_007_199_254_740_993n, tags: [], "odd name": 2 },
  ],
  meta: { total: 2 },
};

test.for([
  [".meta.total", [2]],
  [".data[].name", ["one", "two"]],
  [".data[0].tags[-1]", ["b"]],
  ['.data[]["odd name"]', [1, 2]],
  ['.data[] | select(.status == "active") | .name', ["one"]],
  ['.data[] | select(.status != "active" and .spent > 5) | .name', ["two"]],
  [".data[] | select(.spent == 9007199254740993) | .name", ["two"]],
  ['.data[] | select(.name == "one" or .tags) | .name, .status', ["one", "active", "two", "disabled"]],
  [".data | map(.name)", [["one", "two"]]],
  [".data | length", [2]],
  [".meta | keys", [["total"]]],
  [".nothing.at.all", [null]],
  [".data[] | select(.tags | length == 0) | .name", ["two"]],
  [".", [list]],
] as const)("selects the expected values with the filter %s", ([filter, expected]) => {
  expect(filterJson(list, filter)).toEqual(expected);
});

test.for(["", ".a[", ".a |", "select(.a", "unknown(.a)", ".a ~ .b", ". .", "$x"])(
  "rejects an invalid filter such as '%s'",
  (filter) => {
    expect(() => filterJson(list, filter)).toThrow("Invalid filter");
  },
);
