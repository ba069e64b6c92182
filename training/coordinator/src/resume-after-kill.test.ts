import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { TrainFn } from "@tollgate/participant/handlers.ts";
import { expect, test } from "vitest";
import { readJournal } from "./journal/journal.ts";
import { makeFolder, planFor, type Trainer, trainerFor } from "./test-fleet.fixture.ts";

const PROGRAM = join(import.meta.dirname, "killed-coordinator.fixture.ts");
const MAX_KILLS = 200;
const SLOW_MS = 30;

type Child = ChildProcessByStdio<Writable, null, null>;

interface Conducted {
  readonly kills: number;
  readonly final: Buffer;
  readonly steps: number;
}

// If each process were killed before its first step, the run would never progress. Therefore, in the "before" case,
// each process completes one step first.
test.for([
  { moment: "after", step: 1, method: "fedavg" },
  { moment: "before", step: 2, method: "fedadam(0.1)" },
])(
  "a run killed $moment every journal step with $method ends with the same bytes as an undisturbed run",
  async ({ moment, step, method }) => {
    const trainings = new Map<string, number>();
    const plan = await planFor(troubledFleet(trainings), {
      run: { rounds: 2, seed: 7 },
      aggregate: { method },
      round: { minTrain: 2, quorum: 0.6, graceAfterQuorum: "10s" },
    });
    const undisturbed = await conduct(plan, "never", 0);
    expect(undisturbed.kills).toBe(0);
    const disturbed = await conduct(plan, moment, step);
    expect(disturbed.final.equals(undisturbed.final)).toBe(true);
    expect(disturbed.steps).toBe(undisturbed.steps);
    // Nearly every step is followed or preceded by its own kill. Results that arrive together share a sync and
    // therefore a kill.
    expect(disturbed.kills).toBeGreaterThan(disturbed.steps / 2);
    // Finished work was fetched by its idempotency key and never repeated.
    expect([...trainings.values()].every((count) => count === 1)).toBe(true);
    expect(trainings.size).toBe(2 * 2 * 3);
  },
);

/**
 * Creates a slow participant, a participant that crashes, a participant that returns garbage, and two healthy
 * participants.
 */
function troubledFleet(trainings: Map<string, number>): Trainer[] {
  const counted = (name: string, trainer: Required<Trainer>, waitMs = 0): Trainer => {
    const train: TrainFn = async (parameters, rows, context) => {
      const key = `${context.runId} ${context.round} ${name}`;
      trainings.set(key, (trainings.get(key) ?? 0) + 1);
      await pause(waitMs);
      return trainer.train(parameters, rows, context);
    };
    return { ...trainer, train };
  };
  const crashing: TrainFn = () => {
    throw new Error("out of memory");
  };
  return [
    counted("well", trainerFor(10, 30)),
    { ...trainerFor(20), train: crashing },
    counted("slow", trainerFor(30, 20), SLOW_MS),
    { ...trainerFor(40), train: () => Buffer.from("garbage") },
    counted("also well", trainerFor(50.1, 10)),
  ];
}

/** Starts coordinators on one folder, each after the previous one was killed, until one finishes. */
async function conduct(plan: object, moment: string, step: number): Promise<Conducted> {
  const dir = await makeFolder();
  const planFile = join(await makeFolder(), "plan.json");
  await writeFile(planFile, JSON.stringify(plan));
  // A short process spends half of its time loading code, so reuse the compile cache of the undisturbed run.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "coordinator-test-compiled") };
  const start = (): Child =>
    spawn(process.execPath, [PROGRAM, planFile, dir, moment, String(step)], {
      stdio: ["pipe", "inherit", "inherit"],
      env,
    });
  // Start the next process early, so that it loads its code while the current process works.
  let next = start();
  try {
    for (let kills = 0; kills < MAX_KILLS; kills += 1) {
      const child = next;
      next = start();
      child.stdin.end("go");
      const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
      if (signal === "SIGKILL") continue;
      if (code !== 0) throw new Error(`a coordinator ended with ${code}`);
      const final = await readFile(join(dir, "final.safetensors"));
      return { kills, final, steps: (await readJournal(dir)).length };
    }
    throw new Error(`not finished after ${MAX_KILLS} kills`);
  } finally {
    next.kill();
  }
}
