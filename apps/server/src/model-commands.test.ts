import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testCli } from "@tollgate/cli/cli.fixture.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { type HostedPlatform, PASSWORD, test } from "./hosted-platform.fixture.ts";

const USD = 1_000_000_000n;
const terminal = { columns: 120 };
const ANSI = "\x1b";

/** Signs up a user, creates a key for them, and signs them in to the CLI. */
async function addCaller(hosted: HostedPlatform, credit = USD) {
  const person = await hosted.signUp();
  if (credit > 0n) await hosted.addCredit(person, credit);
  const key = await hosted.createKey(person);
  const cli = testCli({ env: { TOLLGATE_URL: hosted.url, TOLLGATE_API_KEY: key.token } });
  cli.signIn(hosted.url, person.token);
  return { person, key, cli };
}

test("piped output contains only the response, and piped input is sent below the prompt", async ({
  hosted,
  upstream,
}) => {
  const { cli } = await addCaller(hosted);
  upstream.streams(chatFrames({ model: "m1", pieces: ["Hello ", "there."] }));
  const piped = await cli.run(["chat", "-m", "metered", "summarize", "-s", "Be brief."], { stdin: "a long text" });
  expect(piped).toEqual({ code: 0, stdout: "Hello there.\n", stderr: "" });
  expect(upstream.requests.at(-1)?.json()).toMatchObject({
    stream: true,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "summarize\n\na long text" },
    ],
  });
});

test("in a terminal, the footer shows tokens, cost, times, ID, balance, and the timing bar", async ({
  hosted,
  upstream,
}) => {
  const { cli } = await addCaller(hosted);
  upstream.streams(chatFrames({ model: "m1", pieces: ["Hel\x1b[31mlo"], inputTokens: 12, outputTokens: 3 }));
  const shown = await cli.run(["chat", "-m", "metered", "hi", "--no-color"], { terminal });
  expect(shown.code).toBe(0);
  // Control characters in model output don't reach the terminal.
  expect(shown.stdout).toBe("Hel[31mlo\n");
  expect(shown.stderr).toMatch(
    /12 in · 3 out · \$0\.000018 · [\d.]+ ms to first token · [\d.,]+ ms · \S+ {3}balance \$\d+\.\d+\n/,
  );
  expect(shown.stderr).toMatch(/^ {2}gw [\d.]+ · .*first token [\d.]+ .* ms$/m);
  const quiet = await cli.run(["chat", "-m", "sim/echo", "hi", "-q"], { terminal });
  expect(quiet.stderr).toBe("");
});

test("JSON output is the complete response, or one event per line when streaming", async ({ hosted, upstream }) => {
  const { cli } = await addCaller(hosted);
  const whole = await cli.run(["chat", "-m", "sim/echo", "hello", "--json"]);
  expect(JSON.parse(whole.stdout)).toMatchObject({ object: "chat.completion", choices: [{ index: 0 }] });
  const picked = await cli.run(["chat", "-m", "sim/echo", "hello", "--jq", ".choices[0].message.content"]);
  expect(picked).toMatchObject({ code: 0, stdout: expect.stringContaining("hello") });
  upstream.streams(chatFrames({ model: "m1", pieces: ["one ", "two"] }));
  const events = await cli.run(["chat", "-m", "metered", "hello", "--stream", "--json"]);
  const lines = events.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.length).toBeGreaterThan(3);
  expect(lines.every(({ object }) => object === "chat.completion.chunk")).toBe(true);
});

test("calls through the platform require only a login, and --key selects the key to charge", async ({
  hosted,
  upstream,
}) => {
  const { person, cli } = await addCaller(hosted);
  const env = { TOLLGATE_API_KEY: "" };
  upstream.streams(chatFrames({ model: "m1", pieces: ["Hello."] }));
  const only = await cli.run(["chat", "-m", "metered", "hi", "--via", "platform"], { env });
  expect(only).toEqual({ code: 0, stdout: "Hello.\n", stderr: "" });
  await hosted.createKey(person, { name: "second" });
  const several = await cli.run(["chat", "-m", "metered", "hi", "--via", "platform"], { env });
  expect(several).toMatchObject({ code: 2, stderr: expect.stringContaining("Several keys are active") });
  upstream.streams(chatFrames({ model: "m1", pieces: ["Again."] }));
  const named = await cli.run(["chat", "-m", "metered", "hi", "--via", "platform", "--key", "second"], { env });
  expect(named.stdout).toBe("Again.\n");
});

test("errors state the problem, a fix, a link, and the request ID, and each error has a different exit code", async ({
  hosted,
}) => {
  const { cli } = await addCaller(hosted, 0n);
  const poor = await cli.run(["chat", "-m", "metered", "hi"]);
  expect(poor).toMatchObject({ code: 5, stdout: "" });
  expect(poor.stderr).toMatch(
    /^✗ Not enough credits: .+ \(organization .+\)\.\n {2}Fix: {2}tollgate credits buy 20, or lower the request's maximum cost, which is \$0\.00\d+\n {2}Details: {2}http:\S+\/docs\/errors\/codes\/QUOTA_EXCEEDED\n {2}Request: {2}[\w-]+\n$/,
  );
  const { stderr } = await cli.run(["chat", "-m", "metered", "hi", "--json"]);
  expect(JSON.parse(stderr).error).toMatchObject({ status: 429, requestId: expect.any(String), retryable: false });
  expect(await cli.run(["chat", "-m", "nowhere", "hi"])).toMatchObject({ code: 3 });
  expect(await cli.run(["chat", "hi"])).toMatchObject({ code: 2, stderr: expect.stringContaining("config set model") });
  expect(await cli.run(["chat", "-m", "sim/echo"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("No text specified"),
  });
  const anonymous = await cli.run(["chat", "-m", "sim/echo", "hi"], { env: { TOLLGATE_API_KEY: "" } });
  expect(anonymous).toMatchObject({ code: 4, stderr: expect.stringContaining("keys create") });
  const wrong = await cli.run(["chat", "-m", "sim/echo", "hi"], {
    env: { TOLLGATE_API_KEY: `sk-tg-${"0".repeat(40)}` },
  });
  expect(wrong.code).toBe(4);
});

test("a block error shows the team, organization, and balance to a signed-in member", async ({ hosted }) => {
  const { person, cli } = await addCaller(hosted);
  await hosted.addCredit(person, -3n * USD);
  const blocked = await waitFor("the block", async () => {
    const run = await cli.run(["chat", "-m", "metered", "hi"]);
    return run.stderr.includes("blocked") ? run : null;
  });
  expect(blocked).toMatchObject({ code: 5, stdout: "" });
  expect(blocked.stderr).toMatch(
    /^✗ Team .+ is blocked: organization .+ has a balance of −\$2\.00 \(since [\d-]+ [\d:]+ UTC\)\.\n {2}Fix: {2}tollgate credits buy 20\n/,
  );
  // Without a session, only the gateway's error message is available.
  const plain = await cli.run(["chat", "-m", "metered", "hi"], { env: { TOLLGATE_CONFIG_DIR: "/nowhere" } });
  expect(plain).toMatchObject({ code: 5, stderr: expect.stringContaining("the organization's balance is negative") });
});

test("embed, moderate, speak, transcribe, tokens, and inspect produce their documented output", async ({ hosted }) => {
  const { cli } = await addCaller(hosted);
  const folder = mkdtempSync(join(tmpdir(), "sound-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));

  const vectors = await cli.run(["embed", "-m", "sim/embed", "--lines"], { stdin: "one\ntwo\n" });
  expect(
    vectors.stdout
      .trimEnd()
      .split("\n")
      .map((line) => Array.isArray(JSON.parse(line))),
  ).toEqual([true, true]);
  const short = await cli.run(["embed", "-m", "sim/embed", "one", "--no-color"], { terminal });
  expect(short.stdout).toMatch(/^\[.*…\] \d+ values\n$/);
  expect(short.stderr).toMatch(/tokens · \$0\.00/);

  const judged = await cli.run(["moderate", "-m", "sim/moderation", "hello"]);
  expect(judged).toMatchObject({ code: 0, stdout: "not flagged\t\n" });

  const onTerminal = await cli.run(["speak", "-m", "sim/speech", "hello"], { terminal });
  expect(onTerminal).toMatchObject({ code: 2, stderr: expect.stringContaining("--out FILE") });
  expect(await cli.run(["speak", "-m", "sim/speech", "hello", "--json"])).toMatchObject({ code: 2, stdout: "" });
  const reported = await cli.run(["speak", "-m", "sim/speech", "hello", "--out", "hello.mp3", "--json=file,bytes"]);
  expect(JSON.parse(reported.stdout)).toEqual({
    file: "hello.mp3",
    bytes: readFileSync(join(cli.home, "hello.mp3")).length,
  });
  const sound = join(folder, "hello.wav");
  expect(await cli.run(["speak", "-m", "sim/speech", "hello", "--format", "wav", "--out", sound])).toMatchObject({
    code: 0,
  });
  expect(readFileSync(sound).length).toBeGreaterThan(44);
  const received = await cli.run(["transcribe", sound, "-m", "sim/transcribe"]);
  expect(received.code).toBe(0);
  expect(received.stdout.trim()).not.toBe("");
  expect(await cli.run(["transcribe", join(folder, "none.wav"), "-m", "sim/transcribe"])).toMatchObject({ code: 2 });

  const request = join(folder, "request.json");
  writeFileSync(request, JSON.stringify({ model: "metered", messages: [{ role: "user", content: "hello" }] }));
  const counted = await cli.run(["tokens", request]);
  expect(Number(counted.stdout)).toBeGreaterThan(0);
  const text = await cli.run(["tokens", "-m", "metered"], { stdin: "hello world" });
  expect(text.stdout).toMatch(/^\d+\n$/);
  const inspected = await cli.run(["inspect", request]);
  expect(inspected.stdout).toMatch(/^content-type: application\/json\n/);
  expect(inspected.stdout).toContain('"model": "m1"');
  expect(inspected.stdout).not.toContain("sk-upstream-0123456789");
  expect(await cli.run(["inspect", "-"], { stdin: "hello" })).toMatchObject({ code: 2 });
});

test("images are written to files, and images hosted by a provider are printed as URLs", async ({
  hosted,
  upstream,
}) => {
  const { cli } = await addCaller(hosted);
  const picture = (text: string) => ({ b64_json: Buffer.from(text).toString("base64") });
  const draw = ["image", "-m", "metered", "a lighthouse"];
  upstream.replies(200, { created: 1, data: [picture("one"), picture("two")] });
  expect(await cli.run([...draw, "--count", "2", "--out", "fog.png"])).toMatchObject({ code: 0, stdout: "" });
  expect(["fog-1.png", "fog-2.png"].map((name) => readFileSync(join(cli.home, name), "utf8"))).toEqual(["one", "two"]);
  upstream.replies(200, { created: 1, data: [picture("piped")] });
  expect(await cli.run(draw)).toMatchObject({ code: 0, stdout: "piped" });
  upstream.replies(200, { created: 1, data: [{ url: "https://pictures.example.org/1.png" }] });
  const kept = await cli.run([...draw, "--as", "url"]);
  expect(kept).toMatchObject({ code: 0, stdout: "https://pictures.example.org/1.png\n" });
});

test("run starts a program with the URL, the key, and the model in its environment and returns the program's exit code", async ({
  hosted,
}) => {
  const { key, cli } = await addCaller(hosted);
  const names = ["OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL"];
  const script = `require("fs").writeFileSync("seen.json", JSON.stringify(${JSON.stringify(names)}.map((name) => process.env[name]))); process.exit(3)`;
  const ran = await cli.run(["run", process.execPath, "-m", "sim/echo", "--", "-e", script]);
  expect(ran).toMatchObject({ code: 3, stdout: "" });
  expect(JSON.parse(readFileSync(join(cli.home, "seen.json"), "utf8"))).toEqual([
    `${hosted.url}/v1`,
    key.token,
    "sim/echo",
  ]);
  const missing = await cli.run(["run", "no-such-program", "-m", "sim/echo"]);
  expect(missing).toMatchObject({ code: 3, stderr: expect.stringContaining("Program 'no-such-program' not found") });
});

test("run configures a tool that uses the Anthropic API", async ({ hosted }) => {
  const { key, cli } = await addCaller(hosted);
  const script = `#!${process.execPath}\nconst { ANTHROPIC_BASE_URL, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_MODEL } = process.env;\nrequire("fs").writeFileSync("seen.json", JSON.stringify([ANTHROPIC_BASE_URL, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_MODEL]));\n`;
  writeFileSync(join(cli.home, "claude"), script, { mode: 0o755 });
  const ran = await cli.run(["run", "claude", "-m", "sim/echo"], { env: { PATH: cli.home } });
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(readFileSync(join(cli.home, "seen.json"), "utf8"))).toEqual([hosted.url, key.token, "sim/echo"]);
});

test("an administrator can list and test deployments, and a failed test exits with code 7", async ({
  hosted,
  upstream,
  database,
}) => {
  const { person, cli } = await addCaller(hosted);
  await runAsAdministrator(database.connect("tollgate_platform"), (transaction) =>
    transaction.updateTable("users").set({ role: "admin" }).where("email", "=", person.email).execute(),
  );
  const body = { email: person.email, password: PASSWORD };
  cli.signIn(hosted.url, (await hosted.api("POST", "/api/auth/token", { body })).body.token);
  const listed = await cli.run(["admin", "models", "list", "--group", "metered", "--json=id,group,provider,priced"]);
  expect(JSON.parse(listed.stdout).data).toEqual([
    { id: "metered-1", group: "metered", provider: "openai", priced: true },
  ]);
  upstream.replies(200, chatAnswer({ inputTokens: 1, outputTokens: 1 }));
  const tried = await cli.run(["admin", "models", "test", "metered-1"]);
  expect(tried).toMatchObject({ code: 0, stdout: expect.stringMatching(/^result\tok\n/) });
  upstream.replies(401, { error: { message: "no", code: "invalid_api_key" } });
  const failed = await cli.run(["admin", "models", "test", "metered-1", "--json"]);
  expect(failed.code).toBe(7);
  expect(JSON.parse(failed.stdout)).toMatchObject({ ok: false });
});

test("only terminal output has colors", async ({ hosted }) => {
  const { cli } = await addCaller(hosted);
  const args = ["moderate", "-m", "sim/moderation", "hello"];
  expect((await cli.run(args)).stdout).not.toContain(ANSI);
  expect((await cli.run(args, { terminal })).stdout).toContain(ANSI);
});
