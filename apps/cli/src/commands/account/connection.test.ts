import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recorded } from "@tollgate/testkit/recorded-platform.ts";
import { expect, test } from "vitest";
import { startRecorded } from "../../recorded.fixture.ts";
import { readCredential, writeCredential } from "../../settings/credentials.ts";

const { user } = recorded("getMe");
const balance = recorded("getBalance");
const { quota } = recorded("getQuota");
const [organization] = recorded("listOrganizations").data;

async function startWithGateway(readiness = 200) {
  const started = await startRecorded();
  started.platform.plans("GET /health/readiness", () => ({ status: readiness, body: {} }));
  return started;
}

test("the JSON of `status` has the user, organization, balance, quota, gateway, and connection", async () => {
  const { platform, json } = await startWithGateway();
  const { url } = platform;
  expect(await json("status")).toEqual({
    user,
    organization,
    balance,
    quota,
    gateway: { status: "ready" },
    profile: "default",
    url,
    baseUrl: url,
  });
});

test("`status` shows the user, balance, blocked teams, and the state of the gateway", async () => {
  const { platform, cells } = await startWithGateway(503);
  const usd = { balance: "10.000000000", available: "9.500000000", held: "0.500000000" };
  platform.edits("getBalance", { usd });
  platform.answers("getQuota", {
    quota: { ...quota, blockedTeams: 1, usd: { ...quota.usd, totalUsed: "3.250000000" } },
  });
  expect(await cells("status")).toEqual([
    ["signed in", "dev@localhost (administrator)"],
    ["organization", "Local (owner)"],
    ["balance", "$10.00, $9.50 available, $0.50 held"],
    ["used", "$3.25"],
    ["teams", "2, 1 blocked: tollgate credits buy 20"],
    ["platform", platform.url],
    ["gateway", `${platform.url}: not ready (503)`],
    ["profile", "default"],
  ]);
});

test("sends the stored token, and the token from the environment instead if it is set", async () => {
  const { platform, succeed } = await startRecorded();
  await succeed(["whoami"]);
  await succeed(["whoami"], { env: { TOLLGATE_TOKEN: "from-environment" } });
  expect(platform.requests.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer recorded-token",
    "Bearer from-environment",
  ]);
});

test.for([["whoami"], ["keys", "list"], ["auth", "token"], ["auth", "refresh"]])(
  "`%s` never sends the stored token to a server that the user didn't sign in to",
  async (args) => {
    const { cli } = await startRecorded();
    const other = await startRecorded();
    const run = await cli.run([...args, "--url", other.platform.url]);
    expect(run).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining("You are signed in to http://") });
    expect(other.platform.requests).toEqual([]);
  },
);

test("`logout` ends the session at the server that the user signed in to, whichever server is configured", async () => {
  const { cli, platform } = await startRecorded();
  const other = await startRecorded();
  const run = await cli.run(["logout", "--url", other.platform.url, "--json"]);
  expect(run).toMatchObject({ code: 0, stdout: '{"profile":"default","removed":true,"sessionEnded":true}\n' });
  expect(other.platform.requests).toEqual([]);
  expect(platform.requests).toMatchObject([
    { operation: "logout", headers: { authorization: "Bearer recorded-token" } },
  ]);
  expect(readCredential(cli.env, "default")).toBeNull();
});

test("a project file cannot direct the user's token or key to its own URL", async () => {
  const { cli } = await startRecorded();
  const other = await startRecorded();
  const cwd = join(cli.home, "downloaded");
  mkdirSync(cwd);
  writeFileSync(join(cwd, ".tollgate.toml"), `url = "${other.platform.url}"\n`);
  const env = { TOLLGATE_URL: "" };
  expect(await cli.run(["whoami"], { cwd, env })).toMatchObject({ code: 4 });
  expect(await cli.run(["whoami"], { cwd, env: { ...env, TOLLGATE_TOKEN: "secret" } })).toMatchObject({ code: 4 });
  expect(await cli.run(["logout"], { cwd, env })).toMatchObject({ code: 0 });
  expect(other.platform.requests).toEqual([]);
});

test("--org selects the organization by ID or name, before the environment and the profile", async () => {
  const { platform, cli, succeed } = await startRecorded();
  const rows = ["A", "B", "C"].map((name, at) => ({
    ...organization,
    name,
    id: `org_${String(at).padStart(26, "0")}`,
  }));
  platform.lists("listOrganizations", rows);
  const [a, b, c] = rows.map(({ id }) => id);
  const sentBy = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    await succeed(["balance", ...args], { env });
    return platform.asked("getBalance").at(-1)?.headers["x-gw-organization"];
  };
  expect(await sentBy([])).toBeUndefined();
  await succeed(["orgs", "use", "a"]);
  expect(platform.asked("updateActiveOrganization")).toMatchObject([{ body: { organizationId: a } }]);
  expect(await sentBy([])).toBe(a);
  expect(await sentBy([], { TOLLGATE_ORG: "B" })).toBe(b);
  expect(await sentBy(["-o", c as string], { TOLLGATE_ORG: "B" })).toBe(c);
  const unknown = await cli.run(["balance", "--org", "D"]);
  expect(unknown).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining("Unknown organization 'D'.") });
});

test("--profile selects the server and the sign-in, before TOLLGATE_PROFILE and the default profile", async () => {
  const { platform, cli } = await startRecorded();
  const other = await startRecorded();
  const env = { TOLLGATE_URL: "" };
  const login = (profile: string, url: string) =>
    cli.run(["login", "--profile", profile, "--url", url, "--email", user.email, "--password-stdin"], {
      stdin: "secret\n",
      env,
    });
  expect(await login("work", platform.url)).toMatchObject({ code: 0 });
  expect(await login("lab", other.platform.url)).toMatchObject({ code: 0 });
  expect(platform.asked("createToken")).toMatchObject([{ body: { email: user.email, password: "secret" } }]);
  const urlFor = async (args: readonly string[], variables = {}) =>
    (await cli.run(["whoami", ...args], { env: { ...env, ...variables } })).stdout.match(/platform\t(.*)/)?.[1];
  expect(await urlFor(["-p", "work"])).toBe(platform.url);
  expect(await urlFor([], { TOLLGATE_PROFILE: "lab" })).toBe(other.platform.url);
  expect(await urlFor(["-p", "work"], { TOLLGATE_PROFILE: "lab" })).toBe(platform.url);
  expect((await cli.run(["profiles", "use", "lab"], { env })).code).toBe(0);
  expect(await urlFor([])).toBe(other.platform.url);
  const { stdout } = await cli.run(["profiles", "list"], { env });
  expect(stdout).toBe(`*\tlab\t${other.platform.url}\tdev@localhost\t–\n\twork\t${platform.url}\tdev@localhost\t–\n`);
  expect(await cli.run(["whoami", "-p", "wrok"], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Unknown profile 'wrok'."),
  });
});

test("`auth status` exits with code 4 if the user is not signed in, and sends no request", async () => {
  const { platform, cli } = await startRecorded();
  expect(await cli.run(["auth", "status", "--jq", ".signedIn"])).toMatchObject({ code: 0, stdout: "true\n" });
  await cli.run(["profiles", "delete", "default", "--yes"]);
  expect(await cli.run(["auth", "status"])).toMatchObject({
    code: 4,
    stdout: expect.stringContaining("signed in\tno (run tollgate login)\n"),
  });
  expect(await cli.run(["whoami"])).toMatchObject({
    code: 4,
    stdout: "",
    stderr: "✗ You are not signed in.\n  Fix:  tollgate login\n",
  });
  expect(platform.requests).toEqual([]);
});

test("a token near its end is renewed and stored before it is used", async () => {
  const { platform, cli, succeed } = await startRecorded();
  const [issuedAt, expiresAt] = [-3_600_000, 60_000].map((ms) => new Date(Date.now() + ms).toISOString());
  const old = {
    url: platform.url,
    token: "old",
    issuedAt: String(issuedAt),
    expiresAt: String(expiresAt),
    email: null,
    apiKey: null,
  };
  writeCredential(cli.env, "default", old);
  await succeed(["whoami"]);
  const { token } = recorded("refreshToken");
  expect(platform.requests.map(({ operation, headers }) => [operation, headers.authorization])).toEqual([
    ["refreshToken", "Bearer old"],
    ["getMe", `Bearer ${token}`],
  ]);
  expect(readCredential(cli.env, "default")?.token).toBe(token);
});

test("a failed sign-in stores nothing and exits with code 4", async () => {
  const { platform, cli } = await startRecorded();
  platform.refuses("createToken", "BAD_CREDENTIALS");
  const before = readFileSync(join(cli.home, "credentials.toml"), "utf8");
  const run = await cli.run(["login", "--email", "a@example.org", "--password-stdin"], { stdin: "wrong" });
  expect(run).toMatchObject({
    code: 4,
    stdout: "",
    stderr: expect.stringContaining("To reset the password: tollgate open forgot"),
  });
  expect(readFileSync(join(cli.home, "credentials.toml"), "utf8")).toBe(before);
});

test("`api` sends fields as query parameters or as a body, and prints the answer", async () => {
  const { platform, cli, succeed } = await startRecorded();
  const listed = await succeed([
    "api",
    "/api/api-keys",
    "-f",
    "pageSize=5",
    "-f",
    "status=active",
    "--jq",
    ".data[0].name",
  ]);
  expect(listed.stdout).toBe("web-prod\n");
  expect(platform.asked("listApiKeys")[0]).toMatchObject({
    query: { pageSize: "5", status: "active" },
    body: undefined,
  });
  const fields = ["-f", "name=Labs", "-f", 'models:=["sim/*"]', "--idempotency-key", "once"];
  await succeed(["api", "post", "/api/gw/teams", ...fields]);
  expect(platform.asked("createTeam")[0]).toMatchObject({
    body: { name: "Labs", models: ["sim/*"] },
    headers: { "idempotency-key": "once" },
  });
  const included = await succeed(["api", "DELETE", "/api/webhooks/whk_1", "-i"]);
  expect(included.stdout).toMatch(/^204\n/);
  for (const wrong of [
    ["api", "api/balance"],
    ["api", "FETCH", "/api/balance"],
    ["api", "/api/balance", "-f", "x"],
  ])
    expect(await cli.run(wrong)).toMatchObject({ code: 2, stdout: "" });
});

test("`api` sends the idempotency key to the gateway, too", async () => {
  const { platform, cli } = await startRecorded();
  platform.plans("POST /v1/things", () => ({ status: 200, body: { id: "thing_1" } }));
  const args = ["api", "POST", "/v1/things", "-f", "name=x", "--idempotency-key", "once"];
  const run = await cli.run(args, { env: { TOLLGATE_API_KEY: "sk-tg-recorded" } });
  expect(run).toMatchObject({ code: 0, stdout: '{"id":"thing_1"}\n' });
  expect(platform.requests).toMatchObject([{ body: { name: "x" }, headers: { "idempotency-key": "once" } }]);
});

test("errors are JSON if the profile's output is JSON", async () => {
  const { cli, platform } = await startRecorded();
  await cli.run(["config", "set", "output", "json"]);
  platform.refuses("getMe", "NOT_SIGNED_IN");
  const { code, stdout, stderr } = await cli.run(["whoami"]);
  expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: "UNAUTHORIZED", fix: "tollgate login" } });
});

test("-v logs requests and --debug logs bodies, on standard error and without secrets", async () => {
  const { cli } = await startRecorded();
  const logged = await cli.run(["keys", "rotate", "ci-bot", "--yes", "--debug", "-q"]);
  expect(logged.stdout).toBe(`${recorded("rotateApiKey").apiKey.token}\n`);
  expect(logged.stderr).toMatch(/^> GET http:\S+\/api\/api-keys\?/);
  expect(logged.stderr).toContain('"graceSeconds":0');
  expect(logged.stderr).not.toMatch(/recorded-token|sk-tg-recorded/);
  const brief = await cli.run(["whoami", "-v"]);
  expect(brief.stderr).toMatch(/^> GET \S+\/api\/auth\/me\n< 200 \d+ ms req_recorded\n$/);
});
