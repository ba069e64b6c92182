import { execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");

const PROGRAM = `
import { Participant } from "@tollgate/sdk/training";
const participant = new Participant({ port: 0 });
participant.registerTrain((parameters) => parameters ?? Uint8Array.of(1));
participant.registerEvaluate(() => 0.5);
participant.registerAggregate((list) => list[0]);
await participant.run();
`;

test("the packed package runs a ten-line program in an empty folder, with plain Node and nothing else", async () => {
  const folder = await mkdtemp(join(tmpdir(), "published-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await run(join(root, "bin/pnpm"), ["--filter", "@tollgate/sdk", "pack", "--pack-destination", folder], { cwd: root });
  const [archive] = await readdir(folder);
  const home = join(folder, "node_modules/@tollgate/sdk");
  await mkdir(home, { recursive: true });
  await run("tar", ["-xzf", join(folder, archive as string), "--strip-components=1", "-C", home]);
  expect((await readdir(home)).sort()).toEqual([
    "LICENSE",
    "README.md",
    "dist",
    "package.json",
    "participant-openapi.json",
  ]);

  await writeFile(join(folder, "program.mjs"), PROGRAM);
  const child = spawn(process.execPath, ["program.mjs"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let url = "";
  for await (const line of createInterface({ input: child.stderr })) {
    url = /^participant {2}(\S+)/.exec(line)?.[1] ?? "";
    if (url !== "") break;
  }
  const answer = await fetch(`${url}/train`, { method: "POST", body: '{"parameters":"AAEC","dataset":[]}' });
  expect(await answer.text()).toBe('{"parameters":"AAEC"}');
  expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
});
