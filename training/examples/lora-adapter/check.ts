// Trains the adapter with the coordinator. Fails unless the loss dropped, frames were used, and memory usage stayed low.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ADAPTER_BYTES = 8_388_608 * 2;
const MAX_MEGABYTES = 400;
const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), "lora-adapter-"));
const run = join(folder, "run");

interface Round {
  readonly metrics: { readonly loss: number };
  readonly participants: readonly { train: Measured; evaluate: Measured }[];
}

interface Measured {
  readonly metrics: { readonly peak_mb: number };
}

try {
  const coordinatorPeak = await train();
  const lines = readFileSync(join(run, "history.jsonl"), "utf8").trimEnd().split("\n");
  const rounds = lines.map((line): Round => JSON.parse(line));
  const [first, last] = [rounds[0]?.metrics.loss ?? Number.NaN, rounds.at(-1)?.metrics.loss ?? Number.NaN];
  const measured = rounds.flatMap(({ participants }) => participants.flatMap((one) => [one.train, one.evaluate]));
  const participantPeak = Math.max(...measured.map(({ metrics }) => metrics.peak_mb));

  check("every round was committed", rounds.length === 3);
  check(`the loss fell: ${first.toFixed(4)} → ${last.toFixed(4)}`, last < first);
  // The participants reject JSON above 1 MiB, so the adapter can have reached them only in frames.
  check("the adapter went through frames", statSync(join(run, "final.safetensors")).size > ADAPTER_BYTES);
  check(`participants stayed below ${MAX_MEGABYTES} MB: ${participantPeak}`, participantPeak < MAX_MEGABYTES);
  check(`the coordinator stayed below ${MAX_MEGABYTES} MB: ${coordinatorPeak}`, coordinatorPeak < MAX_MEGABYTES);
} finally {
  rmSync(folder, { recursive: true });
}

/** Runs the plan and returns the coordinator's peak memory in megabytes. */
async function train(): Promise<number> {
  const tollgate = join(here, "../../../bin/tollgate");
  const child = spawn(tollgate, ["train", "run", join(here, "plan.yaml"), "--dir", run], { stdio: "inherit" });
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, readPeak(child.pid ?? 0));
  }, 50);
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once("exit", resolve);
  const status = await promise;
  clearInterval(watch);
  check("the run finished", status === 0);
  return Math.round(peak);
}

/** Returns the peak memory that Linux reports for a process, or 0 if it is unavailable or the process has ended. */
function readPeak(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function check(promise: string, isKept: boolean): void {
  console.log(`${isKept ? "✓" : "✗"} ${promise}`);
  if (!isKept) process.exitCode = 1;
}
