import { recorded } from "@tollgate/testkit/recorded-platform.ts";
import { expect, test } from "vitest";
import { startRecorded, useTimeZone } from "../../recorded.fixture.ts";

const { organization, teams } = recorded("getAdminOrganization");
const [team] = teams.filter(({ name }) => name === "Research");
const [provider] = recorded("listAdminProviders").data;

type Case = readonly [
  args: readonly string[],
  operation: string,
  sent: { readonly params?: object; readonly body?: unknown },
];

const changes: readonly Case[] = [
  [
    [
      ...["admin", "models", "create", "--provider", "acme", "--inference-model-id", "acme-7b", "--id", "acme/7b"],
      ...["--input-price", "0.25", "--output-price", "1.25", "--cached-price", "0.1", "--request-price", "0.000000001"],
      ...[
        "--context",
        "32768",
        "--max-output",
        "4096",
        "--capability",
        "tools",
        "--capability",
        "vision",
        "--rpm",
        "60",
        "--tpm",
        "9",
      ],
    ],
    "createModel",
    {
      body: {
        provider: "acme",
        inferenceModelId: "acme-7b",
        id: "acme/7b",
        contextWindow: 32_768,
        maxOutputTokens: 4096,
        capabilities: ["tools", "vision"],
        pricing: {
          inputPerMillionTokens: "250000000",
          outputPerMillionTokens: "1250000000",
          cachedInputPerMillionTokens: "100000000",
          perRequest: "1",
        },
        params: { rpm: 60, tpm: 9 },
      },
    },
  ],
  [
    ["admin", "models", "update", "acme/7b", "--output-price", "2", "--status", "deprecated"],
    "updateModel",
    { params: { id: "acme/7b" }, body: { pricing: { outputPerMillionTokens: "2000000000" }, status: "deprecated" } },
  ],
  [
    ["admin", "models", "disable", "acme/7b"],
    "updateModel",
    { params: { id: "acme/7b" }, body: { status: "disabled" } },
  ],
  [["admin", "models", "delete", "acme/7b", "--yes"], "deleteModel", { params: { id: "acme/7b" } }],
  [
    [
      "admin",
      "providers",
      "create",
      "lab",
      "--kind",
      "openai",
      "--api-base",
      "https://lab.example/v1",
      "--website",
      "https://lab.example",
    ],
    "createProvider",
    { body: { slug: "lab", kind: "openai", baseUrl: "https://lab.example/v1", website: "https://lab.example" } },
  ],
  [
    ["admin", "providers", "update", "acme", "--status", "unavailable", "--name", "Acme"],
    "updateProvider",
    { params: { id: provider?.id }, body: { status: "unavailable", name: "Acme" } },
  ],
  [["admin", "providers", "delete", "acme", "--yes"], "deleteProvider", { params: { id: provider?.id } }],
  [
    ["admin", "credits", "grant", "Local", "25.000000001", "--reason", "pilot"],
    "createCreditTransaction",
    { params: { id: organization.id }, body: { amount: "25000000001", reason: "pilot" } },
  ],
  [
    ["admin", "teams", "block", "Research", "--of", "Local", "--reason", "leaked key"],
    "blockTeam",
    { params: { id: team?.id }, body: { reason: "leaked key" } },
  ],
  [["admin", "teams", "unblock", team?.id ?? ""], "unblockTeam", { params: { id: team?.id }, body: {} }],
  [
    ["admin", "users", "set-role", "bo@example.org", "admin"],
    "updateUser",
    { params: { id: "2" }, body: { role: "admin" } },
  ],
  [["admin", "users", "disable", "2"], "updateUser", { params: { id: "2" }, body: { status: "disabled" } }],
  [["admin", "users", "enable", "BO@example.org"], "updateUser", { params: { id: "2" }, body: { status: "active" } }],
  [["admin", "users", "delete", "2", "--yes"], "deleteUser", { params: { id: "2" } }],
];

test.for(changes)(
  "%o sends %s with exactly these values, and --dry-run sends no change",
  async ([args, operation, sent]) => {
    const { platform, cli, succeed } = await startRecorded();
    expect(await cli.run([...args, "--dry-run"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/No changes were made\.\n$/),
      stderr: "",
    });
    const changesOf = () => platform.requests.filter(({ operation: id }) => !/^(?:get|list)/.test(id));
    expect(changesOf()).toEqual([]);
    await succeed(args);
    expect(changesOf().map(({ operation: id, params, body }) => ({ id, params, body }))).toEqual([
      { id: operation, params: sent.params ?? {}, body: sent.body },
    ]);
  },
);

test("reads a provider's API key from standard input or the environment, and never prints it", async () => {
  const { platform, cli } = await startRecorded();
  const create = ["admin", "providers", "create", "lab", "--kind", "openai"];
  const runs = [
    await cli.run([...create, "--api-key-stdin", "--debug"], { stdin: "sk-lab-secret\n" }),
    await cli.run(create, { env: { TOLLGATE_PROVIDER_API_KEY: "sk-lab-secret" } }),
    await cli.run(["admin", "providers", "update", "acme", "--api-key-stdin"], { stdin: "sk-lab-secret" }),
  ];
  for (const { code, stdout, stderr } of runs) {
    expect(code).toBe(0);
    expect(`${stdout}${stderr}`).not.toContain("sk-lab-secret");
  }
  const changesOf = platform.requests.filter(({ operation }) => /Provider$/.test(operation));
  expect(changesOf.map(({ body }) => (body as { apiKey: string }).apiKey)).toEqual(Array(3).fill("sk-lab-secret"));
  expect(await cli.run([...create, "--api-key-stdin"], { stdin: "\n" })).toMatchObject({ code: 2 });
});

test("filters of the audit log are sent as IDs and times", async () => {
  const { platform, succeed } = await startRecorded();
  const flags = [
    "--actor",
    "1",
    "--action",
    "key.created",
    "--action",
    "key.revoked",
    "--target",
    "key_1",
    "--search",
    "ci",
    "--of",
    "Local",
  ];
  await succeed(["admin", "audit", ...flags, "--since", "2026-11-01", "--until", "2026-11-02T12:30:00Z", "-n", "7"]);
  expect(platform.asked("listAdminAuditLog")[0]?.query).toEqual({
    actor: "1",
    action: ["key.created", "key.revoked"],
    target: "key_1",
    search: "ci",
    organizationId: organization.id,
    startDate: "2026-11-01T00:00:00.000Z",
    endDate: "2026-11-02T12:30:00.000Z",
    pageSize: "7",
  });
});

test("the audit log shows each change as a sentence with the names of objects, and where it came from", async () => {
  useTimeZone("Asia/Tokyo");
  const { platform, table } = await startRecorded();
  const [entry] = recorded("listAdminAuditLog").data;
  platform.lists("listAdminAuditLog", [
    {
      ...entry,
      at: "2026-11-02T20:00:00.000Z",
      summary: "ada@example.com created API key ci",
      organizationName: "Acme",
      target: { id: "key_1", type: "key", email: null, name: "ci" },
    },
    {
      ...entry,
      at: "2026-11-02T20:00:00.000Z",
      summary: "System blocked team Search: negative balance",
      organizationName: "Acme",
      ip: null,
      requestId: null,
    },
  ]);
  expect(await table("admin", "audit")).toEqual([
    ["WHEN", "CHANGE", "ORGANIZATION", "TARGET", "IP ADDRESS", "REQUEST"],
    ["2026-11-03 05:00:00", "ada@example.com created API key ci", "Acme", "key_1", "127.0.0.1", entry?.requestId],
    ["2026-11-03 05:00:00", "System blocked team Search: negative balance", "Acme", entry?.target.id],
  ]);
});

test("deployment IDs are shortened in a terminal, and a shortened one is found again", async () => {
  const { platform, table, succeed } = await startRecorded();
  const [deployment] = recorded("listDeployments").deployments;
  const id = "ab12cd34".repeat(8);
  const { warnings } = recorded("listDeployments");
  platform.answers("listDeployments", { deployments: [{ ...deployment, id }], warnings });
  const [heading = [], row = []] = await table("admin", "models", "list");
  expect(row[heading.indexOf("ID")]).toBe("ab12cd34");
  await succeed(["admin", "models", "test", "ab12cd34"]);
  expect(platform.asked("testDeployment")[0]?.params).toEqual({ id });
});

test("the list of organizations shows balances and counts", async () => {
  const { platform, table, succeed } = await startRecorded();
  const createdAt = new Date(Date.now() - 26 * 3_600_000).toISOString();
  const [row] = recorded("listAdminOrganizations").data;
  platform.lists("listAdminOrganizations", [
    {
      ...row,
      name: "Acme",
      status: "closed",
      memberCount: 3,
      teamCount: 2,
      keyCount: 7,
      createdAt,
      usd: { balance: "-1.500000000", spent: "12.340000000" },
    },
  ]);
  expect(await table("admin", "orgs", "list")).toEqual([
    ["NAME", "BALANCE", "SPENT", "STATUS", "MEMBERS", "TEAMS", "KEYS", "CREATED", "ID"],
    ["Acme", "−$1.50", "$12.34", "closed", "3", "2", "7", "1 d ago", row?.id],
  ]);
  await succeed(["admin", "orgs", "list", "--search", "ac", "--status", "closed", "--sort=-balance"]);
  expect(platform.asked("listAdminOrganizations").at(-1)?.query).toEqual({
    search: "ac",
    status: "closed",
    sort: "-balance",
    pageSize: "20",
  });
});

test("a user shows verification, role, keys, times, and organizations with balances", async () => {
  useTimeZone("Europe/Berlin");
  const { platform, cells } = await startRecorded();
  const { user, organizations } = recorded("getUser");
  const times = { createdAt: "2026-08-01T22:00:00.000Z", lastLoginAt: null };
  const usd = { balance: "12.500000000" };
  platform.answers("getUser", {
    user: { ...user, ...times, emailVerified: false },
    organizations: organizations.slice(0, 1).map((each) => ({ ...each, usd })),
    keyCount: 4,
    lastLoginAt: null,
  });
  expect(await cells("admin", "users", "show", "2")).toEqual([
    ["id", "2"],
    ["email", "bo@example.org (not verified)"],
    ["name", "Bo"],
    ["role", "user"],
    ["status", "active"],
    ["keys", "4"],
    ["created", "2026-08-02 00:00:00"],
    ["last login", "never"],
    ["organization", "Local (member), $12.50"],
  ]);
});

test("a deployment test exits with code 0 if the deployment responds, otherwise with code 7", async () => {
  const { platform, cli } = await startRecorded();
  expect(await cli.run(["admin", "models", "test", "sim-1", "--jq", ".ok"])).toMatchObject({
    code: 0,
    stdout: "true\n",
  });
  platform.edits("testDeployment", { ok: false, status: 401, message: "Invalid key.", timing: null });
  const failed = await cli.run(["admin", "models", "test", "sim-1"]);
  expect(failed).toMatchObject({ code: 7, stderr: "" });
  expect(failed.stdout).toBe("result\tfailed\nstatus\t401\nmessage\tInvalid key.\nlatency\t125 ms\n");
  expect(platform.asked("testDeployment")).toMatchObject([{ params: { id: "sim-1" } }, { params: { id: "sim-1" } }]);
});

test("`admin reconcile` exits with code 0, with code 1 if a check fails, and with code 7 while checks run", async () => {
  const { platform, cli } = await startRecorded();
  const report = recorded("createReconciliation");
  expect(await cli.run(["admin", "reconcile"])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^R1\tok\t0\n/),
  });
  const [check, ...others] = report.checks;
  const broken = { ...check, ok: false, count: 3, examples: ["org_1: 5 instead of 4"] };
  platform.edits("createReconciliation", { ok: false, checks: [broken, ...others] });
  expect(await cli.run(["admin", "reconcile"])).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^R1\tfailed\t3\n/),
  });
  const shown = await cli.run(["admin", "reconcile"], { terminal: { columns: 100 } });
  expect(shown.stdout).toContain(`✗ ${check?.title}  3\n    org_1: 5 instead of 4\n`);
  expect(await cli.run(["admin", "reconcile", "--last"])).toMatchObject({ code: 0 });
  expect(platform.asked("getReconciliation")).toHaveLength(1);
  platform.plans("createReconciliation", () => ({ status: 202, body: { status: "running" } }));
  expect(await cli.run(["admin", "reconcile"])).toMatchObject({
    code: 7,
    stdout: "",
    stderr: expect.stringContaining("The ledger checks are still running."),
  });
});

test.for([
  [["admin", "credits", "grant", "Local", "25"], "A reason is required to grant credit."],
  [["admin", "credits", "grant", "Local", "all", "--reason", "x"], "Invalid amount 'all'."],
  [["admin", "teams", "block", "Research", "--reason", "x"], "'Research' is not a team ID."],
  [["admin", "teams", "block", "Research", "--of", "Local"], "A reason is required to block a team."],
  [["admin", "models", "create", "--provider", "acme"], "A model requires a provider and a provider model ID."],
  [["admin", "models", "update", "acme/7b"], "No changes specified."],
  [["admin", "providers", "create", "lab"], "A provider kind is required."],
  [["admin", "users", "set-role", "2", "owner"], "<role> must be one of: user, admin."],
] as const)("%o is invalid usage and changes nothing", async ([args, text]) => {
  const { platform, cli } = await startRecorded();
  expect(await cli.run(args)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(`✗ ${text}`) });
  expect(platform.requests.filter(({ operation }) => !operation.startsWith("list"))).toEqual([]);
});
