import { expect, test } from "vitest";
import { readOptions } from "./options.ts";

test("a quick run leaves out the bodies, and --only selects any section", () => {
  expect(readOptions([]).sections).toContain("bodies");
  expect(readOptions(["--quick"]).sections).not.toContain("bodies");
  expect(readOptions(["--quick"]).sections).toEqual(expect.arrayContaining(["json", "sse", "held", "light", "idle"]));
  expect(readOptions(["--only", "idle,bodies"]).sections).toEqual(["idle", "bodies"]);
  expect(() => readOptions(["--only", "jso"])).toThrow("--only takes json, sse");
});

test("--load takes rates and max", () => {
  expect(readOptions(["--load", "20,400,max"])).toMatchObject({ purpose: "load", rates: [20, 400, "max"] });
  for (const wrong of ["20,,max", "0", "fast", "1.5"])
    expect(() => readOptions(["--load", wrong])).toThrow("--load takes");
  expect(() => readOptions(["--load", "20", "--tls"])).toThrow("runs of their own");
});
