import { expect, test } from "vitest";
import { readOptions } from "./options.ts";

test("a quick run leaves out the bodies, and --only selects any section", () => {
  expect(readOptions([]).sections).toContain("bodies");
  expect(readOptions(["--quick"]).sections).not.toContain("bodies");
  expect(readOptions(["--quick"]).sections).toEqual(expect.arrayContaining(["json", "sse", "held", "light", "idle"]));
  expect(readOptions(["--only", "idle,bodies"]).sections).toEqual(["idle", "bodies"]);
  expect(() => readOptions(["--only", "jso"])).toThrow("--only takes json, sse");
});
