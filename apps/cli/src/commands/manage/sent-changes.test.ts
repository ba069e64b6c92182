import { recorded } from "@tollgate/testkit/recorded-platform.ts";
import { expect, test } from "vitest";
import { startRecorded } from "../../recorded.fixture.ts";

const bot = recorded("getApiKey").apiKey;
const { team } = recorded("getTeam");
const [organization] = recorded("listOrganizations").data;
const web = recorded("updateApiKey").apiKey;
const [webhook] = recorded("listWebhooks").data;

type Case = readonly [
  args: readonly string[],
  operation: string,
  sent: { readonly params?: object; readonly body?: unknown },
];

const changes: readonly Case[] = [
  [
    [
      "keys",
      "create",
      "new",
      "--team",
      "Research",
      "--models",
      "sim/echo,sim/paid",
      "--models",
      "a/b",
      "--cap",
      "25.5/week",
    ],
    "createApiKey",
    {
      body: {
        name: "new",
        teamId: team.id,
        models: ["sim/echo", "sim/paid", "a/b"],
        budget: { limit: "25500000000", period: "weekly" },
      },
    },
  ],
  [
    [
      "keys",
      "update",
      "ci-bot",
      "--rpm",
      "60",
      "--tpm",
      "7000",
      "--max-parallel",
      "0",
      "--models",
      "all",
      "--cap",
      "none",
    ],
    "updateApiKey",
    { body: { token: bot.id, rateLimit: { rpm: 60, tpm: 7000, maxParallel: null }, models: null, budget: null } },
  ],
  [["keys", "update", "ci-bot", "--expires", "never"], "updateApiKey", { body: { token: bot.id, expiresAt: null } }],
  [
    ["keys", "update", "ci-bot", "--expires", "2027-01-01"],
    "updateApiKey",
    { body: { token: bot.id, expiresAt: "2027-01-01T00:00:00.000Z" } },
  ],
  [
    ["keys", "update", "ci-bot", "--cap", "100"],
    "updateApiKey",
    { body: { token: bot.id, budget: { limit: "100000000000", period: "none" } } },
  ],
  [["keys", "rename", "ci-bot", "ci-linux"], "updateApiKey", { body: { token: bot.id, name: "ci-linux" } }],
  [["keys", "disable", "ci-bot"], "updateApiKey", { body: { token: bot.id, disabled: true } }],
  [["keys", "enable", "web-prod"], "updateApiKey", { body: { token: web.id, disabled: false } }],
  [["keys", "rotate", "ci-bot", "--grace", "90m"], "rotateApiKey", { body: { apiKey: bot.id, graceSeconds: 5400 } }],
  [["keys", "rotate", "ci-bot", "--yes"], "rotateApiKey", { body: { apiKey: bot.id, graceSeconds: 0 } }],
  [["keys", "delete", bot.id, "--yes"], "removeApiKey", { body: { apiKey: bot.id } }],
  [
    ["teams", "create", "labs", "--cap", "5/day", "--rpm", "600"],
    "createTeam",
    { body: { name: "labs", budget: { limit: "5000000000", period: "daily" }, rateLimit: { rpm: 600 } } },
  ],
  [
    ["teams", "update", "research", "--name", "Labs", "--tpm", "0"],
    "updateTeam",
    { params: { id: team.id }, body: { name: "Labs", rateLimit: { tpm: null } } },
  ],
  [["teams", "delete", "Research", "--yes"], "deleteTeam", { params: { id: team.id } }],
  [
    ["teams", "invite", "Research", "bo@example.org"],
    "inviteTeamMember",
    { body: { teamId: team.id, email: "bo@example.org", role: "member" } },
  ],
  [
    ["teams", "invite", "Research", "bo@example.org", "--role", "admin"],
    "inviteTeamMember",
    { body: { teamId: team.id, email: "bo@example.org", role: "admin" } },
  ],
  [
    ["teams", "set-role", "Research", "BO@example.org", "member"],
    "updateTeamMember",
    { body: { teamId: team.id, memberId: 2, role: "member" } },
  ],
  [
    ["teams", "remove-member", "Research", "2", "--yes"],
    "removeTeamMember",
    { body: { teamId: team.id, memberId: 2, revokeKeys: false } },
  ],
  [
    ["teams", "remove-member", "Research", "bo@example.org", "--revoke-keys", "--yes"],
    "removeTeamMember",
    { body: { teamId: team.id, memberId: 2, revokeKeys: true } },
  ],
  [
    ["members", "invite", "ada@example.org"],
    "inviteOrganizationMember",
    { params: { id: organization?.id }, body: { email: "ada@example.org", role: "member" } },
  ],
  [
    ["members", "invite", "ada@example.org", "--role", "admin"],
    "inviteOrganizationMember",
    { params: { id: organization?.id }, body: { email: "ada@example.org", role: "admin" } },
  ],
  [
    ["members", "set-role", "bo@example.org", "admin"],
    "updateOrganizationMember",
    { params: { id: organization?.id }, body: { memberId: 2, role: "admin" } },
  ],
  [
    ["members", "remove", "bo@example.org", "--revoke-keys", "--yes"],
    "removeOrganizationMember",
    { params: { id: organization?.id }, body: { memberId: 2, revokeKeys: true } },
  ],
  [["invitations", "accept", "inv_1"], "acceptInvitation", { body: { invitationId: "inv_1" } }],
  [
    ["webhooks", "create", "https://example.org/hook", "--event", "balance.low", "--event", "team.blocked"],
    "createWebhook",
    { body: { url: "https://example.org/hook", events: ["balance.low", "team.blocked"] } },
  ],
  [["webhooks", "delete", "whk_1", "--yes"], "deleteWebhook", { params: { id: "whk_1" } }],
  [
    [
      "orgs",
      "update",
      "--name",
      "Acme",
      "--billing-email",
      "a@example.org",
      "--low-balance",
      "20",
      "--timezone",
      "Europe/Berlin",
    ],
    "updateOrganization",
    {
      body: {
        name: "Acme",
        billingEmail: "a@example.org",
        settings: { lowBalanceThreshold: "20000000000", timezone: "Europe/Berlin" },
      },
    },
  ],
  [
    ["orgs", "update", "--log-prompts", "off", "--retention-days", "30"],
    "updateOrganization",
    { body: { settings: { logPrompts: false, logRetentionDays: 30 } } },
  ],
];

test.for(changes)(
  "%o sends %s with exactly these values, and --dry-run sends no change",
  async ([args, operation, sent]) => {
    const { platform, cli, succeed } = await startRecorded();
    const planned = await cli.run([...args, "--dry-run", "--json"]);
    expect(planned).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(planned.stdout)).toMatchObject({ dryRun: true, request: expect.anything() });
    const changesOf = () => platform.requests.filter(({ operation: id }) => !/^(?:get|list)/.test(id));
    expect(changesOf()).toEqual([]);
    await succeed(args);
    expect(changesOf()).toHaveLength(1);
    const [{ params = {}, body } = {}] = changesOf();
    expect({ operation: changesOf()[0]?.operation, params, body }).toEqual({
      operation,
      params: sent.params ?? {},
      body: sent.body,
    });
  },
);

test("an expiry such as 90d is that long from now", async () => {
  const { platform, succeed } = await startRecorded();
  await succeed(["keys", "update", "ci-bot", "--expires", "90d"]);
  await succeed(["keys", "create", "new", "--team", "Research", "--expires", "36h"]);
  const inDays = ({ body }: { body: unknown }) =>
    (Date.parse((body as { expiresAt: string }).expiresAt) - Date.now()) / 86_400_000;
  const [updated, created] = [...platform.asked("updateApiKey"), ...platform.asked("createApiKey")].map(inDays);
  expect(updated).toBeCloseTo(90, 2);
  expect(created).toBeCloseTo(1.5, 2);
});

test("creations send an idempotency key, so that a retry creates nothing twice", async () => {
  const { platform, succeed } = await startRecorded();
  await succeed(["keys", "create", "new", "--team", "Research"]);
  await succeed(["teams", "create", "labs"]);
  await succeed(["members", "invite", "ada@example.org"]);
  await succeed(["webhooks", "create", "https://example.org/hook", "--event", "balance.low"]);
  const created = platform.requests.filter(({ operation }) => /^(?:create|invite)/.test(operation));
  expect(created).toHaveLength(4);
  const keys = created.map(({ headers }) => headers["idempotency-key"]);
  expect(keys).not.toContain(undefined);
  expect(new Set(keys).size).toBe(4);
});

test.for([
  [["keys", "create", "new"], "Several teams exist: Research, Default."],
  [["keys", "update", "ci-bot"], "No changes specified."],
  [["keys", "update", "ci-bot", "--models", "all,sim/echo"], "--models all cannot be combined with other models."],
  [["keys", "update", "ci-bot", "--cap", "5/year"], "Invalid budget period 'year'."],
  [["keys", "rotate", "ci-bot", "--grace", "8d"], "--grace must be at most 7d, not '8d'."],
  [["teams", "update", "Research"], "No changes specified."],
  [["webhooks", "create", "https://example.org/hook"], "No events specified."],
  [["orgs", "update"], "No changes specified."],
  [["members", "invite", "ada@example.org", "--role", "owner"], "--role must be one of: member, admin."],
] as const)("%o is invalid usage and changes nothing", async ([args, text]) => {
  const { platform, cli } = await startRecorded();
  expect(await cli.run(args)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(`✗ ${text}`) });
  expect(platform.requests.filter(({ operation }) => !operation.startsWith("list"))).toEqual([]);
});

test.for([
  [["keys", "delete", "ci-bto", "--yes"], "Unknown key 'ci-bto'.", "Did you mean 'ci-bot'?"],
  [["teams", "delete", "Reserch", "--yes"], "Unknown team 'Reserch'.", "Did you mean 'Research'?"],
  [
    ["members", "remove", "bo@example.or", "--yes"],
    "Unknown member 'bo@example.or' in Local.",
    "Did you mean 'bo@example.org'?",
  ],
] as const)("%o exits with code 3 and suggests a name", async ([args, message, fix]) => {
  const { cli } = await startRecorded();
  expect(await cli.run(args)).toMatchObject({ code: 3, stdout: "", stderr: `✗ ${message}\n  Fix:  ${fix}\n` });
});

test("if some of several changes are refused, applies the others, warns about each refusal, and exits with code 8", async () => {
  const { platform, cli } = await startRecorded();
  platform.plans("updateApiKey", ({ body }) =>
    (body as { token: string }).token === bot.id
      ? { status: 403, body: { error: "Not your key.", code: "FORBIDDEN", details: {} } }
      : { status: 200, body: recorded("updateApiKey") },
  );
  const run = await cli.run(["keys", "disable", "ci-bot", "web-prod", "-q"]);
  expect(run).toMatchObject({ code: 8, stdout: "", stderr: `! ci-bot (${bot.id}): Not your key.\n` });
  expect(platform.asked("updateApiKey")).toHaveLength(2);
  const { code, stdout } = await cli.run(["keys", "disable", "ci-bot", "web-prod", "--json"]);
  expect(code).toBe(8);
  expect(JSON.parse(stdout)).toEqual({
    data: [
      { id: bot.id, name: "ci-bot", ok: false, error: "Not your key." },
      { id: web.id, name: "web-prod", ok: true, error: null },
    ],
    meta: { total: 2, failed: 1 },
  });
});

test("if the only change is refused, the command fails with the platform's error", async () => {
  const { platform, cli } = await startRecorded();
  platform.refuses("updateApiKey", "UNKNOWN_OBJECT");
  expect(await cli.run(["keys", "disable", "ci-bot"])).toMatchObject({
    code: 3,
    stdout: "",
    stderr: expect.stringMatching(/^✗ API key not found\.\n/),
  });
  platform.refuses("createTeam", "NAME_TAKEN");
  const { code, stderr } = await cli.run(["teams", "create", "Research", "--json"]);
  expect(code).toBe(2);
  expect(JSON.parse(stderr)).toMatchObject({
    error: {
      code: "VALIDATION_ERROR",
      status: 409,
      message: expect.stringContaining("Another team"),
      retryable: false,
    },
  });
});

test("a temporary failure of an unchanged request is retried, and the command succeeds", async () => {
  const { platform, succeed } = await startRecorded();
  let failures = 1;
  platform.plans("createTeam", () => {
    failures -= 1;
    return failures >= 0
      ? { status: 503, body: { error: "Busy.", code: "DB_TIMEOUT", details: {} }, headers: { "retry-after": "0" } }
      : { status: 201, body: recorded("createTeam") };
  });
  await succeed(["teams", "create", "labs"]);
  const keys = platform.asked("createTeam").map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toEqual([keys[0], keys[0]]);
});

test.for([
  [["keys", "create", "new", "--team", "Research"], recorded("createApiKey").apiKey.token],
  [["keys", "rotate", "ci-bot", "--yes"], recorded("rotateApiKey").apiKey.token],
  [["webhooks", "create", webhook?.url ?? "", "--event", "balance.low"], recorded("createWebhook").webhook.secret],
] as const)("%o prints only the secret to standard output, and the secret nowhere else", async ([args, secret]) => {
  const { cli } = await startRecorded();
  const quiet = await cli.run([...args, "-q"]);
  expect(quiet).toEqual({ code: 0, stdout: `${secret}\n`, stderr: "" });
  const { stdout, stderr } = await cli.run(args);
  expect(stdout).toBe(`${secret}\n`);
  expect(stderr).not.toContain(secret);
});

test("the shown limits of a new key are those that the platform stored", async () => {
  const { platform, cli } = await startRecorded();
  const stored = { ...recorded("rotateApiKey").apiKey, expiresAt: null, models: ["sim/echo", "sim/paid"] };
  platform.answers("createApiKey", { apiKey: stored });
  const { stderr } = await cli.run(["keys", "create", "new", "--team", "Research"]);
  expect(stderr).toContain("✓ Created key ci-bot in team Research (Local)\n");
  expect(stderr).toContain("  models  sim/echo, sim/paid     budget  $25.00 per day     expires  never\n");
});
