import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "@tollgate/domain/secret.ts";
import { type Tollgate, test } from "@tollgate/server/billed-gateway.fixture.ts";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { importAssistants } from "./import-assistants.ts";

const program = join(import.meta.dirname, "../../../../bin/tollgate");
const secretKeys = [new Secret("a secret key that only tests use")];
const REFUSED = "x".repeat(256_001);

const text = (value: string) => [{ type: "text", text: { value, annotations: [] } }];
const assistant = (id: string, createdAt: number, fields: object = {}) => ({
  id,
  object: "assistant",
  created_at: createdAt,
  model: "free",
  tools: [],
  metadata: {},
  ...fields,
});
const message = (threadId: string, number: number, value = `text ${number}`) => ({
  id: `msg_${threadId}_${number}`,
  object: "thread.message",
  created_at: 1_700_000_000 + Math.floor(number / 2),
  thread_id: threadId,
  role: number % 2 === 0 ? "user" : "assistant",
  content: text(value),
  metadata: { number: String(number) },
});
const conversation = (threadId: string, length: number) =>
  Array.from({ length }, (_, number) => message(threadId, number));

/** Creates a temporary directory for an export and its map file. */
function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-import-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const save = (objects: readonly object[]) => {
    const file = join(folder, "export.jsonl");
    writeFileSync(file, objects.map((object) => `${JSON.stringify(object)}\n`).join(""));
    return file;
  };
  return { save, map: join(folder, "export.jsonl.imported.jsonl") };
}

/** Creates a temporary directory and starts a gateway with a key for a new team. */
async function prepare(tollgate: Tollgate) {
  const { url } = await tollgate.start({ secretKeys });
  const { apiKey } = await tollgate.addTenant({});
  const { save, map } = makeFolder();
  const list = async (path: string) => {
    const response = await fetch(`${url}/v1${path}?order=asc&limit=100`, { headers: { "x-gw-api-key": apiKey } });
    expect(response.status).toBe(200);
    return ((await response.json()) as { data: { id: string; metadata: { imported_from?: string } }[] }).data;
  };
  const newIds = () =>
    new Map(
      readFileSync(map, "utf8")
        .trim()
        .split("\n")
        .map((line) => [JSON.parse(line).from, JSON.parse(line).to] as const),
    );
  return { url, apiKey, save, list, map, newIds };
}

async function run(args: readonly string[], env: Record<string, string> = {}) {
  let [out, err] = ["", ""];
  const code = await importAssistants(args, {
    stdout: { write: (piece: string) => (out += piece) },
    stderr: { write: (piece: string) => (err += piece) },
    env,
    cwd: process.cwd(),
  });
  return { code, out, err };
}

test("an export is imported in order, and each object only once, even if the import is repeated", async ({
  tollgate,
}) => {
  const { url, apiKey, save, list, newIds } = await prepare(tollgate);
  const adder = { type: "function", function: { name: "add", parameters: { type: "object" } } };
  const file = save([
    assistant("asst_two", 20, { model: "gpt-4-turbo", tools: [adder, { type: "code_interpreter" }] }),
    assistant("asst_one", 10, { name: "Tutor", instructions: "Be kind.", metadata: { course: "sums" }, model: "lost" }),
    { id: "thread_a", object: "thread", created_at: 5, metadata: { topic: "sums" } },
    // Messages are newest first, as in list responses.
    ...conversation("thread_a", 7).toReversed(),
    ...conversation("thread_b", 3).toReversed(),
    { id: "run_a", object: "thread.run", thread_id: "thread_a" },
  ]);
  const args = ["--file", file, "--base-url", `${url}/v1/`, "--model", "gpt-4-turbo=free"];
  const first = await run(args, { TOLLGATE_API_KEY: apiKey });
  expect(first).toMatchObject({ code: 0, err: "" });
  expect(first.out).toContain("✓ messages    10 created");
  expect(first.out).toContain("! tool code_interpreter: asst_two\n");
  expect(first.out).toContain("! thread.run: 1 in the file\n");
  expect(first.out).toContain("! lost: add it to the gateway, or import with --model lost=…\n");

  const assistants = await list("/assistants");
  expect(assistants).toMatchObject([
    { name: "Tutor", instructions: "Be kind.", metadata: { course: "sums", imported_from: "asst_one" } },
    { model: "free", tools: [adder], metadata: { imported_from: "asst_two" } },
  ]);
  const ids = newIds();
  expect(ids.get("asst_one")).toBe(assistants[0]?.id);
  const messages = await list(`/threads/${ids.get("thread_a")}/messages`);
  expect(messages).toMatchObject(
    conversation("thread_a", 7).map(({ id, role, content, metadata }) => ({
      role,
      content,
      metadata: { ...metadata, imported_from: id },
    })),
  );

  const again = await run([...args, "--json"], { TOLLGATE_API_KEY: apiKey });
  expect(JSON.parse(again.out)).toMatchObject({
    assistants: { created: 0, present: 2 },
    threads: { created: 0, present: 2 },
    messages: { created: 0, present: 10 },
  });
  expect(await list(`/threads/${ids.get("thread_a")}/messages`)).toHaveLength(7);
  expect(newIds()).toEqual(ids);
});

test("a killed import continues where it stopped", async ({ tollgate }) => {
  const { url, apiKey, save, list, map, newIds } = await prepare(tollgate);
  const written = conversation("thread_a", 90);
  const file = save(written);
  const env = { ...process.env, TOLLGATE_API_KEY: apiKey, TOLLGATE_BASE_URL: url };
  const child = spawn(program, ["import", "assistants", "--file", file], { env, stdio: "ignore" });
  const ended = new Promise<string | null>((resolve) => child.once("exit", (_, signal) => resolve(signal)));
  await waitFor("a few messages", async () => {
    const id = existsSync(map) ? newIds().get("thread_a") : undefined;
    return id !== undefined && (await list(`/threads/${id}/messages`)).length > 52;
  });
  child.kill("SIGKILL");
  expect(await ended).toBe("SIGKILL");
  // Append a partial line, like one left by a crash during a write.
  appendFileSync(map, '{"object":"thr');

  const rest = await run(["--file", file, "--json"], { TOLLGATE_API_KEY: apiKey, TOLLGATE_BASE_URL: url });
  const { messages, threads } = JSON.parse(rest.out);
  expect(threads).toEqual({ created: 0, present: 1, refused: 0 });
  expect(messages.created + messages.present).toBe(90);
  expect(messages.present).toBeGreaterThan(52);
  const id = JSON.parse(readFileSync(map, "utf8").split("\n")[0] ?? "").to;
  const kept = await list(`/threads/${id}/messages`);
  expect(kept.map(({ metadata }) => metadata.imported_from)).toEqual(written.map(({ id: from }) => from));
});

test("a message that arrives late from a killed import is not duplicated", async ({ tollgate }) => {
  const { url, apiKey, save, list, newIds } = await prepare(tollgate);
  const written = conversation("thread_a", 90);
  const env = { TOLLGATE_API_KEY: apiKey, TOLLGATE_BASE_URL: url };
  await run(["--file", save(written.slice(0, 2))], env);
  const path = `/threads/${newIds().get("thread_a")}/messages`;
  const importing = run(["--file", save(written)], env);
  await waitFor("the next message", async () => (await list(path)).length > 2);
  const late = { role: "user", content: "text 2", metadata: { imported_from: written[2]?.id } };
  const headers = { "x-gw-api-key": apiKey, "content-type": "application/json" };
  const sent = await fetch(`${url}/v1${path}`, { method: "POST", headers, body: JSON.stringify(late) });
  expect(sent.status).toBe(200);
  expect((await importing).code).toBe(0);
  const kept = await list(path);
  expect(kept.map(({ metadata }) => metadata.imported_from)).toEqual(written.map(({ id }) => id));
});

test("rejected messages are reported, all other messages are imported, and a retry keeps the order", async ({
  tollgate,
}) => {
  const { url, apiKey, save, list, newIds } = await prepare(tollgate);
  const messages = [message("thread_a", 0), message("thread_a", 1, REFUSED), message("thread_a", 2)];
  const args = ["--file", save(messages), "--base-url", url];
  const { code, out } = await run(args, { TOLLGATE_API_KEY: apiKey });
  expect(code).toBe(8);
  expect(out).toContain("✗ messages    2 created, 1 rejected");
  expect(out).toMatch(/✗ msg_thread_a_1: 422 /);
  expect((await run(args, { TOLLGATE_API_KEY: apiKey })).code).toBe(0);
  expect(await list(`/threads/${newIds().get("thread_a")}/messages`)).toHaveLength(2);
});

test("another team's ID map does not give access to that team's threads", async ({ tollgate }) => {
  const { url, apiKey, save, newIds } = await prepare(tollgate);
  const args = ["--file", save(conversation("thread_a", 2)), "--base-url", url, "--json"];
  await run(args, { TOLLGATE_API_KEY: apiKey });
  const before = newIds().get("thread_a");
  const stranger = await tollgate.addTenant({});
  const { out } = await run(args, { TOLLGATE_API_KEY: stranger.apiKey });
  expect(JSON.parse(out)).toMatchObject({ threads: { created: 1 }, messages: { created: 2 } });
  expect(newIds().get("thread_a")).not.toBe(before);
});

test("a dry run needs no gateway and writes nothing", async () => {
  const { save, map } = makeFolder();
  const file = save([assistant("asst_one", 1), ...conversation("thread_a", 3)]);
  const { code, out } = await run(["--file", file, "--dry-run", "--base-url", "http://127.0.0.1:1"]);
  expect(code).toBe(0);
  expect(out).toBe(
    "  ✓ assistants  1 to create\n  ✓ threads     1 to create\n  ✓ messages    3 to create\n\nNo objects were created.\n",
  );
  expect(existsSync(map)).toBe(false);
});

test("each type of error has a distinct message and exit code", async ({ tollgate }) => {
  const { url, apiKey, save } = await prepare(tollgate);
  const file = save(conversation("thread_a", 1));
  const away = `http://127.0.0.1:${await findFreePort()}`;
  const cases: [number, RegExp, string[], Record<string, string>][] = [
    [2, /No export file specified/, [], {}],
    [2, /OLD=NEW/, ["--file", file, "--model", "gpt-4"], {}],
    [2, /File or directory not found/, ["--file", "/nowhere/export.json", "--dry-run"], {}],
    [2, /is not an ID map/, ["--file", file, "--map", file, "--dry-run"], {}],
    [4, /TOLLGATE_API_KEY/, ["--file", file], {}],
    [4, /✗ /, ["--file", file, "--base-url", url], { TOLLGATE_API_KEY: "sk-tg-wrong" }],
    [7, /is not responding \(ECONNREFUSED\)/, ["--file", file, "--base-url", away], { TOLLGATE_API_KEY: apiKey }],
  ];
  for (const [code, problem, args, env] of cases) {
    const result = await run(args, env);
    expect(result.code, result.err).toBe(code);
    expect(result.err).toMatch(problem);
    expect(result.out).toBe("");
  }
});
