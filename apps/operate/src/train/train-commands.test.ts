import { once } from "node:events";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { afterAll, expect, test } from "vitest";
import { createWorkplace, finish } from "./train.fixture.ts";

const workplace = createWorkplace();
afterAll(() => workplace.remove());

test("a TypeScript project runs without installing dependencies, and plot, report, status, and serve show its run", async () => {
  await workplace.run("new", "demo", "--language", "typescript");
  const run = await workplace.runIn("demo", "run", "--participants", "2", "--rounds", "2");
  expect(run).toMatchObject({ code: 0, stderr: "" });
  expect(run.stdout).toContain("2 local participants · 2 rounds");
  const [, id] = /run (tr_\S+)/.exec(run.stdout) as unknown as [string, string];

  const plot = await workplace.runIn("demo", "plot");
  expect(plot.stdout).toContain(`chart  runs/${id}/accuracy.svg`);
  expect(plot.stdout.match(/●/g)).toHaveLength(3);
  const report = await workplace.runIn("demo", "report", id);
  expect(report.stdout).toBe(`runs/${id}/report.html\n`);
  const status = await workplace.runIn("demo", "status", "--json");
  expect(JSON.parse(status.stdout)).toMatchObject({ run: id, state: "finished", isRunning: false });
  expect(await workplace.runIn("demo", "resume")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("is finished"),
  });

  const server = workplace.start(["serve", "demo"]);
  const [link] = (await once(server.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  const page = await fetch(`${link.toString().trim()}runs/${id}`);
  expect(await page.text()).toContain("Accuracy per round");
  server.kill("SIGTERM");
  expect(await finish(server)).toMatchObject({ code: 0 });
});

test("check calls every operation of a participant and suggests fixes", async () => {
  const good = await workplace.run("check", "demo");
  expect(good).toMatchObject({ code: 0 });
  expect(good.stdout).toMatch(/✓ p1 +train +20 B in/);
  expect(good.stdout).toContain("All checks passed.");

  const participant = join(workplace.folder, "demo/participant.ts");
  const text = readFileSync(participant, "utf8");
  writeFileSync(participant, text.replace("accuracy: right / rows.length", "accuracy: Number.NaN"));
  const bad = await workplace.run("check", "demo", "--json");
  expect(bad.code).toBe(1);
  const { ok, findings } = JSON.parse(bad.stdout) as { ok: boolean; findings: Record<string, string>[] };
  expect(ok).toBe(false);
  expect(findings.filter(({ state }) => state === "failed")).toHaveLength(3);
  expect(findings.find(({ what }) => what === "evaluate")).toMatchObject({
    text: expect.stringContaining("INVALID_RESULT"),
    fix: expect.stringContaining("a finite number"),
  });
});

test("the log file that a failed check mentions exists", async () => {
  const folder = join(workplace.folder, "broken");
  mkdirSync(folder);
  writeFileSync(
    join(folder, "plan.yaml"),
    "local: { participants: 1, command: [node, broken.mjs] }\nround: { minTrain: 1 }\n",
  );
  writeFileSync(join(folder, "broken.mjs"), 'console.error("no data here"); process.exit(4);');
  const { code, stderr } = await workplace.runIn("broken", "check");
  expect(code).toBe(1);
  const [, log] = /The full output is in (\S+)/.exec(stderr) as unknown as [string, string];
  expect(readFileSync(log, "utf8")).toContain("no data here");
  rmSync(join(log, "../.."), { recursive: true });
});

test("missing files, invalid input, and unreachable participants have separate exit codes", async () => {
  const nothing = join(workplace.folder, "nothing");
  mkdirSync(nothing);
  expect(await workplace.runIn("nothing", "run")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("train new demo"),
  });
  expect(await workplace.runIn("nothing", "status")).toMatchObject({ code: 3 });
  expect(await workplace.run("new", "demo")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("is not empty"),
  });
  expect(await workplace.run("run", "demo", "--rounds", "none")).toMatchObject({ code: 2 });
  appendFileSync(join(nothing, "plan.yaml"), "local: { command: [node] }\nround: { quorum: 7 }\nretries: 3\n");
  const invalid = await workplace.runIn("nothing", "run");
  expect(invalid.code).toBe(2);
  expect(invalid.stderr).toContain("Invalid plan plan.yaml");
  expect(invalid.stderr).toMatch(/round\.quorum: .*\n.*retries: /);
  const port = await findFreePort();
  const away = `participants: [{ id: a, url: "http://127.0.0.1:${port}" }]\nretry: { attempts: 1, backoff: 1ms..1ms }\n`;
  writeFileSync(join(nothing, "plan.yaml"), away);
  const paused = await workplace.runIn("nothing", "run");
  expect(paused).toMatchObject({
    code: 7,
    stderr: expect.stringMatching(/Paused in round 1: .*\n.*tollgate train resume tr_/),
  });
  expect(await workplace.run("check", `http://127.0.0.1:${port}`)).toMatchObject({ code: 7 });
  expect(await workplace.run("check", "http://")).toMatchObject({ code: 2, stderr: expect.stringContaining("Fix:") });
});
