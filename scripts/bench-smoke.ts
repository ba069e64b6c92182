import { spawnSync } from "node:child_process";

/** A run short enough for every change: proves that the bench works and that nothing became several times slower. */
const LOWEST_RATIO = 0.25;

const { status, stdout, stderr } = spawnSync(
  process.execPath,
  ["tests/bench/run.ts", "--quick", "--json", "--rounds", "1", "--without", "portkey", "--without", "nginx"],
  { encoding: "utf8" },
);
const lastLine = stdout.trimEnd().split("\n").at(-1) ?? "";
console.log(stdout);
if (status !== 0) {
  console.log(stderr);
  process.exit(1);
}
const { json, sse } = JSON.parse(lastLine) as {
  json: { ratio: number };
  sse: { ratio: number; bytesPerStream: number };
};
const isSound = json.ratio > LOWEST_RATIO && sse.ratio > LOWEST_RATIO && sse.bytesPerStream > 0;
console.log(isSound ? "bench smoke: sound" : `bench smoke: a ratio is below ${LOWEST_RATIO}`);
process.exitCode = isSound ? 0 : 1;
