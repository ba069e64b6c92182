import { expect, test } from "vitest";
import { parseCommandLine, parseCpuMs } from "./proc-text.ts";

// The texts are from the gateway process of a run, with Linux 6.18.

test("the CPU time is the first number of schedstat, in nanoseconds", () => {
  expect(parseCpuMs("1216916669 4936287375 4691\n")).toBe(1216.916669);
});

test("the arguments of a command line end with null characters", () => {
  const cmdline = "/opt/node\0--max-semi-space-size=8\0/opt/tollgate/apps/server/src/supervise/serve-child.ts\0";
  expect(parseCommandLine(cmdline)).toEqual([
    "/opt/node",
    "--max-semi-space-size=8",
    "/opt/tollgate/apps/server/src/supervise/serve-child.ts",
  ]);
});

test("an ended thread or process, whose files are empty, counts as zero", () => {
  expect(parseCpuMs("")).toBe(0);
  expect(parseCommandLine("")).toEqual([]);
});
