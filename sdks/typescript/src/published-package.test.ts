import { execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { publint } from "publint";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

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

const CLIENTS = `
import { ApiError, GatewayClient, PlatformClient } from "@tollgate/sdk";
import * as platform from "@tollgate/sdk/platform";
import * as gateway from "@tollgate/sdk/gateway";
import { Participant } from "@tollgate/sdk/training";
if (platform.PlatformClient !== PlatformClient || gateway.GatewayClient !== GatewayClient) throw new Error("two of one");
const refused = await new PlatformClient({ platformUrl: process.env.PLATFORM }).call("getBalance").catch((error) => error);
console.log(refused instanceof ApiError, refused.name, typeof Participant);
`;

/** This program is compiled outside this repository, against the published types only. */
const TYPED = `
import { type ChatResponse, GatewayClient, NotFoundError, PlatformClient } from "@tollgate/sdk";
const balance: bigint = (await new PlatformClient({ platformUrl: "" }).call("getBalance")).balance;
const { data, facts } = await new GatewayClient({ baseUrl: "" }).chat({ model: "m", messages: [{ role: "user", content: "hi" }] });
export const reported: [bigint, ChatResponse, bigint | null, typeof NotFoundError] = [balance, data, facts.costNanoUsd, NotFoundError];
`;

let folder: string;
let home: string;

/** Packs the SDK as it is published and unpacks it as a package manager would. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "published-"));
  await run(join(root, "bin/pnpm"), ["--filter", "@tollgate/sdk", "pack", "--pack-destination", folder], { cwd: root });
  const archive = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
  home = join(folder, "node_modules/@tollgate/sdk");
  await mkdir(home, { recursive: true });
  await run("tar", ["-xzf", join(folder, archive as string), "--strip-components=1", "-C", home]);
});
afterAll(() => rm(folder, { recursive: true }));

test("a ten-line program that uses the packed package runs in an empty folder with only Node", async () => {
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

test("the packed clients pass publint, can be imported from every entry point, and include types", async () => {
  const { messages } = await publint({ pkgDir: home });
  expect(messages).toEqual([]);
  const manifest = JSON.parse(await readFile(join(home, "package.json"), "utf8")) as { dependencies?: object };
  expect(manifest.dependencies ?? {}).toEqual({});
  await writeFile(join(folder, "clients.mjs"), CLIENTS);
  const env = { ...process.env, PLATFORM: "http://127.0.0.1:1" };
  const { stdout } = await run(process.execPath, ["clients.mjs"], { cwd: folder, env });
  expect(stdout).toBe("true ConnectionError function\n");
  await writeFile(join(folder, "typed.mts"), TYPED);
  const options = ["--noEmit", "--strict", "--target", "es2024", "--lib", "es2024,dom", "--module", "nodenext"];
  await run(join(root, "node_modules/.bin/tsc"), [...options, "typed.mts"], { cwd: folder });
});

test("a browser bundle with both clients contains no training code and no Node modules", async () => {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: 'export { GatewayClient, PlatformClient } from "@tollgate/sdk";',
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    alias: { "@tollgate/sdk": join(import.meta.dirname, "sdk.ts") },
  });
  expect(Object.keys(metafile.inputs).filter((path) => /training|node:/.test(path))).toEqual([]);
  const [bundle] = outputFiles;
  expect(bundle?.text).not.toMatch(/node:|participant/i);
  expect(gzipSync(bundle?.contents ?? "").length).toBeLessThan(12_000);
});
