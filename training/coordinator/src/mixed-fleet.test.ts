import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fedAvgAggregate } from "@tollgate/participant/aggregation/fed-avg-aggregate.ts";
import { expect, onTestFinished, test } from "vitest";
import { readHistory } from "./read-history.ts";
import { planOf, runPlan, startTrainer, trainerFor } from "./test-fleet.fixture.ts";

const PROGRAM = join(import.meta.dirname, "mixed-fleet.fixture.py");
const SDK = join(import.meta.dirname, "../../participant-python/src");

test("Python and TypeScript participants train one model, and their aggregates have the same bytes", async () => {
  const python = await startPython(0.3);
  const typescript = await startTrainer({ ...trainerFor(0.1, 3), aggregate: fedAvgAggregate({ format: "auto" }) });
  const third = await startTrainer(trainerFor(0.7, 5));
  const roles = ["train", "evaluate", "aggregate"];
  const participants = [
    { id: "python", url: python, roles },
    { id: "typescript", url: typescript, roles },
    { id: "third", url: third },
  ];
  const there = { by: "participant", verify: 2, format: "safetensors" };
  const settings = { participants, run: { rounds: 4 }, aggregate: { ...there, maxShare: 1 } };
  const agreed = await runPlan(planOf([], settings));
  // If the two aggregators had returned different results, the round would have failed.
  expect(agreed.outcome).toMatchObject({ outcome: "finished", round: 4 });
  const history = await readHistory(agreed.dir);
  expect(history?.rounds.map(({ aggregatedBy }) => aggregatedBy)).toEqual(Array(4).fill("python, typescript"));
  expect(history?.rounds.flatMap(({ participants: all }) => all.map(({ failure }) => failure))).toEqual(
    Array(12).fill(null),
  );

  const here = await runPlan(planOf([], { ...settings, aggregate: { maxShare: 1 } }));
  const finals = await Promise.all([agreed, here].map(({ dir }) => readFile(join(dir, "final.b64"), "latin1")));
  expect(Buffer.from(finals[0] as string, "base64").equals(Buffer.from(finals[1] as string, "base64"))).toBe(true);
});

async function startPython(target: number): Promise<string> {
  const child = spawn("python3", [PROGRAM, String(target)], {
    env: { ...process.env, PYTHONPATH: SDK, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(async () => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, "exit");
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return line.toString().trim();
}
