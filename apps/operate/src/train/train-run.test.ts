import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { afterAll, expect, test } from "vitest";
import { createWorkplace, followEvents, isAlive, type TrainEvent } from "./train.fixture.ts";

const workplace = createWorkplace();
afterAll(() => workplace.remove());

const pidsOf = (events: readonly TrainEvent[]) =>
  events.filter(({ type }) => type === "participant.started").map(({ pid }) => pid as number);

test("two commands in an empty folder train a model in five rounds with three participants, and write a report and a chart", async () => {
  expect(await workplace.run("new", "demo")).toMatchObject({ code: 0 });
  const began = performance.now();
  const { code, stdout, stderr } = await workplace.run("run");
  expect(stderr).toContain("demo/plan.yaml (found in a subdirectory)");
  expect(code).toBe(0);
  expect(performance.now() - began).toBeLessThan(60_000);
  const lines = stdout.split("\n");
  expect(lines[1]).toMatch(/^ {2}run tr_[0-9A-Z]{26} · 3 local participants · 5 rounds · aggregate: mean$/);
  expect(lines[3]).toBe("  round  train      evaluate   accuracy  (min–max)        time");
  for (const round of [1, 2, 3, 4, 5]) {
    expect(lines[3 + round]).toMatch(
      new RegExp(`^  ${round}/5    3/3 ok     3/3 ok     0\\.\\d{3}     0\\.\\d{3}–0\\.\\d{3}      .{8}[▁▂▃▄▅▆▇█]$`),
    );
  }
  const [, first, last] = /^✓ accuracy (\S+) → (\S+) in .* · best round \d$/m.exec(stdout) as unknown as [
    string,
    string,
    string,
  ];
  expect(Number(last)).toBeGreaterThan(Number(first) + 0.1);
  const [run] = readdirSync(join(workplace.folder, "demo/runs")) as [string];
  const dir = join(workplace.folder, "demo/runs", run);
  for (const file of ["history.jsonl", "accuracy.svg", "final.b64", "final.f32", "report.html", "metrics.csv"]) {
    expect(stdout.includes(`demo/runs/${run}/${file}`) || file === "metrics.csv", file).toBe(true);
    expect(existsSync(join(dir, file)), file).toBe(true);
  }
  expect(Buffer.from(readFileSync(join(dir, "final.b64"), "utf8"), "base64")).toEqual(
    readFileSync(join(dir, "final.f32")),
  );
});

test("if a participant is killed in round 3, the signal is reported and the participant is restarted for the next round", async () => {
  const child = workplace.start(["run", "demo", "--json"]);
  const { code, events } = await followEvents(child, (event, seen) => {
    if (event.type === "round.started" && event.round === 3) process.kill(pidsOf(seen)[1] as number, "SIGKILL");
  });
  expect(code).toBe(0);
  const failed = events.find(({ type }) => type === "participant.failed");
  expect(failed).toMatchObject({ participant: "p2", round: 3, reason: "was terminated by SIGKILL, restarted" });
  const committed = events.filter(({ type }) => type === "round.committed");
  expect(committed.map(({ round, trained, selected }) => [round, trained, selected])).toEqual([
    [1, 3, 3],
    [2, 3, 3],
    [3, 2, 3],
    [4, 3, 3],
    [5, 3, 3],
  ]);
  expect(pidsOf(events)).toHaveLength(4);
  expect(events.at(-1)).toMatchObject({ type: "report.written" });
  await waitFor("its participants to exit", () => !pidsOf(events).some(isAlive), { limitMs: 20_000 });
});

test("an interrupted run leaves no processes behind and resumes where it stopped", async () => {
  const child = workplace.start(["run", "demo", "--json"]);
  const interrupted = await followEvents(child, ({ type, round }) => {
    if (type === "round.committed" && round === 2) child.kill("SIGINT");
  });
  expect(interrupted.code).toBe(130);
  const [, run] = /tollgate train resume (tr_\S+)/.exec(interrupted.stderr) as unknown as [string, string];
  await waitFor("its participants to exit", () => !pidsOf(interrupted.events).some(isAlive), { limitMs: 20_000 });
  const resumed = await followEvents(workplace.start(["resume", run, "--json"]), () => {});
  expect(resumed.code).toBe(0);
  const committed = resumed.events.filter(({ type }) => type === "round.committed").map(({ round }) => round);
  expect(committed).toEqual([3, 4, 5]);
  const { stdout } = await workplace.run("status");
  expect(stdout).toContain("state      finished");
});

test("resuming a run that is still in progress is rejected and leaves its files unchanged", async () => {
  const child = workplace.start(["run", "demo", "--json", "--rounds", "50"]);
  let refused: Promise<{ code: number | null; stderr: string }> | null = null;
  const { events } = await followEvents(child, ({ type }) => {
    if (type !== "round.started" || refused !== null) return;
    refused = workplace.run("resume").finally(() => child.kill("SIGINT"));
  });
  expect(await refused).toMatchObject({ code: 7, stderr: expect.stringContaining("Another coordinator") });
  const runs = join(workplace.folder, "demo/runs");
  const listed = readdirSync(runs).map((run) => readFileSync(join(runs, run, "participants.json"), "utf8"));
  const pids = listed.map((text) => (JSON.parse(text) as { pid: number }[]).map(({ pid }) => pid));
  expect(pids).toContainEqual(pidsOf(events));
});

test("participants exit when their coordinator is killed", async () => {
  const child = workplace.start(["run", "demo", "--json"]);
  const { events } = await followEvents(child, ({ type }) => {
    if (type === "round.started") child.kill("SIGKILL");
  });
  expect(pidsOf(events)).toHaveLength(3);
  await waitFor("its participants to exit", () => !pidsOf(events).some(isAlive), { limitMs: 20_000 });
});
