import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "@tollgate/training-testkit/wait-for.ts";
import { afterAll, expect, test } from "vitest";
import type { LocalParticipant } from "./local-participant.ts";
import { LocalSetupError } from "./local-setup-error.ts";
import { type StartLocalOptions, startLocalParticipants, stopLocalParticipants } from "./start-local-participants.ts";

const folder = mkdtempSync(join(tmpdir(), "local-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// A minimal participant that can be started and stopped, with a child process that ignores SIGTERM.
const PROGRAM = `import { spawn } from "node:child_process";
import { createServer } from "node:http";
const child = spawn("/bin/sh", ["-c", "trap '' TERM; while :; do sleep 1; done"], { stdio: "ignore" });
const { PORT, HOST, PARTICIPANT_ID, PARTICIPANT_INDEX, PARTICIPANT_COUNT, PARTICIPANT_TOKEN, DATASET_PATH } = process.env;
createServer((request, response) => response.end(JSON.stringify({
  PARTICIPANT_ID, PARTICIPANT_INDEX, PARTICIPANT_COUNT, PARTICIPANT_TOKEN, DATASET_PATH, child: child.pid,
}))).listen(Number(PORT), HOST);
`;
writeFileSync(join(folder, "program.mjs"), PROGRAM);
writeFileSync(
  join(folder, "plain.mjs"),
  `import { createServer } from "node:http";
createServer((_, response) => response.end()).listen(Number(process.env.PORT), process.env.HOST);`,
);
writeFileSync(join(folder, "broken.mjs"), 'console.error("no data here"); process.exit(4);');

const options = (program: string, participants: number): StartLocalOptions => ({
  plan: { participants, command: ["node", program], dataset: "rows.csv" },
  folder,
  dir: folder,
  env: process.env,
  signal: new AbortController().signal,
});

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const ask = async (url: string) => (await (await fetch(url)).json()) as Record<string, string> & { child: number };

test("each participant has its own URL, token, and data share, and stops with all its child processes", async () => {
  const started = await startLocalParticipants(options("program.mjs", 2));
  const reported = await Promise.all(started.map(({ url }) => ask(url)));
  expect(reported).toMatchObject([
    { PARTICIPANT_ID: "p1", PARTICIPANT_INDEX: "0", PARTICIPANT_COUNT: "2", DATASET_PATH: "rows.csv" },
    { PARTICIPANT_ID: "p2", PARTICIPANT_INDEX: "1", PARTICIPANT_COUNT: "2" },
  ]);
  expect(reported.map(({ PARTICIPANT_TOKEN }) => PARTICIPANT_TOKEN)).toEqual(started.map(({ token }) => token));
  expect(new Set(started.map(({ token }) => token)).size).toBe(2);
  const listed = readFileSync(join(folder, "participants.json"), "utf8");
  expect(JSON.parse(listed)).toEqual(started.map(({ id, url, pid }) => ({ id, url, pid })));
  expect(started.some(({ token }) => listed.includes(token))).toBe(false);
  await stopLocalParticipants(started);
  const processes = [...started.map(({ pid }) => pid), ...reported.map(({ child }) => child)];
  await waitFor("all of them to be gone", () => !processes.some(isAlive));
});

test("a killed participant reports the signal that ended it", async () => {
  const started = await startLocalParticipants(options("program.mjs", 1));
  const [participant] = started as [LocalParticipant];
  expect(participant.ending).toBeNull();
  process.kill(participant.pid, "SIGKILL");
  await waitFor("the end to be noticed", () => participant.ending === "was terminated by SIGKILL");
  await stopLocalParticipants(started);
});

test("a killed participant restarts at the same URL, a limited number of times", async () => {
  const dir = mkdtempSync(join(folder, "restart-"));
  const started = await startLocalParticipants({ ...options("program.mjs", 1), dir });
  const [participant] = started as [LocalParticipant];
  const { signal } = new AbortController();
  expect(await participant.restart(signal)).toBe(false);
  const seen = new Set([participant.pid]);
  for (const isAgain of [true, true, false]) {
    process.kill(participant.pid, "SIGKILL");
    await waitFor("the end to be noticed", () => participant.ending === "was terminated by SIGKILL");
    expect(participant.absence).toBe(isAgain ? "was terminated by SIGKILL, restarted" : "was terminated by SIGKILL");
    expect(await participant.restart(signal)).toBe(isAgain);
    if (isAgain) expect(await ask(participant.url)).toMatchObject({ PARTICIPANT_TOKEN: participant.token });
    seen.add(participant.pid);
  }
  expect(seen.size).toBe(3);
  await stopLocalParticipants(started);
});

test("twenty participants start without a warning", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  const started = await startLocalParticipants(options("plain.mjs", 20));
  await stopLocalParticipants(started);
  process.removeListener("warning", note);
  expect(warnings).toEqual([]);
});

test("a program that fails to start is reported with its own output", async () => {
  const refused = startLocalParticipants(options("broken.mjs", 2));
  await expect(refused).rejects.toThrow(/p[12] exited with code 4 before it was ready\.\n {2}no data here/);
  await expect(refused).rejects.toBeInstanceOf(LocalSetupError);
});

test("a missing or outdated Python interpreter is reported with two possible fixes", async () => {
  const none = {
    ...options("x.py", 1),
    plan: { participants: 1, command: ["python3", "x.py"], dataset: null },
    env: { PATH: folder },
  };
  await expect(startLocalParticipants(none)).rejects.toThrow("'python3' is not installed on this computer");
  await expect(startLocalParticipants(none)).rejects.toMatchObject({
    fix: expect.stringContaining("--language typescript"),
  });
  writeFileSync(join(folder, "python3"), "#!/bin/sh\necho '[\"/old/python\", [3, 8], false]'\n", { mode: 0o755 });
  await expect(startLocalParticipants(none)).rejects.toThrow("require Python 3.9 or later, but python3 is Python 3.8");
});

test("participants do not outlive a parent process that is killed", async () => {
  const starter = join(folder, "starter.mjs");
  const module = join(import.meta.dirname, "start-local-participants.ts");
  writeFileSync(
    starter,
    `import { startLocalParticipants } from ${JSON.stringify(module)};
const started = await startLocalParticipants({ plan: { participants: 1, command: ["node", "program.mjs"], dataset: null },
  folder: ${JSON.stringify(folder)}, dir: ${JSON.stringify(folder)}, env: process.env, signal: new AbortController().signal });
process.stdout.write(JSON.stringify({ pid: started[0].pid, url: started[0].url }));
setInterval(() => {}, 1000);`,
  );
  const child = spawn(process.execPath, [starter], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { pid, url } = JSON.parse(line.toString()) as { pid: number; url: string };
  const { child: grandchild } = await ask(url);
  child.kill("SIGKILL");
  await waitFor("all of them to be gone", () => ![pid, grandchild].some(isAlive));
});
