import { waitFor } from "@tollgate/training-testkit/wait-for.ts";
import { expect, test } from "vitest";
import { Coordinator } from "./coordinator.ts";
import { readHistory } from "./read-history.ts";
import { makeFolder, planFor, planOf, runPlan, startTrainer, type Trainer, trainerFor } from "./test-fleet.fixture.ts";

const { signal } = new AbortController();

test("a run resumed with a new config trains with the new config, even for work in progress", async () => {
  const gate = Promise.withResolvers<void>();
  const rates: unknown[] = [];
  const held: Trainer = {
    ...trainerFor(20),
    train: async (parameters, rows, context) => {
      rates.push(context.config.rate);
      await gate.promise;
      return trainerFor(20).train(parameters, rows, context);
    },
  };
  const urls = [await startTrainer(trainerFor(10)), await startTrainer(held)];
  const dir = await makeFolder();
  const interruption = new AbortController();
  const plan = (rate: number) => planOf(urls, { run: { rounds: 1 }, config: { rate } });
  const interrupted = new Coordinator(plan(1), { dir }).run(interruption.signal);
  await waitFor("the second to have begun", () => rates.length === 1);
  interruption.abort();
  await interrupted;
  gate.resolve();
  // The job with the first config is done, and its result is stored under the idempotency key.
  await waitFor("its slot to be free", async () => {
    const response = await fetch(`${urls[1]}/status`);
    return ((await response.json()) as { busy: boolean }).busy === false;
  });
  expect(await new Coordinator(plan(2), { dir }).resume(signal)).toMatchObject({ outcome: "finished" });
  expect(rates).toEqual([1, 2]);
});

test("a server method that replaces another method starts with a new state", async () => {
  const urls = [await startTrainer(trainerFor(10)), await startTrainer(trainerFor(20))];
  const plan = (method: string, rounds: number) => planOf(urls, { run: { rounds }, aggregate: { method } });
  const { dir } = await runPlan(plan("fedavgm", 2));
  expect(await new Coordinator(plan("fedadam", 3), { dir }).resume(signal)).toMatchObject({
    outcome: "finished",
    round: 3,
  });
});

test("a participant that joins on resume appears in the history", async () => {
  const waiting: Trainer = { ...trainerFor(10), train: () => new Promise(() => {}) };
  const urls = [await startTrainer(waiting), await startTrainer(trainerFor(20))];
  const dir = await makeFolder();
  const interruption = new AbortController();
  const interrupted = new Coordinator(planOf(urls), { dir }).run(interruption.signal);
  await waitFor("the first result", async () => (await readHistory(dir))?.rounds[0]?.participants[1]?.train);
  interruption.abort();
  await interrupted;
  const others = await Promise.all([trainerFor(10), trainerFor(30)].map((one) => startTrainer(one)));
  const plan = planOf([others[0] as string, urls[1] as string, others[1] as string], { run: { rounds: 2 } });
  expect(await new Coordinator(plan, { dir }).resume(signal)).toMatchObject({ outcome: "finished" });
  const history = await readHistory(dir);
  expect(history?.participants.map(({ id }) => id)).toEqual(["p1", "p2", "p3"]);
  expect(history?.rounds.map(({ selected }) => selected.length)).toEqual([2, 3]);
  expect(history?.plannedRounds).toBe(2);
});

test("a resumed run does not wait for a participant removed from the plan", async () => {
  const waiting: Trainer = { ...trainerFor(10), train: () => new Promise(() => {}) };
  const urls = [await startTrainer(trainerFor(10)), await startTrainer(trainerFor(20)), await startTrainer(waiting)];
  const dir = await makeFolder();
  const interruption = new AbortController();
  const interrupted = new Coordinator(planOf(urls), { dir }).run(interruption.signal);
  await waitFor("two results", async () =>
    (await readHistory(dir))?.rounds[0]?.participants.slice(0, 2).every(({ train }) => train !== null),
  );
  interruption.abort();
  await interrupted;
  const plan = planOf(urls.slice(0, 2), { run: { rounds: 1 } });
  expect(await new Coordinator(plan, { dir }).resume(signal)).toMatchObject({ outcome: "finished" });
  const failures = (await readHistory(dir))?.rounds[0]?.participants.map(({ failure }) => failure?.reason ?? null);
  expect(failures).toEqual([null, null, "is no longer in the plan"]);
});

test("a run that enables keepBest after its best checkpoint was deleted ends with the last parameters", async () => {
  const drifting: Trainer = { ...trainerFor(0), train: trainerFor(50).train };
  const settings = { checkpoint: { keep: 1, keepBest: false }, stop: { onDecline: "last" } };
  const url = await startTrainer(drifting);
  const { dir } = await runPlan(planOf([url], { run: { rounds: 2 }, ...settings }));
  const outcome = await new Coordinator(planOf([url], { run: { rounds: 2 } }), { dir }).resume(signal);
  expect(outcome).toMatchObject({ outcome: "finished", round: 2 });
});

test("a round that could not be evaluated is not trained again on resume", async () => {
  let trainings = 0;
  let isFixed = false;
  const counting: Trainer = {
    train(...given) {
      trainings += 1;
      return trainerFor(10).train(...given);
    },
    evaluate(...given) {
      if (isFixed) return trainerFor(10).evaluate(...given);
      throw new Error("no test data");
    },
  };
  const { dir, outcome } = await runPlan(await planFor([counting, counting], { run: { rounds: 1 } }));
  expect(outcome).toMatchObject({ outcome: "paused", reason: expect.stringMatching(/measured .*p1: no test data/) });
  isFixed = true;
  // The restarted participants have lost their earlier results.
  const plan = await planFor([counting, counting], { run: { rounds: 1 } });
  expect(await new Coordinator(plan, { dir }).resume(signal)).toMatchObject({ outcome: "finished" });
  expect(trainings).toBe(2);
});

test("a plan whose format does not match the model pauses the run and reports the reason", async () => {
  const url = await startTrainer(trainerFor(10));
  const { dir } = await runPlan(planOf([url], { run: { rounds: 1 } }));
  const plan = planOf([url], { run: { rounds: 2 }, aggregate: { format: "npz" } });
  expect(await new Coordinator(plan, { dir }).resume(signal)).toMatchObject({
    outcome: "paused",
    reason: expect.stringMatching(/^the starting parameters don't match the plan/),
  });
});
