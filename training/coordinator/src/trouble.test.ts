import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { findFreePort } from "@tollgate/training-testkit/free-port.ts";
import { waitFor } from "@tollgate/training-testkit/wait-for.ts";
import { expect, onTestFinished, test } from "vitest";
import { Coordinator } from "./coordinator.ts";
import { readHistory } from "./read-history.ts";
import type { RunEvent } from "./run-events.ts";
import {
  planFor,
  planOf,
  readWeights,
  runPlan,
  startTrainer,
  type Trainer,
  trainerFor,
  writeWeights,
} from "./test-fleet.fixture.ts";

const { signal } = new AbortController();
const crashing: Trainer = {
  ...trainerFor(0),
  train() {
    throw new Error("CUDA out of memory");
  },
};
const failuresOf = (events: readonly RunEvent[], round: number) =>
  Object.fromEntries(
    events.flatMap((event) =>
      event.type === "participant.failed" && event.round === round ? [[event.participant, event.reason]] : [],
    ),
  );

test("a run finishes despite a late result, a crash, and invalid parameters, and names the failed participants", async () => {
  let isCancelled = false;
  const slow: Trainer = {
    ...trainerFor(0),
    train: (_parameters, _rows, context) =>
      new Promise((resolve) => {
        context.signal.addEventListener("abort", () => {
          isCancelled = true;
          resolve(writeWeights([0, 0, 0, 0]));
        });
      }),
  };
  const garbage: Trainer = { ...trainerFor(0), train: () => Buffer.from("not parameters at all") };
  const plan = await planFor([trainerFor(10), slow, crashing, garbage, trainerFor(30)], {
    run: { rounds: 1 },
    round: { quorum: 0.4, graceAfterQuorum: "200ms" },
  });
  const { outcome, events } = await runPlan(plan);
  expect(outcome).toMatchObject({ outcome: "finished", round: 1 });
  expect(failuresOf(events, 1)).toEqual({
    p2: "late: no result within 200 ms after the quorum",
    p3: expect.stringContaining("CUDA out of memory"),
    p4: expect.stringMatching(/^invalid parameters: /),
  });
  expect(events.find((event) => event.type === "training.closed")).toMatchObject({
    members: [{ participant: "p1" }, { participant: "p5" }],
    late: ["p2"],
  });
  await waitFor("the late job to be cancelled", () => isCancelled);
});

test("a participant is quarantined after three failed rounds in a row, and retried every fifth round", async () => {
  let calls = 0;
  const recovering: Trainer = {
    ...trainerFor(10),
    train(parameters, rows, context) {
      calls += 1;
      if ((context.round ?? 0) < 8) throw new Error("not yet");
      return trainerFor(10).train(parameters, rows, context);
    },
  };
  const plan = await planFor([trainerFor(10), trainerFor(20), recovering], { run: { rounds: 9 } });
  const { dir, events } = await runPlan(plan);
  const asked = events.flatMap((event) =>
    event.type === "round.started" && event.selected.includes("p3") ? [event.round] : [],
  );
  expect(asked).toEqual([1, 2, 3, 8, 9]);
  expect(calls).toBe(5);
  const last = events.filter((event) => event.type === "participant.failed").at(-1);
  expect(last).toMatchObject({ round: 3, participant: "p3", quarantined: true });
  const history = await readHistory(dir);
  expect(history?.rounds[4]?.participants.find(({ id }) => id === "p3")?.state).toBe("quarantined");
  expect(history?.participants.find(({ id }) => id === "p3")?.quarantined).toBe(false);
});

test("reports an unreachable participant, and the run continues without it", async () => {
  const gone = `http://127.0.0.1:${await findFreePort()}`;
  const urls = [await startTrainer(trainerFor(10)), gone, await startTrainer(trainerFor(20))];
  const { outcome, events } = await runPlan(planOf(urls, { run: { rounds: 1 } }));
  expect(outcome).toMatchObject({ outcome: "finished" });
  expect(failuresOf(events, 1)).toEqual({ p2: "not reachable: connection refused" });
  const described = await runPlan(planOf(urls, { run: { rounds: 1 } }), {
    describeFailure: (id) => (id === "p2" ? "ended by SIGKILL" : null),
  });
  expect(failuresOf(described.events, 1)).toEqual({ p2: "ended by SIGKILL" });
});

test("retries temporary failures under the same idempotency key, and does not retry permanent failures", async () => {
  const keys: string[] = [];
  const answers = [503, 429, 200];
  const server = createServer((request, response) => {
    if (request.url === "/status") return response.writeHead(404).end();
    keys.push(String(request.headers["idempotency-key"]));
    request.resume().on("end", () => {
      const status = answers.shift() ?? 400;
      response.writeHead(status, { "content-type": "application/json" });
      const parameters = Buffer.from(writeWeights([1, 2, 3, 4])).toString("base64");
      response.end(JSON.stringify(status === 200 ? { parameters } : { error: "no", code: "X" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const plan = planOf([url], {
    run: { rounds: 1 },
    evaluate: { every: 0 },
    retry: { attempts: 3, backoff: "1ms..5ms" },
  });
  expect((await runPlan(plan, { runId: "tr_x" })).outcome).toMatchObject({ outcome: "finished" });
  expect(keys).toEqual(["tr_x:1:p1", "tr_x:1:p1", "tr_x:1:p1"]);
  keys.length = 0;
  // A 400 is final, and the round is retried once as a whole.
  expect((await runPlan(plan, { runId: "tr_y" })).outcome).toMatchObject({ outcome: "paused" });
  expect(keys).toEqual(["tr_y:1:p1", "tr_y:1:p1"]);
});

test("a run without enough participants pauses, and continues once enough are available", async () => {
  const port = await findFreePort();
  const urls = [await startTrainer(trainerFor(10)), `http://127.0.0.1:${port}`];
  const { dir, outcome } = await runPlan(planOf(urls, { run: { rounds: 1 } }));
  expect(outcome).toMatchObject({ outcome: "paused", round: 1, reason: expect.stringMatching(/^1 of 2 .*p2: /) });
  expect((await readHistory(dir))?.state).toBe("paused");
  // The participant is available again at another URL, which the resumed plan contains.
  const fixed = planOf([urls[0] as string, await startTrainer(trainerFor(20))], { run: { rounds: 1 } });
  expect(await new Coordinator(fixed, { dir }).resume(signal)).toMatchObject({ outcome: "finished" });
});

test("a round without a quorum is retried once, and then the run pauses and stores its results", async () => {
  let trainings = 0;
  let isFixed = false;
  const well: Trainer = {
    ...trainerFor(10),
    train(...given) {
      trainings += 1;
      return trainerFor(10).train(...given);
    },
  };
  const flaky: Trainer = {
    ...trainerFor(20),
    train(...given) {
      if (isFixed) return trainerFor(20).train(...given);
      throw new Error("disk full");
    },
  };
  const plan = await planFor([well, flaky], { run: { rounds: 1 } });
  const { dir, outcome, events } = await runPlan(plan);
  expect(outcome).toMatchObject({
    outcome: "paused",
    reason: expect.stringMatching(/^1 of 2 required results .*p2: .*disk full/),
  });
  expect(events.filter((event) => event.type === "round.failed").map(({ retrying }) => retrying)).toEqual([
    true,
    false,
  ]);
  isFixed = true;
  expect(await new Coordinator(plan, { dir }).resume(signal)).toMatchObject({ outcome: "finished" });
  expect(trainings).toBe(1);
});

test("non-finite numbers never reach the model", async () => {
  const poisoned: Trainer = { ...trainerFor(0), train: () => writeWeights([1, Number.NaN, 3, 4]) };
  const { events } = await runPlan(await planFor([trainerFor(10), poisoned, trainerFor(20)], { run: { rounds: 1 } }));
  expect(failuresOf(events, 1)).toEqual({ p2: expect.stringMatching(/invalid parameters: .*non-finite/) });
});

test("without a template, the majority's parameter shapes are expected", async () => {
  const other: Trainer = { ...trainerFor(0), train: () => writeWeights([1, 2]) };
  const { dir, events } = await runPlan(await planFor([other, trainerFor(10), trainerFor(20)], { run: { rounds: 2 } }));
  expect(failuresOf(events, 1)).toEqual({ p1: "its parameters differ in name, shape, or type from the majority" });
  expect(failuresOf(events, 2)).toEqual({
    p1: expect.stringMatching(/invalid parameters: .*\[2\] instead of F32 \[4\]/),
  });
  expect((await readHistory(dir))?.state).toBe("finished");
});

test("text from a participant reaches the events without control characters", async () => {
  const hostile: Trainer = {
    ...trainerFor(0),
    train() {
      throw new Error(`\u001b[2Jgone\u0007 ${"x".repeat(10_000)}`);
    },
  };
  const { events } = await runPlan(await planFor([trainerFor(1), trainerFor(2), hostile], { run: { rounds: 1 } }));
  const reason = failuresOf(events, 1).p3 as string;
  expect(reason).not.toMatch(/\p{Cc}/u);
  expect(reason.length).toBeLessThanOrEqual(300);
});

test("participants can aggregate instead of the coordinator, and their results must match byte for byte", async () => {
  const mean: Trainer["aggregate"] = (list) => {
    const sets = list.map(readWeights);
    return writeWeights(
      sets[0]?.map((_, at) => sets.reduce((sum, set) => sum + (set[at] ?? 0), 0) / sets.length) ?? [],
    );
  };
  const first: Trainer["aggregate"] = ([one]) => one as Uint8Array;
  const trainers = [trainerFor(10), trainerFor(20)];
  const conduct = async (aggregators: readonly Trainer["aggregate"][], verify: number) => {
    const urls = await Promise.all(
      [...trainers, ...aggregators.map((aggregate) => ({ aggregate }))].map((one) => startTrainer(one)),
    );
    const participants = urls.map((url, index) => ({
      id: `p${index + 1}`,
      url,
      roles: index < 2 ? ["train"] : ["aggregate"],
    }));
    const settings = {
      participants,
      run: { rounds: 1 },
      aggregate: { by: "participant", verify, format: "safetensors" },
    };
    return runPlan(planOf([], settings));
  };
  const agreed = await conduct([mean, mean], 2);
  expect(agreed.outcome).toMatchObject({ outcome: "finished" });
  expect(agreed.events.find((event) => event.type === "aggregated")).toMatchObject({ by: "p3, p4" });
  const disagreed = await conduct([mean, first], 2);
  expect(disagreed.outcome).toMatchObject({
    outcome: "failed",
    reason: "p3 and p4 aggregated the same results into different parameters",
  });
});

test("a participant still queued when the quorum is reached is skipped without a failure", async () => {
  const patient: Trainer = {
    ...trainerFor(10),
    train: (_parameters, _rows, { signal: cancelled }) =>
      new Promise((_resolve, reject) => {
        cancelled.addEventListener("abort", () => reject(new Error("cancelled")));
      }),
  };
  const plan = await planFor([trainerFor(10), patient, trainerFor(20)], {
    run: { rounds: 1 },
    round: { minTrain: 1, quorum: 0.3, graceAfterQuorum: "50ms", maxConcurrent: 1 },
  });
  const { dir, events } = await runPlan(plan);
  expect(failuresOf(events, 1)).toEqual({ p2: "late: no result within 50 ms after the quorum" });
  const states = (await readHistory(dir))?.rounds[0]?.participants.map(({ id, state }) => `${id} ${state}`);
  expect(states).toEqual(["p1 evaluated", "p2 late", "p3 evaluated"]);
  expect(events.find((event) => event.type === "training.closed")).toMatchObject({ members: [{ participant: "p1" }] });
});

test("the only evaluator is called even if it was late in training", async () => {
  const late: Trainer = {
    ...trainerFor(10),
    train: (_parameters, _rows, { signal: cancelled }) =>
      new Promise((_resolve, reject) => {
        cancelled.addEventListener("abort", () => reject(new Error("cancelled")));
      }),
  };
  const plan = await planFor([trainerFor(10), trainerFor(20), late], {
    run: { rounds: 1 },
    round: { minTrain: 2, quorum: 0.6, graceAfterQuorum: "200ms" },
    evaluate: { on: ["p3"] },
  });
  const { outcome, events } = await runPlan(plan);
  expect(outcome).toMatchObject({ outcome: "finished" });
  expect(events.find((event) => event.type === "evaluated")).toMatchObject({ evaluators: 1 });
});

test("the gate compares with the last evaluated round, including for negative scores", async () => {
  // Language models return their negative loss.
  const losses: Record<number, number> = { 2: -1, 4: -1.4, 6: -3 };
  const model: Trainer = { ...trainerFor(10), evaluate: (_parameters, _rows, { round }) => losses[round ?? 0] ?? 0 };
  const plan = await planFor([model], { run: { rounds: 6 }, evaluate: { every: 2, gate: 0.5 } });
  const { events, dir } = await runPlan(plan);
  const states = (await readHistory(dir))?.rounds.map(({ state }) => state);
  expect(states).toEqual(["committed", "committed", "committed", "committed", "committed", "rejected"]);
  expect(events.find((event) => event.type === "round.rejected")?.reason).toMatch(/from -1.4 to -3/);
});

test("a quarantined participant is retried early if a round needs it", async () => {
  const recovering: Trainer = {
    ...trainerFor(30),
    train(parameters, rows, context) {
      if ((context.round ?? 0) < 4) throw new Error("not yet");
      return trainerFor(30).train(parameters, rows, context);
    },
  };
  const [first, second, third] = await Promise.all(
    [trainerFor(10), trainerFor(20), recovering].map((one) => startTrainer(one)),
  );
  const { dir } = await runPlan(planOf([first, second, third] as string[], { run: { rounds: 4 } }));
  // Now the second participant is permanently unavailable, long before the third participant is probed again.
  const gone = `http://127.0.0.1:${await findFreePort()}`;
  const plan = planOf([first, gone, third] as string[], { run: { rounds: 5 } });
  expect(await new Coordinator(plan, { dir }).resume(signal)).toMatchObject({ outcome: "finished", round: 5 });
  const history = await readHistory(dir);
  expect(history?.rounds.map(({ selected }) => selected.join(" "))).toEqual([
    "p1 p2 p3",
    "p1 p2 p3",
    "p1 p2 p3",
    "p1 p2",
    "p1 p3",
  ]);
});

test("a participant that fails training but is the only aggregator and evaluator keeps those roles", async () => {
  const urls = await Promise.all([trainerFor(10), trainerFor(20), crashing].map((one) => startTrainer(one)));
  const participants = urls.map((url, index) => ({
    id: `p${index + 1}`,
    url,
    roles: index < 2 ? ["train"] : ["train", "evaluate", "aggregate"],
  }));
  const settings = { participants, run: { rounds: 5 }, aggregate: { by: "participant" } };
  expect((await runPlan(planOf([], settings))).outcome).toMatchObject({ outcome: "finished", round: 5 });
});
