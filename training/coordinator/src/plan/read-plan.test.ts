import { expect, test } from "vitest";
import { PlanError } from "./plan-error.ts";
import { readPlan } from "./read-plan.ts";

const EXAMPLE = `
run: { name: fraud-v3, rounds: 20, seed: 7, dir: ./runs/fraud-v3 }
participants:
  - { id: bank-a, url: https://a.example:5000, tokenEnv: BANK_A_TOKEN, roles: [train, evaluate] }
  - { id: bank-b, url: https://b.example:5000, tokenEnv: BANK_B_TOKEN }
  - { id: hub,    url: http://127.0.0.1:5001, roles: [aggregate, evaluate] }
round: { sample: 1.0, minTrain: 2, quorum: 0.6, trainTimeout: 30m, graceAfterQuorum: 60s, maxConcurrent: 8 }
retry: { attempts: 3, backoff: 2s..60s }
aggregate: { by: coordinator, method: fedavg, weights: num_examples, format: safetensors }
evaluate: { every: 1, on: all, aggregate: weighted_mean }
stop: { metric: accuracy, patience: 5, minDelta: 0.001, target: 0.97, onDecline: keep }
checkpoint: { every: 1, keep: 5, keepBest: true }
`;

const trainers = (count: number) =>
  Array.from({ length: count }, (_, index) => `  - { id: p${index}, url: http://127.0.0.1:${5000 + index} }`).join(
    "\n",
  );
const withTrainers = (count: number, rest: string) => `participants:\n${trainers(count)}\n${rest}`;
const read = (text: string) => readPlan(text, { folder: "/plans" });

function problemsOf(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof PlanError) return error.message.split("\n");
    throw error;
  }
  return [];
}

test("the example in the contract is a valid plan", () => {
  expect(read(EXAMPLE)).toMatchObject({
    run: { name: "fraud-v3", rounds: 20, seed: 7, dir: "/plans/runs/fraud-v3", initial: null },
    participants: [
      { id: "bank-a", tokenEnv: "BANK_A_TOKEN", roles: ["train", "evaluate"] },
      { id: "bank-b", roles: ["train", "evaluate"], dataset: null },
      { id: "hub", roles: ["evaluate", "aggregate"] },
    ],
    round: { trainTimeoutMs: 1_800_000, graceAfterQuorumMs: 60_000 },
    retry: { attempts: 3, backoffMinMs: 2000, backoffMaxMs: 60_000 },
    aggregate: { method: { name: "fedavg" }, maxShare: 0.5 },
    stop: { patience: 5, minDelta: 0.001, target: 0.97, onDecline: "keep" },
  });
});

test("a plan that contains only participants gets every default", () => {
  const plan = read(withTrainers(3, ""));
  expect(plan).toMatchObject({
    run: { rounds: 10, seed: 0, dir: null },
    round: { sample: 1, minTrain: 2, quorum: 0.6, trainTimeoutMs: 1_800_000, maxConcurrent: 8 },
    aggregate: { by: "coordinator", format: "auto", verify: 1 },
    evaluate: { every: 1, on: "all", gate: null },
    stop: { metric: "accuracy", patience: null, target: null },
    checkpoint: { every: 1, keep: 5, keepBest: true },
    config: {},
  });
});

test("reports all problems together, each with its path and a fix", () => {
  const problems = problemsOf(`
run: { rounds: 0, sede: 7 }
participants:
  - { id: a, url: ftp://a.example }
  - { id: a, url: http://b.example:5000 }
  - { id: "../c", url: https://u:p@c.example, roles: [vote] }
round: { trainTimeout: 30, quorum: 2 }
retry: { backoff: 60s..2s }
`);
  expect(problems).toEqual([
    "participants[0].url: must be an http or https URL. Write https://host:5000.",
    "participants[1].url: uses plain HTTP to another machine, which exposes the token and parameters on the network. Use https, or write insecure: true on this participant.",
    "participants[2].id: must be 1 to 64 letters, digits, dots, dashes, or underscores. Write id as 1 to 64 letters, digits, dots, dashes, or underscores.",
    "participants[2].roles: must be a list of train, evaluate, and aggregate. Write roles: [train, evaluate].",
    "participants[2].url: must not contain a user, password, query, or fragment. Set tokenEnv to the environment variable that holds the token.",
    "participants[1].id: a is listed twice. Use a unique ID for each participant.",
    "run.rounds: must be a number from 1 to 100000. Write rounds: 10, the default.",
    "run.sede: is not a supported key. Supported keys: dir, initial, name, rounds, seed.",
    "round.quorum: must be a number from 0 to 1. Write quorum: 0.6, the default.",
    "round.trainTimeout: must be a duration. Write a number and a unit, such as 500ms, 60s, 30m, or 1h.",
    "retry.backoff: must be a range of durations. Write the shorter duration first: 2s..60s.",
  ]);
});

test("accepts plain HTTP to another machine if the plan sets insecure", () => {
  expect(
    read("participants: [{ id: a, url: 'http://b.example:5000', insecure: true }]").participants[0]?.insecure,
  ).toBe(true);
});

test("rejects, before the first round, a method that the participants cannot satisfy", () => {
  const method = (count: number, text: string) => problemsOf(withTrainers(count, `aggregate: { method: ${text} }`));
  expect(method(4, "krum(1)")).toEqual([
    "round.minTrain: is 5, as the method requires, but only 4 can train. Add participants, or choose another method or a lower number.",
  ]);
  expect(method(5, "krum(1)")).toEqual([]);
  expect(method(2, "median")[0]).toMatch(/minTrain: is 3, as the method requires, but only 2/);
  expect(method(9, "trimmed_mean(0.5)")[0]).toMatch(
    /aggregate.method: trimmed_mean requires a share between 0 and 0.5/,
  );
  expect(method(9, '"multi_krum(1, 9)"')[0]).toMatch(/minTrain: is 10, as the method requires, but only 9/);
  expect(method(9, "mean")[0]).toMatch(/Unknown aggregation method "mean"/);
  expect(method(9, "trimmed_mean")[0]).toMatch(/trimmed_mean requires a number for beta/);
  expect(method(9, "norm_clip(5)")[0]).toMatch(/round 1 has none. Set run.initial to a file with initial parameters/);
});

test("rejects a minTrain lower than the method requires", () => {
  const rest = "aggregate: { method: krum(1) }\nround: { minTrain: 3 }";
  expect(problemsOf(withTrainers(6, rest))).toEqual([
    "round.minTrain: is 3, but the aggregation method requires 5 results. Write minTrain: 5, or choose another method.",
  ]);
});

test("a method's numbers can be inside the method text or in separate fields", () => {
  const method = (text: string) => read(withTrainers(7, `aggregate: { ${text} }`)).aggregate.method;
  expect(method('method: "multi_krum(1, 3)"')).toEqual({ name: "multi_krum", f: 1, m: 3 });
  expect(method("method: multi_krum, f: 1, m: 3")).toEqual({ name: "multi_krum", f: 1, m: 3 });
  expect(method("method: trimmed_mean, beta: 0.2")).toEqual({ name: "trimmed_mean", beta: 0.2 });
});

test("aggregation by participants needs one participant with the aggregate role, and verification needs two", () => {
  expect(problemsOf(withTrainers(2, "aggregate: { by: participant }"))[0]).toMatch(
    /a participant with the aggregate role, but there is none/,
  );
  const one = `  - { id: hub, url: http://127.0.0.1:6000, roles: [aggregate] }\naggregate: { by: participant, verify: 2 }`;
  expect(problemsOf(withTrainers(2, one))[0]).toMatch(
    /requires two participants with the aggregate role, but there is one/,
  );
  expect(problemsOf(withTrainers(2, "aggregate: { format: opaque }"))[0]).toMatch(/cannot average/);
});

test("a metric other than accuracy requires a goal", () => {
  expect(problemsOf(withTrainers(2, "stop: { metric: loss }"))).toEqual([
    "stop.goal: is required for the metric loss. Write goal: min if lower is better, otherwise goal: max.",
  ]);
});

test("a dataset is rows or a registered name, never a path or a URL", () => {
  const dataset = (text: string) =>
    problemsOf(`participants: [{ id: a, url: "http://127.0.0.1:1", dataset: ${text} }]`);
  expect(dataset("{ ref: fraud-2024, split: train, limit: 1000 }")).toEqual([]);
  expect(dataset("[{ x: 1 }, { x: 2 }]")).toEqual([]);
  for (const ref of ["../secrets", "file:///etc/passwd", "http://10.0.0.1/"]) {
    expect(dataset(`{ ref: "${ref}" }`)[0]).toMatch(/dataset.ref: must be a registered name/);
  }
  expect(dataset("[1, 2]")[0]).toMatch(/rows that are not mappings/);
});

test("rejects invalid YAML and reports the position of the error", () => {
  expect(problemsOf("run: { rounds: 3\nparticipants: [")[0]).toMatch(/is not valid YAML: .*line/);
});
