import { spawnSync } from "node:child_process";

/**
 * Short smoke test for every change: verifies that the benchmark works and that nothing became several times slower.
 */
const MAX_CPU_RATIO = 8;

const ratios = [measure("json", 3), measure("sse", 1)];
const isSound = ratios.every((ratio) => ratio < MAX_CPU_RATIO);
console.log(isSound ? "bench smoke: sound" : `bench smoke: a call costs more than ${MAX_CPU_RATIO} times as much CPU`);
process.exitCode = isSound ? 0 : 1;

/** Returns our CPU time per call relative to a bare proxy. Calls per second would also measure the machine's load. */
function measure(section: "json" | "sse", rounds: number): number {
  const left = ["portkey", "nginx", "bare-sockets", "tollgate-unpinned"].flatMap((name) => ["--without", name]);
  const size = ["--quick", "--rounds", String(rounds), "--only", section, ...left];
  const { status, stdout, stderr } = spawnSync(process.execPath, ["tests/bench/run.ts", "--json", ...size], {
    encoding: "utf8",
  });
  console.log(stdout);
  if (status !== 0) {
    console.log(stderr);
    process.exit(1);
  }
  const figures = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Record<typeof section, { cpuRatio: number }>;
  return figures[section].cpuRatio;
}
