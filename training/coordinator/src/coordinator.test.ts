import { appendFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { waitFor } from "@tollgate/training-testkit/wait-for.ts";
import { expect, test } from "vitest";
import { Coordinator, WrongFolder } from "./coordinator.ts";
import { readJournal } from "./journal/journal.ts";
import { PlanError } from "./plan/plan-error.ts";
import { readHistory } from "./read-history.ts";
import {
  makeFolder,
  planFor,
  planOf,
  readWeights,
  runPlan,
  startTrainer,
  trainerFor,
  writeWeights,
} from "./test-fleet.fixture.ts";

const { signal } = new AbortController();
const final = async (dir: string) => readWeights(await readFile(join(dir, "final.safetensors")));
const readJson = async (path: string) => JSON.parse(await readFile(path, "utf8"));

test("runs the rounds of a plan and writes the final parameters", async () => {
  const plan = await planFor([trainerFor(10), trainerFor(20), trainerFor(30)]);
  const { dir, outcome, events } = await runPlan(plan);
  expect(outcome).toMatchObject({ outcome: "finished", reason: "rounds", round: 3 });
  // Each round moves halfway to the mean of the targets: 20 · (1 − 1/8) after three rounds.
  expect(await final(dir)).toEqual([17.5, 17.5, 17.5, 17.5]);
  const raw = await readFile(join(dir, "final.safetensors"));
  expect(Buffer.from(await readFile(join(dir, "final.b64"), "latin1"), "base64").equals(raw)).toBe(true);
  expect(events.at(-1)).toMatchObject({ type: "run.finished", firstAccuracy: 0.9, lastAccuracy: 0.925, bestRound: 3 });
  const lines = (await readFile(join(dir, "history.jsonl"), "utf8")).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).accuracy)).toEqual([0.9, expect.closeTo(0.9167, 3), 0.925]);
});

test("the history records training, evaluation, and update size per participant and round", async () => {
  const plan = await planFor([trainerFor(10, 30), trainerFor(20, 10)], { aggregate: { maxShare: 1 } });
  const { dir } = await runPlan(plan);
  const history = await readHistory(dir);
  expect(history).toMatchObject({ state: "finished", reason: "rounds", plannedRounds: 3, best: { round: 3 } });
  expect(history?.rounds[1]).toMatchObject({
    round: 2,
    state: "committed",
    participants: [
      {
        id: "p1",
        state: "evaluated",
        train: {
          numExamples: 30,
          share: 0.75,
          capped: false,
          updateNorm: expect.closeTo(3.75 * 1, 5),
          metrics: { loss: 10 },
        },
        evaluate: { accuracy: expect.any(Number), numExamples: 30 },
        failure: null,
      },
      { id: "p2", train: { numExamples: 10, share: 0.25 } },
    ],
  });
});

test("an inflated example count cannot dominate the model", async () => {
  const plan = await planFor([trainerFor(0), trainerFor(0), trainerFor(100, 1_000_000_000)], { run: { rounds: 1 } });
  const { dir, events } = await runPlan(plan);
  expect((await final(dir))[0]).toBe(25);
  expect(events.find((event) => event.type === "aggregated")).toMatchObject({
    warnings: ["Share capped at 50 %: p3."],
  });
});

test('"weights: equal" computes the plain mean', async () => {
  const plan = await planFor([trainerFor(0, 90), trainerFor(10, 10)], {
    run: { rounds: 1 },
    aggregate: { weights: "equal" },
  });
  expect((await final((await runPlan(plan)).dir))[0]).toBe(2.5);
});

test("the same seed samples the same participants, and a different seed samples different participants", async () => {
  const urls = await Promise.all([1, 2, 3, 4, 5, 6].map((target) => startTrainer(trainerFor(target))));
  const selections = async (seed: number) => {
    const plan = planOf(urls, { run: { rounds: 4, seed }, round: { sample: 0.5 }, evaluate: { every: 0 } });
    const { events } = await runPlan(plan);
    return events.flatMap((event) => (event.type === "round.started" ? [event.selected.join()] : []));
  };
  const first = await selections(7);
  expect(first.map((selected) => selected.split(",").length)).toEqual([3, 3, 3, 3]);
  expect(await selections(7)).toEqual(first);
  expect(await selections(8)).not.toEqual(first);
});

test("a round whose score drops below the gate is rejected, and the previous parameters are restored", async () => {
  const sudden = trainerFor(10);
  const broken = {
    ...sudden,
    train: (...[parameters, rows, context]: Parameters<typeof sudden.train>) =>
      context.round === 2 ? writeWeights([-500, -500, -500, -500]) : sudden.train(parameters, rows, context),
  };
  const plan = await planFor([broken], { evaluate: { gate: 0.1 } });
  const { dir, outcome, events } = await runPlan(plan);
  expect(outcome).toMatchObject({ outcome: "finished", round: 3 });
  expect(events.find((event) => event.type === "round.rejected")).toMatchObject({
    round: 2,
    reason: "accuracy went from 0.95 to -4.1, which exceeds the gate of 0.1",
  });
  expect((await final(dir))[0]).toBe(7.5);
});

test("a run ends when it reaches its target", async () => {
  const plan = await planFor([trainerFor(100)], { run: { rounds: 50 }, stop: { target: 0.9 } });
  const { outcome } = await runPlan(plan);
  expect(outcome).toMatchObject({ outcome: "finished", reason: "target", round: 4 });
});

test("after a decline, the best round's parameters become the final parameters", async () => {
  const drifting = { ...trainerFor(0), train: trainerFor(50).train };
  const settings = { stop: { patience: 2, onDecline: "keep" }, run: { rounds: 50 } };
  const keep = await runPlan(await planFor([drifting], settings));
  expect(keep.outcome).toMatchObject({ outcome: "finished", reason: "patience", round: 3 });
  expect((await final(keep.dir))[0]).toBe(25);
  expect(await readJson(join(keep.dir, "best.json"))).toMatchObject({ round: 1, score: 0.75 });
  const last = await runPlan(await planFor([drifting], { ...settings, stop: { patience: 2, onDecline: "last" } }));
  expect((await final(last.dir))[0]).toBe(43.75);
});

test("a metric where lower is better can be the stop metric", async () => {
  const falling = {
    ...trainerFor(10),
    evaluate: (parameters: Uint8Array | null) => ({
      accuracy: 0,
      metrics: { loss: 10 - (readWeights(parameters)[0] ?? 0) },
    }),
  };
  const plan = await planFor([falling], { run: { rounds: 50 }, stop: { metric: "loss", goal: "min", target: 1 } });
  const { outcome, dir } = await runPlan(plan);
  expect(outcome).toMatchObject({ reason: "target", round: 4 });
  expect((await readHistory(dir))?.rounds.map(({ score }) => score)).toEqual([5, 2.5, 1.25, 0.625]);
});

test("a run deletes all checkpoints except the best and the latest ones that the plan retains", async () => {
  const drifting = { ...trainerFor(0), train: trainerFor(50).train };
  const { dir } = await runPlan(await planFor([drifting], { run: { rounds: 6 }, checkpoint: { keep: 2 } }));
  const blobs = await readdir(join(dir, "blobs"));
  const kept = await Promise.all(blobs.map(async (name) => readWeights(await readFile(join(dir, "blobs", name)))[0]));
  expect(kept.sort()).toEqual([25, 48.4375, 49.21875]);
  expect(await readJson(join(dir, "latest.json"))).toMatchObject({ round: 6, format: "safetensors" });
});

test("round one starts from the plan's initial parameters", async () => {
  const { dir } = await runPlan(await planFor([trainerFor(8)], { run: { rounds: 1 } }));
  const initial = join(dir, "final.safetensors");
  const next = await runPlan(await planFor([trainerFor(8)], { run: { rounds: 1, initial } }));
  expect((await final(next.dir))[0]).toBe(6);
  const missing = await planFor([trainerFor(8)], { run: { rounds: 1, initial: "/nowhere/model" } });
  await expect(runPlan(missing)).rejects.toThrow(/run.initial: could not be used/);
});

test("a new run requires a folder without a run, and a resume requires a folder with a run", async () => {
  const plan = await planFor([trainerFor(8)], { run: { rounds: 1 } });
  const { dir } = await runPlan(plan);
  await expect(new Coordinator(plan, { dir }).run(signal)).rejects.toThrow(WrongFolder);
  const empty = await makeFolder();
  await expect(new Coordinator(plan, { dir: empty }).resume(signal)).rejects.toThrow(/contains no run to resume/);
  expect(await readdir(empty)).toEqual([]);
});

test("a finished run continues if rounds are added to its plan", async () => {
  const url = await startTrainer(trainerFor(8));
  const { dir } = await runPlan(planOf([url], { run: { rounds: 2 } }));
  const outcome = await new Coordinator(planOf([url], { run: { rounds: 3 } }), { dir }).resume(signal);
  expect(outcome).toMatchObject({ outcome: "finished", round: 3 });
  expect((await final(dir))[0]).toBe(7);
  expect((await readHistory(dir))?.rounds.map(({ round }) => round)).toEqual([1, 2, 3]);
});

test("a resumed run fetches work that finished during the interruption instead of repeating it", async () => {
  const gate = Promise.withResolvers<void>();
  let trainings = 0;
  const waiting = {
    ...trainerFor(20),
    train: async (...given: Parameters<ReturnType<typeof trainerFor>["train"]>) => {
      trainings += 1;
      await gate.promise;
      return trainerFor(20).train(...given);
    },
  };
  const plan = await planFor([trainerFor(10), waiting], { run: { rounds: 1 } });
  const dir = await makeFolder();
  const interruption = new AbortController();
  const interrupted = new Coordinator(plan, { dir }).run(interruption.signal);
  await waitFor("both to have begun", async () => {
    const history = await readHistory(dir);
    return trainings === 1 && history?.rounds[0]?.participants[0]?.train;
  });
  interruption.abort();
  expect(await interrupted).toEqual({ outcome: "interrupted", round: 1 });
  gate.resolve();
  expect(await new Coordinator(plan, { dir }).resume(signal)).toMatchObject({ outcome: "finished" });
  expect(trainings).toBe(1);
  expect((await final(dir))[0]).toBe(7.5);
});

test("a stored result with a damaged file is discarded and requested again", async () => {
  let trainings = 0;
  const counting = {
    ...trainerFor(10),
    train: (...given: Parameters<ReturnType<typeof trainerFor>["train"]>) => {
      trainings += 1;
      return trainerFor(10).train(...given);
    },
  };
  const never = { ...trainerFor(20), train: () => new Promise<never>(() => {}) };
  const urls = [await startTrainer(counting), await startTrainer(never)];
  const dir = await makeFolder();
  const interruption = new AbortController();
  const interrupted = new Coordinator(planOf(urls), { dir }).run(interruption.signal);
  const stored = await waitFor("the first result", async () => {
    const entries = await readJournal(dir);
    return entries.find((entry) => entry.type === "result.received");
  });
  interruption.abort();
  await interrupted;
  await appendFile(join(dir, "blobs", stored.sha256), "x");
  // The other participant is healthy again, at a different URL.
  const plan = planOf([urls[0] as string, await startTrainer(trainerFor(20))], { run: { rounds: 1 } });
  expect(await new Coordinator(plan, { dir }).resume(signal)).toMatchObject({ outcome: "finished" });
  expect((await final(dir))[0]).toBe(7.5);
  // The participant had stored its result under the idempotency key.
  expect(trainings).toBe(1);
});

test("tokens come from the environment, and a missing token fails the run before any request is sent", async () => {
  const token = "a-token-of-enough-length";
  const url = await startTrainer(trainerFor(8), token);
  const plan = planOf([], { participants: [{ id: "p1", url, tokenEnv: "P1_TOKEN" }], run: { rounds: 1 } });
  expect((await runPlan(plan, { env: { P1_TOKEN: token } })).outcome).toMatchObject({ outcome: "finished" });
  await expect(runPlan(plan, { env: {} })).rejects.toThrow(PlanError);
  await expect(runPlan(plan, { env: {} })).rejects.toThrow(/the environment variable P1_TOKEN is not set/);
  const { dir, outcome } = await runPlan(plan, { env: { P1_TOKEN: "another-token-of-length" } });
  expect(outcome).toMatchObject({ outcome: "paused", reason: expect.stringMatching(/p1: /) });
  for (const name of ["journal.jsonl", "plan.json"]) {
    expect(await readFile(join(dir, name), "utf8")).not.toContain("another-token");
  }
});
