import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PlanError } from "../plan/plan-error.ts";
import { findPlan } from "./find-plan.ts";
import { findRun } from "./find-run.ts";
import { makeFolder } from "./make-folder.ts";
import { NotFound } from "./not-found.ts";
import { splitProject } from "./read-project.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "project-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(path: string, text = ""): string {
  const whole = join(folder, path);
  mkdirSync(join(whole, ".."), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

function putRun(path: string, atSeconds: number): string {
  const journal = put(`${path}/journal.jsonl`);
  utimesSync(journal, atSeconds, atSeconds);
  return join(journal, "..");
}

test("uses the plan in the current folder, or else the only plan in a subfolder, and returns the subfolder's name", () => {
  const beneath = put("demo/plan.yaml");
  put("empty/notes.txt");
  expect(findPlan(folder, undefined)).toEqual({ file: beneath, inFolder: "demo" });
  const here = put("plan.yaml");
  expect(findPlan(folder, undefined)).toEqual({ file: here, inFolder: null });
  expect(findPlan(folder, "demo")).toEqual({ file: beneath, inFolder: null });
  expect(findPlan(folder, "demo/plan.yaml").file).toBe(beneath);
});

test("a missing plan, several plans, and an unknown name cause different errors", () => {
  expect(() => findPlan(folder, undefined)).toThrow("tollgate train new demo");
  put("a/plan.yaml");
  put("b/plan.yml");
  expect(() => findPlan(folder, undefined)).toThrow("several subdirectories contain one: a, b");
  expect(() => findPlan(folder, "c.yaml")).toThrow(NotFound);
  mkdirSync(join(folder, "bare"));
  expect(() => findPlan(folder, "bare")).toThrow("No plan.yaml found in 'bare'");
});

test("finds a run by ID, ID prefix, or path, or uses the most recent run", () => {
  put("demo/plan.yaml");
  const later = putRun("demo/runs/tr_01A", 2_000);
  const earlier = putRun("demo/runs/tr_01B", 1_000);
  for (const cwd of [folder, join(folder, "demo"), join(folder, "demo/runs")]) {
    expect(findRun(cwd, undefined)).toBe(later);
    expect(findRun(cwd, "tr_01B")).toBe(earlier);
  }
  expect(findRun(folder, "demo/runs/tr_01B")).toBe(earlier);
  expect(() => findRun(folder, "tr_01")).toThrow("Several runs start with 'tr_01'");
  expect(() => findRun(folder, "tr_02")).toThrow(NotFound);
  putRun("demo/runs/tr_01", 1);
  expect(basename(findRun(folder, "tr_01"))).toBe("tr_01");
});

test("a folder without a journal is not a run", () => {
  put("runs/tr_01A/project.json");
  expect(() => findRun(folder, undefined)).toThrow("No runs yet");
});

test("command-line options override the plan", () => {
  const plan = { run: { rounds: 5, seed: 7 }, local: { participants: 3, command: ["python3", "participant.py"] } };
  expect(splitProject(plan, folder, { participants: 9, rounds: 2 })).toEqual({
    folder,
    local: { participants: 9, command: ["python3", "participant.py"], dataset: null },
    value: { run: { rounds: 2, seed: 7 } },
  });
});

test.each([
  [{ local: { command: [] } }, "local.command"],
  [{ local: { command: ["x"], participants: 0 } }, "local.participants"],
  [{ local: { command: ["x"], participants: 65 } }, "local.participants"],
  [{ local: { command: ["x"], dataset: 3 } }, "local.dataset"],
  [{ local: { command: ["x"], port: 3 } }, "local.port"],
  [{ local: { command: ["x"] }, participants: [] }, "local"],
  [{ local: 3 }, "local"],
  ["text", ""],
])("the error for an invalid plan names the field: %j", (plan, path) => {
  try {
    splitProject(plan, folder);
    expect.unreachable();
  } catch (error) {
    expect((error as PlanError).problems.map((problem) => problem.path)).toEqual([path]);
  }
});

test("creates a folder with its parents, and fails immediately if that isn't possible", () => {
  makeFolder(join(folder, "a/b/c"));
  makeFolder(join(folder, "a/b/c"));
  expect(existsSync(join(folder, "a/b/c"))).toBe(true);
  expect(() => makeFolder("/proc/tollgate/run")).toThrow("/proc/tollgate");
});

test("rejects --participants if the plan lists its participants", () => {
  expect(() => splitProject({ participants: [] }, folder, { participants: 2 })).toThrow(PlanError);
});
