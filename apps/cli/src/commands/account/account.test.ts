import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startTestPlatform, type TestPlatform } from "@tollgate/platform/platform.fixture.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { testCli } from "../../cli.fixture.ts";
import { readCredential, writeCredential } from "../../settings/credentials.ts";

const PASSWORD = "correct horse battery";

async function start(database: TestDatabase): Promise<TestPlatform> {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  return platform;
}

test("signs up, signs out, and signs in without taking the password as a flag or printing it", async ({ database }) => {
  const platform = await start(database);
  const cli = testCli();
  const email = "ada@cli.example";
  const signedUp = await cli.run(["signup", "--url", platform.url, "--email", email, "--password-stdin"], {
    stdin: PASSWORD,
  });
  expect(signedUp).toMatchObject({ code: 0, stdout: "" });
  expect(signedUp.stderr).toContain(join(cli.home, "credentials.toml"));
  // The URL was stored with the sign-in, so it isn't required again.
  expect((await cli.run(["whoami", "--jq", ".user.email"])).stdout).toBe(`${email}\n`);
  const token = readCredential(cli.env, "default")?.token as string;

  expect((await cli.run(["logout"])).code).toBe(0);
  expect(readFileSync(join(cli.home, "credentials.toml"), "utf8")).not.toContain("eyJ");
  const ended = await cli.run(["whoami"], { env: { TOLLGATE_TOKEN: token } });
  expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining("tollgate login") });

  const wrong = await cli.run(["login", "--email", email, "--password-stdin"], { stdin: "not this one" });
  expect(wrong.code).toBe(4);
  const again = await cli.run(["login", "--email", email, "--password-stdin", "--debug"], { stdin: `${PASSWORD}\n` });
  expect(again.code).toBe(0);
  expect(again.stderr).toContain("POST");
  expect(again.stderr).not.toMatch(/horse|eyJ/);
  expect(await cli.run(["login"])).toMatchObject({ code: 2, stderr: expect.stringContaining("--password-stdin") });
});

test("signs in after the user approves the request in the browser", async ({ database }) => {
  const platform = await start(database);
  const owner = await platform.addUser();
  const cli = testCli({ env: { TOLLGATE_URL: platform.url } });
  let reported = "";
  const waiting = cli.run(["login", "--web"], { listen: (text) => (reported += text) });
  const code = await waitFor("the code", () => /code: (\S+)/.exec(reported)?.[1]);
  const approved = await fetch(`${platform.url}/api/auth/pairings/${code}/approve`, {
    method: "POST",
    headers: { authorization: `Bearer ${owner.token}` },
  });
  expect(approved.ok).toBe(true);
  expect((await waiting).code).toBe(0);
  expect((await cli.run(["whoami", "--jq", ".user.email"])).stdout).toBe(`${owner.email}\n`);
});

test("renews an expiring token automatically, and only once if several commands run concurrently", async ({
  database,
}) => {
  const platform = await start(database);
  const owner = await platform.addUser();
  const cli = testCli({ env: { TOLLGATE_URL: platform.url } });
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const issuedAt = new Date(Date.now() - 3_600_000).toISOString();
  writeCredential(cli.env, "default", {
    url: platform.url,
    token: owner.token,
    issuedAt,
    expiresAt,
    email: null,
    apiKey: null,
  });
  const runs = await Promise.all([1, 2, 3, 4].map(() => cli.run(["whoami"])));
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  const renewed = readCredential(cli.env, "default");
  expect(renewed?.token).not.toBe(owner.token);
  // The stored token must be the newest one, because the platform ends the session if a replaced token is used much
  // later.
  platform.advance(120_000);
  expect((await cli.run(["auth", "refresh"])).code).toBe(0);
  expect((await cli.run(["whoami"])).code).toBe(0);
});

test("selects organizations by name or ID, and lists both matches for an ambiguous name", async ({ database }) => {
  const platform = await start(database);
  const founder = await platform.addUser();
  const member = await platform.addMember(founder.organizationId, "admin");
  const cli = testCli({ env: { TOLLGATE_URL: platform.url } });
  cli.signIn(platform.url, founder.token);
  expect((await cli.run(["orgs", "update", "--name", "Same"])).code).toBe(0);
  cli.signIn(platform.url, member.token);
  const make = async (name: string) => {
    const made = await cli.run([
      "api",
      "POST",
      "/api/gw/organizations",
      "-f",
      `name=${name}`,
      "--jq",
      ".organization.id",
    ]);
    return made.stdout.trim();
  };
  const [first, second, other] = [founder.organizationId, await make("Same"), await make("Other")];
  const unclear = await cli.run(["orgs", "use", "Same"]);
  expect(unclear.code).toBe(2);
  expect(unclear.stderr).toContain(first);
  expect(unclear.stderr).toContain(second);
  expect(await cli.run(["org", "use", "Othre"])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("Did you mean 'Other'?"),
  });
  expect((await cli.run(["org", "use", "other"])).code).toBe(0);
  expect((await cli.run(["status", "--jq", ".balance.organizationId"])).stdout).toBe(`${other}\n`);
  // A flag selects the organization for one command.
  expect((await cli.run(["api", "/api/balance", "--org", second, "--jq", ".organizationId"])).stdout).toBe(
    `${second}\n`,
  );
  const all = await cli.run([
    "api",
    "/api/gw/organizations/list",
    "-f",
    "pageSize=1",
    "--all",
    "--jq",
    ".data | length",
  ]);
  expect(all.stdout).toBe("3\n");
  const renamed = await cli.run(["orgs", "update", "--name", "Third", "--json=name"]);
  expect(JSON.parse(renamed.stdout)).toEqual({ name: "Third" });
});

test("completes commands, flags, choices, and names, and prints nothing if there is no match", async ({ database }) => {
  const platform = await start(database);
  const owner = await platform.addUser();
  const cli = testCli({ env: { TOLLGATE_URL: platform.url } });
  cli.signIn(platform.url, owner.token);
  const complete = async (...words: string[]) =>
    (await cli.run(["__complete", ...words])).stdout.split("\n").slice(0, -1);
  expect(await complete("key")).toEqual(["keys"]);
  expect(await complete("keys", "cr")).toEqual(["create"]);
  expect(await complete("keys", "list", "--sta")).toEqual(["--status"]);
  expect(await complete("keys", "list", "--status", "a")).toEqual(["active", "all"]);
  expect(await complete("completion", "")).toEqual(["bash", "zsh", "fish", "powershell"]);
  expect(await waitFor("names in time", async () => (await complete("keys", "list", "--team", "")).at(0))).toBe(
    "Default",
  );
  // The names come from the cache, because the platform is down.
  await platform.close();
  expect(await complete("keys", "list", "--team", "D")).toEqual(["Default"]);
  expect(await complete("orgs", "use", "")).toEqual([]);
});

test("doctor client reports each problem and suggests a fix", async ({ database }) => {
  const platform = await start(database);
  const owner = await platform.addUser();
  const cli = testCli({ env: { TOLLGATE_URL: platform.url, HTTPS_PROXY: "http://proxy.example:3128" } });
  const signedOut = await cli.run(["doctor", "client", "--only", "platform,token"]);
  expect(signedOut).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/✗ token +You are not signed in\.\n +Fix: tollgate login/),
  });
  cli.signIn(platform.url, owner.token);
  const report = JSON.parse((await cli.run(["doctor", "client", "--json"])).stdout);
  const states = Object.fromEntries(
    report.checks.map(({ name, state }: { name: string; state: string }) => [name, state]),
  );
  // This URL serves a platform but no gateway.
  expect(states).toEqual({
    version: "passed",
    configuration: "passed",
    proxy: "warning",
    platform: "passed",
    clock: "passed",
    token: "passed",
    gateway: "failed",
    key: "warning",
  });
  for (const { state, fix } of report.checks) expect(fix === null).toBe(state === "passed");
});

test("a sign-in can create a key, which is stored for its URL and its user only, and picks a default model", async ({
  database,
}) => {
  const platform = await start(database);
  const owner = await platform.addUser();
  const cli = testCli({ env: { TOLLGATE_URL: platform.url } });
  const args = ["login", "--token-stdin", "--create-key"];
  const signedIn = await cli.run(args, { stdin: owner.token });
  expect(signedIn).toMatchObject({ code: 0, stderr: expect.stringContaining('tollgate chat "hello"') });
  const stored = readCredential(cli.env, "default");
  expect(stored?.apiKey).toEqual({ baseUrl: platform.url, secret: expect.stringMatching(/^sk-tg-/) });
  expect(signedIn.stderr).not.toContain(stored?.apiKey?.secret);
  expect((await cli.run(["keys", "list", "--jq", ".data[].name"])).stdout).toContain("tollgate on ");
  expect((await cli.run(["auth", "status", "--jq", ".inferenceKey"])).stdout).toBe("file\n");

  // Signing in again keeps the key and creates no second one.
  expect((await cli.run(args, { stdin: owner.token })).stderr).not.toContain("Created key");
  expect(readCredential(cli.env, "default")?.apiKey).toEqual(stored?.apiKey);
  // Another gateway never gets the key.
  const elsewhere = await cli.run(["chat", "hi", "-m", "sim/echo"], {
    env: { TOLLGATE_BASE_URL: "http://127.0.0.1:9" },
  });
  expect(elsewhere).toMatchObject({ code: 4, stderr: expect.stringContaining("No API key is set") });
  // Another user doesn't inherit the key.
  const other = await platform.addUser();
  expect((await cli.run(["login", "--token-stdin"], { stdin: other.token })).code).toBe(0);
  expect(readCredential(cli.env, "default")?.apiKey).toBeNull();
});
