import { expect, test } from "vitest";
import { plural } from "./plural.ts";

test("a count agrees with its noun", () => {
  expect([plural(1, "key"), plural(2, "key"), plural(0, "entry", "entries")]).toEqual(["1 key", "2 keys", "0 entries"]);
});
