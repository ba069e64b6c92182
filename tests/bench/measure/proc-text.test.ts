import { expect, test } from "vitest";
import { parseCommandLine, parseCpuMs, parseMemory, parseWakeUps } from "./proc-text.ts";

// The texts are from the gateway process of a run, with Linux 6.18.

test("the CPU time is the first number of schedstat, in nanoseconds", () => {
  expect(parseCpuMs("1216916669 4936287375 4691\n")).toBe(1216.916669);
});

test("only voluntary context switches count as wake-ups", () => {
  const status =
    "Name:\tMainThread\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t3928\nThreads:\t13\nCpus_allowed_list:\t1\n" +
    "Mems_allowed_list:\t0\nvoluntary_ctxt_switches:\t1312\nnonvoluntary_ctxt_switches:\t3379\n";
  expect(parseWakeUps(status)).toBe(1312);
});

test("memory is read from the fields Rss and Pss, and not from their parts", () => {
  const rollup =
    "00400000-7fff48eca000 ---p 00000000 00:00 0                              [rollup]\n" +
    "Rss:              321576 kB\nPss:              269943 kB\nPss_Dirty:        261152 kB\n" +
    "Pss_Anon:         261120 kB\nPss_File:           8823 kB\nPss_Shmem:             0 kB\n" +
    "Shared_Clean:      60316 kB\nPrivate_Dirty:    261152 kB\nSwapPss:               0 kB\nLocked:                0 kB\n";
  expect(parseMemory(rollup)).toEqual({ residentBytes: 321_576 * 1024, proportionalBytes: 269_943 * 1024 });
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
  expect(parseWakeUps("")).toBe(0);
  expect(parseMemory("")).toEqual({ residentBytes: 0, proportionalBytes: 0 });
  expect(parseCommandLine("")).toEqual([]);
});
