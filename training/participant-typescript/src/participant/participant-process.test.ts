import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { post } from "./start-participant.fixture.ts";

const PROGRAM = `
import { Participant } from ${JSON.stringify(join(import.meta.dirname, "participant.ts"))};
const participant = new Participant(JSON.parse(process.env.OPTIONS));
participant.registerTrain(async (parameters, rows, { signal }) => {
  const held = setInterval(() => {}, 1000);
  process.stdout.write("started\\n");
  await new Promise((resolve) => process.env.STUBBORN ? undefined : signal.addEventListener("abort", resolve));
  clearInterval(held);
  throw new Error("stopped");
});
participant.registerEvaluate(() => 0.5);
await participant.run({ require: [] });
`;

async function startProgram(
  options: object,
  env: Record<string, string> = {},
): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", PROGRAM], {
    env: { ...process.env, PORT: "0", OPTIONS: JSON.stringify(options), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream })) {
    const url = /^participant {2}(\S+)/.exec(line)?.[1];
    if (url !== undefined) return { url, child };
  }
  throw new Error("the program ended before it listened");
}

test("SIGTERM ends an idle participant immediately with code 0 and leaves no spool folder", async () => {
  const { url, child } = await startProgram({});
  expect((await post(url, "/evaluate", {})).status).toBe(200);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
  const left = (await readdir(tmpdir())).filter((name) => name.includes(`-${child.pid}-`));
  expect(left).toEqual([]);
});

test("SIGTERM signals a job that outlasts the drain, returns 503 to its caller, and exits with 0", async () => {
  const { url, child } = await startProgram({ drainSeconds: 0.1 });
  const call = post(url, "/train", {});
  await once(child.stdout as NodeJS.ReadableStream, "data");
  child.kill("SIGTERM");
  expect(await call).toMatchObject({ status: 503, body: { code: "SHUTTING_DOWN" } });
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("forceExit returns 504 and ends a process whose function does not stop", async () => {
  const { url, child } = await startProgram({ forceExit: true, maxSeconds: 0.1, graceSeconds: 0.1 }, { STUBBORN: "1" });
  const exit = once(child, "exit");
  expect(await post(url, "/train", {})).toMatchObject({ status: 504, body: { code: "HANDLER_TIMEOUT" } });
  expect(await exit).toEqual([1, null]);
});

test("the environment sets host, port, token, and dataset", async () => {
  const token = "secret-of-the-environment";
  const { url } = await startProgram({}, { HOST: "::1", PARTICIPANT_TOKEN: token });
  expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await post(url, "/evaluate", {})).status).toBe(401);
  expect((await post(url, "/evaluate", {}, { authorization: `Bearer ${token}` })).status).toBe(200);
});
