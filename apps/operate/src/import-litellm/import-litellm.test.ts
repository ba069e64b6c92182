// cspell:ignore twin
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "@tollgate/server/billed-gateway.fixture.ts";
import { apps } from "@tollgate/server/operate-apps.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { cloneDatabase, createEmptyDatabase, querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { idFor } from "./convert-fields.ts";
import { importLitellm } from "./import-litellm.ts";

/** Dump of a database that a LiteLLM proxy wrote. scripts/litellm-database regenerates it. */
const fixture = join(import.meta.dirname, "../../../../tests/import-litellm/fixture");
const { secrets, saltKey } = JSON.parse(readFileSync(join(fixture, "litellm.json"), "utf8")) as {
  readonly saltKey: string;
  readonly secrets: Readonly<Record<string, string>>;
};
const USD = 1_000_000_000n;

interface Report {
  readonly counts: Readonly<Record<string, number>>;
  readonly withoutCredit: readonly string[];
  readonly lines: readonly {
    readonly kind: string;
    readonly name: string;
    readonly outcome: string;
    readonly detail: string | null;
    readonly notes: readonly string[];
    readonly warnings: readonly string[];
  }[];
}

let litellm: TestDatabase;
beforeAll(async () => {
  litellm = await createEmptyDatabase();
  await querySql(litellm.connectionString, readFileSync(join(fixture, "litellm.sql"), "utf8"));
});
afterAll(() => litellm.drop());

/**
 * Prepares a new Tollgate database next to LiteLLM's database, and returns a function that runs the command on both.
 */
async function prepare(installed?: string) {
  const own = installed === undefined ? await cloneDatabase() : null;
  if (own !== null) onTestFinished(() => own.drop());
  const connectionString = installed ?? own?.connectionString ?? "";
  const cwd = mkdtempSync(join(tmpdir(), "tollgate-import-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const env: Record<string, string> = {};
  const runText = async (...args: string[]) => {
    let out = "";
    let err = "";
    const stdout = { write: (text: string) => (out += text) };
    const stderr = { write: (text: string) => (err += text) };
    const code = await importLitellm(["--database-url", litellm.connectionString, ...args], {
      stdout,
      stderr,
      env: { DATABASE_URL: connectionString, ...env },
      cwd,
      apps,
    });
    return { code, out, err };
  };
  return {
    cwd,
    env,
    connectionString,
    runText,
    run: async (...args: string[]) => {
      const { code, out, err } = await runText("--json", ...args);
      return { code, err, report: JSON.parse(out) as Report };
    },
    /** Changes LiteLLM's database until the test ends. */
    change: async (text: string, back: string) => {
      onTestFinished(async () => {
        await querySql(litellm.connectionString, back);
      });
      await querySql(litellm.connectionString, text);
    },
  };
}

const acme = async (connectionString: string) => {
  const [row] = await querySql<{ id: string }>(connectionString, "select id from organizations where name = 'Acme'");
  return { organizationId: row?.id ?? "", teamId: "", keyId: "", apiKey: "", tokenHash: Buffer.alloc(0) };
};
const unnamed = { organizationId: idFor("org", ""), teamId: "", keyId: "", apiKey: "", tokenHash: Buffer.alloc(0) };

/** Queries Tollgate's database with access to all organizations. */
function asOperator<Row>(connectionString: string, text: string): Promise<Row[]> {
  const options = encodeURIComponent("-c role=tollgate_platform -c tollgate.administrator=on");
  return querySql(`${connectionString}?options=${options}`, text);
}

async function codeOf(response: Response): Promise<[number, string | null]> {
  const body = (await response.json()) as { error?: { code?: string } };
  return [response.status, body.error?.code ?? null];
}

test("a dry run reports every record and changes nothing", async () => {
  const { run, runText, cwd, connectionString } = await prepare();
  const tables = ["organizations", "teams", "users", "api_keys", "budgets", "organization_members", "audit_log"];
  const count = () =>
    asOperator(connectionString, `select ${tables.map((name) => `(select count(*) from ${name}) as ${name}`).join()}`);
  const before = await count();
  const { code, report } = await run();
  expect({ code, ...report.counts }).toEqual({ code: 0, created: 24, changed: 0, unchanged: 0, skipped: 4, failed: 0 });
  expect(await count()).toEqual(before);
  expect(existsSync(join(cwd, "litellm-import.json"))).toBe(false);
  const { out } = await runText("--dry-run");
  expect(out).toMatch(/ {2}OK {4}organization {2}Acme .* to create\n/);
  expect(out).toMatch(/ {2}WARN {2}key .* soft .* to create: not imported: budget.soft_budget\n/);
  expect(out).toMatch(/ {2}SKIP {2}user .* ci-robot .* no email address/);
  expect(out).toContain("No changes were made. To import, add --apply\n");
});

test("clients can keep using their keys, and their organization is charged", async ({
  database,
  tollgate,
  upstreams,
}) => {
  const { run } = await prepare(database.connectionString);
  expect(await run("--apply")).toMatchObject({ code: 0, report: { counts: { created: 24, failed: 0 } } });
  const gateway = await tollgate.start();
  upstreams.alpha.replies(200, chatAnswer({ inputTokens: 12, outputTokens: 3 }));
  const place = await acme(database.connectionString);
  // LiteLLM has no balances, so imported organizations start without credit.
  expect(await codeOf(await gateway.chat(secrets.research as string))).toEqual([429, "QUOTA_EXCEEDED"]);
  await tollgate.addCredit(place, 5n * USD);
  await tollgate.addCredit(unnamed, 5n * USD);
  const calls: [string, object][] = [
    ["research", {}],
    ["aliased", { model: "cheap" }],
    ["research", { model: "gpt-4o" }],
  ];
  for (const [name, fields] of calls) expect((await gateway.chat(secrets[name] as string, fields)).status).toBe(200);
  const rows = await tollgate.settled(place, calls.length);
  expect(rows.every(({ cost, model_group }) => cost === 18_000n && model_group === "metered")).toBe(true);
  expect(await tollgate.balanceOf(place)).toBe(5n * USD - 54_000n);
  for (const name of ["personal", "robot", "chosen", "routed", "later", "in-twin", "soft", "monthly"]) {
    expect({ name, status: (await gateway.chat(secrets[name] as string)).status }).toEqual({ name, status: 200 });
  }
  await tollgate.settled(unnamed, 8);
});

test("keys keep their restrictions after the import", async ({ database, tollgate, upstreams }) => {
  const { run } = await prepare(database.connectionString);
  await run("--apply");
  const gateway = await tollgate.start();
  upstreams.alpha.replies(200, chatAnswer({ inputTokens: 12, outputTokens: 3 }));
  await tollgate.addCredit(unnamed, 5n * USD);
  await tollgate.addCredit(await acme(database.connectionString), 5n * USD);
  const refused = async (name: string, fields = {}) => codeOf(await gateway.chat(secrets[name] as string, fields));
  expect(await refused("blocked")).toEqual([401, "key_blocked"]);
  expect(await refused("expired")).toEqual([401, "expired_key"]);
  expect(await refused("of-closed-team")).toEqual([403, "TEAM_BLOCKED"]);
  expect(await refused("aliased", { model: "free" })).toEqual([403, "key_model_access_denied"]);
  // This key had spent its entire budget in LiteLLM, so it has no budget left in Tollgate.
  expect(await refused("spent")).toEqual([429, "budget_exceeded"]);
});

test("a second import of the same data changes nothing, and later imports update only changed records", async () => {
  const { run, change, cwd, connectionString } = await prepare();
  await run("--apply");
  const audited = () => asOperator<{ rows: string }>(connectionString, "select count(*) as rows from audit_log");
  const before = await audited();
  expect(Number(before[0]?.rows)).toBeGreaterThan(24);
  const again = await run("--apply");
  expect(again.report.counts).toEqual({ created: 0, changed: 0, unchanged: 24, skipped: 4, failed: 0 });
  expect(await audited()).toEqual(before);
  expect(JSON.parse(readFileSync(join(cwd, "litellm-import.json"), "utf8"))).toMatchObject(again.report);

  await change(
    `update "LiteLLM_VerificationToken" set rpm_limit = 5, blocked = false where key_alias = 'blocked';
    update "LiteLLM_VerificationToken" set spend = 0.25 where key_alias = 'research';
    update "LiteLLM_TeamTable" set blocked = false where team_alias = 'Closed'`,
    `
    update "LiteLLM_VerificationToken" set rpm_limit = null, blocked = true where key_alias = 'blocked';
    update "LiteLLM_VerificationToken" set spend = 0.05 where key_alias = 'research';
    update "LiteLLM_TeamTable" set blocked = true where team_alias = 'Closed'`,
  );
  const { report } = await run("--apply");
  const changed = report.lines.filter(({ outcome }) => outcome === "changed");
  expect(changed.map(({ kind, name, detail }) => [kind, name, detail]).toSorted()).toEqual([
    // The key was unblocked in LiteLLM but stays blocked in Tollgate, because an import never lifts a block.
    ["key", "blocked", "rpm"],
    ["key", "research", "budget"],
  ]);
});

test("a key that was deleted after the import stays deleted", async () => {
  const { run, connectionString } = await prepare();
  await run("--apply");
  await asOperator(connectionString, "update api_keys set revoked_at = now() where name = 'research'");
  const { report } = await run("--apply");
  expect(report.lines.find(({ kind, name }) => kind === "key" && name === "research")).toMatchObject({
    outcome: "skipped",
    detail: "the key was deleted in Tollgate",
  });
});

test("an account with an unverified email address does not get the imported user's memberships", async () => {
  const { run, connectionString } = await prepare();
  await asOperator(
    connectionString,
    "insert into users (email, name, last_login_at) values ('ada@example.org', 'Mallory', now())",
  );
  const { report } = await run("--apply");
  expect(report.lines.find(({ kind, name }) => kind === "user" && name === "ada@example.org")).toMatchObject({
    outcome: "skipped",
    detail: expect.stringContaining("never verified it"),
  });
  const places = `select (select count(*)::int from organization_members where user_id = u.id) as memberships,
    (select count(*)::int from api_keys where user_id = u.id) as keys from users u where email = 'ada@example.org'`;
  expect(await querySql(connectionString, places)).toEqual([{ memberships: 0, keys: 0 }]);
  await asOperator(connectionString, "update users set email_verified_at = now() where email = 'ada@example.org'");
  await run("--apply");
  expect(await querySql(connectionString, places)).toMatchObject([{ memberships: expect.toSatisfy((n) => n > 0) }]);
});

test("limits, users, and amounts are imported exactly", async () => {
  const { run, connectionString } = await prepare();
  await run("--apply");
  const ask = (text: string) => querySql<Record<string, unknown>>(connectionString, text);
  expect(
    await ask(`select k.name, k.rpm_limit, k.max_parallel_requests, k.model_rpm_limits, k.allowed_routes, k.metadata, k.last_four
      from api_keys k where name in ('aliased', 'robot', 'routed') order by name`),
  ).toEqual([
    expect.objectContaining({ name: "aliased", rpm_limit: 30, last_four: secrets.aliased?.slice(-4) }),
    expect.objectContaining({
      name: "robot",
      model_rpm_limits: { metered: 7 },
      metadata: { litellm_user_id: "ci-robot" },
    }),
    expect.objectContaining({ name: "routed", max_parallel_requests: 3, allowed_routes: ["inference"] }),
  ]);
  expect(
    await ask(`select u.email, m.role, t.role as in_team from users u
      join organization_members m on m.user_id = u.id join organizations o on o.id = m.organization_id and o.name = 'Acme'
      join team_members t on t.user_id = u.id and t.organization_id = o.id order by email`),
  ).toEqual([
    { email: "ada@example.org", role: "admin", in_team: "admin" },
    { email: "bob@example.org", role: "member", in_team: "member" },
  ]);
  expect(
    await ask(`select b.scope, b.amount, b.period, coalesce(k.name, t.name, o.name, u.email) as name from budgets b
      left join api_keys k on k.id = b.scope_id left join teams t on t.id = b.scope_id
      left join organizations o on o.id = b.scope_id left join users u on u.id::text = b.scope_id order by 1, 4`),
  ).toEqual([
    { scope: "key", amount: "100000000", period: "monthly", name: "monthly" },
    { scope: "key", amount: "950000000", period: "none", name: "research" },
    { scope: "key", amount: "0", period: "none", name: "spent" },
    { scope: "organization", amount: "100000000000", period: "30d", name: "Acme" },
    { scope: "team", amount: "10000000000", period: "weekly", name: "Research" },
    { scope: "user", amount: "4950000000", period: "none", name: "ada@example.org" },
  ]);
});

test("skips a record that can't be imported, imports the remaining records, and exits with a nonzero code", async () => {
  const { run, change } = await prepare();
  await change(
    `update "LiteLLM_VerificationToken" set metadata = '{"model_rpm_limit": {"metered": -1}}' where key_alias = 'later'`,
    `update "LiteLLM_VerificationToken" set metadata = '{}' where key_alias = 'later'`,
  );
  const dry = await run();
  expect({ code: dry.code, ...dry.report.counts }).toMatchObject({ code: 8, created: 23, failed: 1 });
  const { code, report } = await run("--apply");
  expect({ code, ...report.counts }).toMatchObject({ code: 8, created: 23, failed: 1 });
  expect(report.lines.find(({ outcome }) => outcome === "failed")).toMatchObject({ kind: "key", name: "later" });
});

test("warns about every field that isn't imported, including columns from later LiteLLM versions", async () => {
  const { run, change } = await prepare();
  await change(
    `alter table "LiteLLM_VerificationToken" add column shines boolean;
    update "LiteLLM_VerificationToken" set shines = true, auto_rotate = true where key_alias = 'later';
    update "LiteLLM_TeamTable" set metadata = '{"guardrails": ["pii"], "color": "red"}' where team_alias = 'Solo'`,
    `alter table "LiteLLM_VerificationToken" drop column shines;
    update "LiteLLM_VerificationToken" set auto_rotate = false where key_alias = 'later';
    update "LiteLLM_TeamTable" set metadata = '{}' where team_alias = 'Solo'`,
  );
  const { report } = await run();
  const warningsOf = (wanted: string) => report.lines.find(({ name }) => name === wanted)?.warnings.join();
  expect(warningsOf("later")).toContain("auto_rotate");
  expect(warningsOf("later")).toContain("shines");
  expect(warningsOf("Solo")).toBe("not imported: metadata.guardrails");
});

test("the hashes that LiteLLM stores match the hashes that a gateway looks up", async () => {
  const stored = await querySql<{ token: string }>(
    litellm.connectionString,
    `select token from "LiteLLM_VerificationToken"`,
  );
  const hashes = Object.values(secrets).map((secret) => createHash("sha256").update(secret).digest("hex"));
  expect(stored.map(({ token }) => token).toSorted()).toEqual(hashes.toSorted());
});

test("a settings file is converted once, and the result never overwrites another file", async () => {
  const { runText, cwd } = await prepare();
  const yaml =
    "model_list: [{model_name: gpt, litellm_params: {model: openai/gpt-4o, api_key: k}}]\nlitellm_settings: {drop_params: true, set_verbose: true}\n";
  writeFileSync(join(cwd, "config.yaml"), yaml, { mode: 0o600 });
  const dry = await runText("--config", "config.yaml");
  expect(dry.out).toMatch(
    /WARN {2}settings .* to create: litellm_settings.set_verbose: use TOLLGATE_LOG_LEVEL instead/,
  );
  expect(existsSync(join(cwd, "tollgate.yaml"))).toBe(false);
  expect((await runText("--config", "config.yaml", "--apply")).code).toBe(0);
  expect(readFileSync(join(cwd, "tollgate.yaml"), "utf8")).toContain("gw_settings: {drop_params: true}");
  expect(statSync(join(cwd, "tollgate.yaml")).mode & 0o077).toBe(0);
  expect((await runText("--config", "config.yaml", "--apply")).out).toMatch(/settings .* unchanged/);
  writeFileSync(join(cwd, "tollgate.yaml"), "model_list: []\n");
  expect((await runText("--config", "config.yaml", "--apply")).code).toBe(8);
  expect(readFileSync(join(cwd, "tollgate.yaml"), "utf8")).toBe("model_list: []\n");
});

test("reports a database without LiteLLM tables", async () => {
  const { connectionString } = await prepare();
  let err = "";
  const io = {
    stdout: { write: () => {} },
    stderr: { write: (text: string) => (err += text) },
    env: { DATABASE_URL: connectionString },
    cwd: tmpdir(),
    apps,
  };
  expect(await importLitellm(["--database-url", connectionString], io)).toBe(7);
  expect(err).toContain("has no LiteLLM tables");
});

test("models are decrypted with LiteLLM's salt key and encrypted with Tollgate's key", async () => {
  const { run, env, connectionString } = await prepare();
  const modelsOf = ({ lines }: Report) =>
    lines.filter(({ kind }) => kind === "model").map(({ name, outcome, detail }) => [name, outcome, detail]);
  const second = ["stored", "skipped", expect.stringContaining("another deployment already uses this name")];
  const sealed = ["stored", "skipped", expect.stringContaining("set LITELLM_SALT_KEY")];
  expect(modelsOf((await run()).report)).toEqual([sealed, sealed]);
  env.LITELLM_SALT_KEY = "sk-another";
  expect(modelsOf((await run()).report)).toEqual([
    ["stored", "failed", expect.stringContaining("does not decrypt")],
    second,
  ]);
  env.LITELLM_SALT_KEY = saltKey;
  expect(modelsOf((await run()).report)).toEqual([
    ["stored", "failed", expect.stringContaining("TOLLGATE_SECRET_KEY")],
    second,
  ]);
  env.TOLLGATE_SECRET_KEY = "a secret key that only tests use";
  expect(modelsOf((await run("--apply")).report)).toEqual([["stored", "created", null], second]);
  expect(modelsOf((await run("--apply")).report)).toEqual([["stored", "unchanged", null], second]);
  const stored = await asOperator<{ text: string }>(
    connectionString,
    "select concat(m, p) as text from catalogue_models m, providers p where m.id = 'stored'",
  );
  expect(stored[0]?.text).toContain("gpt-4o-mini");
  expect(stored[0]?.text).toContain("https://models.example/v1");
  expect(stored[0]?.text).not.toContain("sk-upstream");
});
