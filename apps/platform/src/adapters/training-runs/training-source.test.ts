import { appendFile, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Journal } from "@tollgate/coordinator/journal/journal.ts";
import type { JournalFact } from "@tollgate/coordinator/journal/journal-entry.ts";
import { lockRun } from "@tollgate/coordinator/journal/run-lock.ts";
import { describe, expect, test as plain } from "vitest";
import { createTrainingSource } from "./create-training-source.ts";

const test = plain
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the required fixtures from the pattern.
  .extend("folder", async ({}, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), "training-source-"));
    onCleanup(() => rm(folder, { recursive: true, force: true }));
    return folder;
  })
  .extend("runs", async ({ folder }) => {
    const runs = join(folder, "runs");
    await mkdir(runs);
    return runs;
  });

const participants = ["a", "b", "c"].map((id) => ({ id, url: `https://who:canary@${id}.example`, roles: ["train"] }));
const plan = { name: "digits", rounds: 3, method: "fedavg", metric: "accuracy", participants };

const result = (participant: string, durationMs: number): JournalFact => ({
  type: "result.received",
  round: 1,
  participant,
  sha256: "00",
  byteLength: 4_096,
  weight: 1,
  numExamples: 10,
  metrics: { loss: 0.5 },
  durationMs,
  attempts: 1,
  updateNorm: 1,
});

const firstRound: readonly JournalFact[] = [
  { type: "run.started", run: "tr_1", plan, initial: null },
  {
    type: "round.started",
    round: 1,
    attempt: 1,
    base: null,
    state: null,
    selected: ["a", "b", "c"],
    quorum: 2,
    quarantined: [],
  },
  result("a", 100),
  result("b", 110),
  result("c", 900),
];

const evaluated: readonly JournalFact[] = [
  {
    type: "evaluated",
    round: 1,
    asked: 3,
    results: [],
    accuracy: 0.8,
    min: 0.7,
    max: 0.9,
    metrics: { loss: 0.4 },
    score: 0.8,
  },
  { type: "committed", round: 1, sha256: "00", state: null, score: 0.8, best: true, durationMs: 1_000 },
];

async function write(runs: string, id: string, facts: readonly JournalFact[]): Promise<string> {
  const dir = join(runs, id);
  await mkdir(dir, { recursive: true });
  const { journal } = await Journal.open(dir, { now: () => new Date() });
  for (const fact of facts) await journal.append(fact);
  await journal.close();
  return dir;
}

test("lists runs newest first and reads them while they are being written", async ({ runs }) => {
  const source = createTrainingSource(() => runs);
  await write(runs, "older", firstRound);
  const dir = await write(runs, "newer", firstRound);
  expect((await source.list())?.map(({ id, status }) => [id, status])).toEqual([
    ["newer", "interrupted"],
    ["older", "interrupted"],
  ]);
  const release = await lockRun(dir);
  expect(await source.find("newer")).toMatchObject({ status: "running", roundsDone: 0, roundsTotal: 3 });
  await write(runs, "newer", evaluated);
  // A partially written line is ignored.
  await appendFile(join(dir, "journal.jsonl"), '{"seq":7,"at":"20');
  expect(await source.find("newer")).toMatchObject({ status: "running", roundsDone: 1, lastAccuracy: 0.8 });
  await release();
  expect((await source.find("newer"))?.status).toBe("interrupted");
});

test("a run reports its rounds, slow participants, and parameter size", async ({ runs }) => {
  await write(runs, "tr_1", [...firstRound, ...evaluated]);
  const run = await createTrainingSource(() => runs).find("tr_1");
  expect(run).toMatchObject({ name: "digits", method: "fedavg", participants: 3, parameterBytes: 4_096 });
  expect(run?.rounds[0]).toMatchObject({ round: 1, state: "committed", accuracy: 0.8, min: 0.7, max: 0.9, loss: 0.4 });
  const slow = run?.rounds[0]?.participants.map((participant) => [participant.id, participant.slow]);
  expect(slow).toEqual([
    ["a", false],
    ["b", false],
    ["c", true],
  ]);
  expect(JSON.stringify(run)).not.toContain("canary");
});

test("serves only listed files, and no file contains a participant's URL", async ({ runs }) => {
  const dir = await write(runs, "tr_1", [...firstRound, ...evaluated]);
  await writeFile(join(dir, "final.safetensors"), "weights");
  const source = createTrainingSource(() => runs);
  const names = (await source.find("tr_1"))?.files.map(({ name }) => name);
  expect(names).toEqual(["history.csv", "history.json", "accuracy.svg", "final.safetensors"]);
  const read = async (name: string) => {
    const file = await source.open("tr_1", name);
    if (file === null) return null;
    const { content } = file;
    return typeof content === "string" ? content : Buffer.concat(await Array.fromAsync(content)).toString();
  };
  expect(await read("final.safetensors")).toBe("weights");
  expect(await read("history.csv")).toMatch(/^round,participant/);
  expect(await read("accuracy.svg")).toContain("<svg");
  const history = (await read("history.json")) as string;
  expect(JSON.parse(history)).toMatchObject({ run: "tr_1" });
  expect(history).not.toContain("canary");
  for (const name of ["journal.jsonl", "plan.json", "lock", "../secret", "final.b64", "constructor"]) {
    expect(await read(name), name).toBeNull();
  }
});

describe("files outside the folder", () => {
  test("can't be read through path traversal or symbolic links", async ({ folder, runs }) => {
    const outside = await write(folder, "outside", firstRound);
    await writeFile(join(folder, "secret"), "canary");
    await symlink(outside, join(runs, "linked"));
    const dir = await write(runs, "tr_1", firstRound);
    await symlink(join(folder, "secret"), join(dir, "final.bin"));
    await mkdir(join(runs, "tr_2"));
    await symlink(join(outside, "journal.jsonl"), join(runs, "tr_2", "journal.jsonl"));
    const source = createTrainingSource(() => runs);
    for (const id of ["linked", "tr_2", "../outside", "..", ".", "", "a/b", "%2e%2e"]) {
      expect(await source.find(id), id).toBeNull();
    }
    expect((await source.list())?.map(({ id }) => id)).toEqual(["tr_1"]);
    expect(await source.open("tr_1", "final.bin")).toBeNull();
    expect((await source.find("tr_1"))?.files.map(({ name }) => name)).not.toContain("final.bin");
  });
});

test("a damaged or oversized journal is reported as unreadable and does not affect other runs", async ({ runs }) => {
  await write(runs, "good", firstRound);
  const bad = await write(runs, "bad", firstRound);
  await writeFile(join(bad, "journal.jsonl"), "nothing\nlike\nit\n");
  const large = await write(runs, "large", firstRound);
  await truncate(join(large, "journal.jsonl"), 65 * 1024 * 1024);
  const listed = await createTrainingSource(() => runs).list();
  const statuses = Object.fromEntries((listed ?? []).map(({ id, status }) => [id, status]));
  expect(statuses).toEqual({ good: "interrupted", bad: "unreadable", large: "unreadable" });
});

test("training is disabled without a configured folder, and a missing folder counts as empty", async ({ folder }) => {
  expect(await createTrainingSource(() => null).list()).toBeNull();
  expect(await createTrainingSource(() => null).find("x")).toBeNull();
  expect(await createTrainingSource(() => join(folder, "later")).list()).toEqual([]);
});
