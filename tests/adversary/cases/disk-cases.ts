import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { signalProcess, undoAtExit } from "@tollgate/testkit/processes/clean-up.ts";
import { findProgram, installPackages } from "../../../scripts/engines-lib/programs.ts";
import { type Attack, type Case, type CaseContext, type CaseOutcome, inBatches } from "../case.ts";
import { script } from "../upstream/script.ts";
import { exactly } from "./cut-cases.ts";

const run = promisify(execFile);
/** Smaller than one journal segment. */
const TOO_SMALL = "8m";
const ENOUGH = "600m";
const CALLS = 12;
const SYNC_DELAY_MICROSECONDS = 300_000;
const RECOVERY_LIMIT_MS = 20_000;

export const diskCases: readonly Case[] = [
  {
    name: "full-disk",
    promise: "On a full disk no call reaches the upstream; when there is space again, calls are charged exactly",
    guards: "rule: no call without a journal record",
    isQuick: false,
    isAlone: true,
    run: fillDisk,
  },
  {
    name: "slow-disk",
    promise: "On a slow disk every call is charged what the upstream billed",
    guards: "rule: no answer is complete before its usage is on disk",
    isQuick: false,
    isAlone: true,
    run: slowDisk,
  },
];

async function fillDisk(context: CaseContext): Promise<CaseOutcome> {
  const { stage } = context;
  const { journalFolder } = stage.tollgate.settings;
  const folder = join(stage.folder, "small-disk");
  mkdirSync(folder);
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${TOO_SMALL}`, "tmpfs", folder]);
  } catch (error) {
    return { calls: [], skipped: `no disk can be mounted here (${String(error).split("\n")[0]})` };
  }
  const forget = undoAtExit(() => execFileSync("umount", ["-l", folder]));
  try {
    await stage.tollgate.restart({ journalFolder: folder });
    const refused = await makeCalls(context);
    await run("mount", ["-o", `remount,size=${ENOUGH}`, folder]);
    await awaitService(context);
    const served = await makeCalls(context);
    const expects = { kind: "refused" } as const;
    return { calls: [...refused.map(({ nonce }) => ({ nonce, expects })), ...served.map(exactly)] };
  } finally {
    await stage.tollgate.restart({ journalFolder });
    await run("umount", ["-l", folder]);
    forget();
  }
}

async function slowDisk(context: CaseContext): Promise<CaseOutcome> {
  if (process.getuid?.() !== 0) return { calls: [], skipped: "only root may trace other processes" };
  if (findProgram("strace") === null) installPackages("strace");
  const pids = [0, 1].map((index) => context.stage.tollgate.gatewayPid(index)).filter((pid) => pid !== null);
  const inject = `inject=fdatasync:delay_enter=${SYNC_DELAY_MICROSECONDS}`;
  const args = [
    "-f",
    "-qq",
    "-o",
    "/dev/null",
    "-e",
    "trace=fdatasync",
    "-e",
    inject,
    ...pids.flatMap((pid) => ["-p", `${pid}`]),
  ];
  const tracer = spawn("strace", args, { stdio: "ignore" });
  tracer.once("error", () => {});
  const forget = undoAtExit(() => tracer.pid !== undefined && signalProcess(tracer.pid, "SIGKILL"));
  await pause(500);
  const attacks = await makeCalls(context);
  tracer.kill("SIGTERM");
  forget();
  return { calls: attacks.map(exactly) };
}

async function makeCalls(context: CaseContext): Promise<readonly Attack[]> {
  const tenant = await context.addTenant();
  const own = script({ hidden: 500, usageDelayMs: 150 });
  const attacks = Array.from({ length: CALLS }, (_, index): Attack => {
    const shape = { nonce: context.nonce(), tenant, model: "mind", isStream: true, scripts: [own] } as const;
    return index % 2 === 0 ? shape : { ...shape, cut: { at: "word", count: 8 } };
  });
  await inBatches(attacks, CALLS, context.attack);
  return attacks;
}

/** Makes calls until one is served. The earlier calls are refused, so they cost nothing. */
async function awaitService(context: CaseContext): Promise<void> {
  const tenant = await context.addTenant();
  const deadline = performance.now() + RECOVERY_LIMIT_MS;
  for (;;) {
    const { status } = await context.attack({ nonce: `${context.nonce()}-probe`, tenant, model: "cheap" });
    if (status === 200) return;
    if (performance.now() > deadline) throw new Error(`still ${status} with space on the disk`);
    await pause(200);
  }
}
