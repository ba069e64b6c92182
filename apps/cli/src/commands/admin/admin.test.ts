import { startTestPlatform } from "@tollgate/platform/platform.fixture.ts";
import { test as engines } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { testCli } from "../../cli.fixture.ts";

const test = engines.extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = await startTestPlatform(database);
  onCleanup(() => platform.close());
  return platform;
});

type Platform = Awaited<ReturnType<typeof startTestPlatform>>;
const terminal = { columns: 140 };

async function addAdmin(platform: Platform) {
  const admin = await platform.addUser({ role: "admin" });
  const cli = testCli({ env: { TOLLGATE_URL: platform.url } });
  cli.signIn(platform.url, admin.token);
  return { admin, cli };
}

test("finds users by email or ID, changes them, and deletes them after confirmation", async ({ platform }) => {
  const { cli } = await addAdmin(platform);
  const ann = await platform.addUser({ email: "ann.first@example.org", name: "Ann" });
  const listed = JSON.parse(
    (await cli.run(["admin", "users", "list", "--search", "ann.first", "--json=id,email"])).stdout,
  );
  expect(listed.data).toEqual([{ id: ann.userId, email: ann.email }]);
  const table = await cli.run(["admin", "users", "list", "--search", "ann.first", "--no-color"], { terminal });
  expect(table.stdout).toMatch(
    /^ *ID +EMAIL +NAME +ROLE +STATUS +SPENT +LAST LOGIN\n *\d+ +ann\.first@example\.org +Ann +user +active/,
  );
  const shown = await cli.run(["admin", "user", "show", ann.email]);
  expect(shown.stdout).toContain(`id\t${ann.userId}\n`);
  expect(await cli.run(["admin", "users", "show", "nobody@example.org"])).toMatchObject({ code: 3 });

  expect(await cli.run(["admin", "users", "set-role", ann.email, "admin"])).toMatchObject({ code: 0 });
  expect(
    JSON.parse((await cli.run(["admin", "users", "disable", String(ann.userId), "--json=role,status"])).stdout),
  ).toEqual({
    role: "admin",
    status: "disabled",
  });
  expect(await cli.run(["admin", "users", "enable", ann.email])).toMatchObject({ code: 0 });
  await cli.run(["admin", "users", "set-role", ann.email, "user"]);
  const unasked = await cli.run(["admin", "users", "delete", ann.email]);
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining("Add --yes") });
  const planned = await cli.run(["admin", "users", "delete", ann.email, "--dry-run"]);
  expect(planned.stdout).toContain("No changes were made.");
  const member = await platform.addMember(ann.organizationId, "member");
  expect(await cli.run(["admin", "users", "delete", String(member.userId), "--yes"])).toMatchObject({ code: 0 });
  const gone = await cli.run(["admin", "users", "list", "--status", "deleted", "--all", "--json=id"]);
  expect(JSON.parse(gone.stdout).data).toContainEqual({ id: member.userId });
});

test("requires a reason to grant credit, and grants the exact amount in nano-USD", async ({ platform }) => {
  const { cli } = await addAdmin(platform);
  const { organizationId } = await platform.addUser();
  expect(await cli.run(["admin", "credits", "grant", organizationId, "25"])).toMatchObject({ code: 2 });
  const granted = await cli.run(["admin", "grant", organizationId, "25.000000001", "--reason", "pilot", "--json"]);
  expect(granted.code).toBe(0);
  expect(granted.stdout).toContain('"balanceAfter":25000000001');
  const listed = await cli.run(["admin", "orgs", "list", "--sort=-balance", "-n", "1", "--json=id,balance"]);
  expect(JSON.parse(listed.stdout).data).toEqual([{ id: organizationId, balance: 25_000_000_001 }]);
});

test("blocks and unblocks a team by ID, or by name within an organization", async ({ platform }) => {
  const { cli } = await addAdmin(platform);
  const { organizationId, teamId } = await platform.addUser();
  const blocked = await cli.run([
    "admin",
    "teams",
    "block",
    teamId,
    "--reason",
    "leaked key",
    "--json=status,blockedReason",
  ]);
  expect(JSON.parse(blocked.stdout)).toEqual({ status: "blocked", blockedReason: "admin" });
  expect(await cli.run(["admin", "teams", "unblock", "Default"])).toMatchObject({ code: 2 });
  const lifted = await cli.run(["admin", "teams", "unblock", "default", "--of", organizationId]);
  expect(lifted).toMatchObject({ code: 0, stderr: expect.stringContaining("is active") });
  const log = JSON.parse((await cli.run(["admin", "audit", "--of", organizationId, "--json=action,target"])).stdout);
  expect(log.data.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(["team.blocked", "team.unblocked"]),
  );
});

test("reads a provider's API key from standard input, never prints the key, and creates and deletes the provider's models", async ({
  platform,
}) => {
  const { cli } = await addAdmin(platform);
  const create = ["admin", "providers", "create", "acme", "--kind", "openai", "--api-key-stdin"];
  const made = await cli.run([...create, "--json"], { stdin: "sk-acme-0123456789\n" });
  expect(JSON.parse(made.stdout)).toMatchObject({ slug: "acme", hasApiKey: true });
  expect(made.stdout + made.stderr).not.toContain("sk-acme");
  const renewed = await cli.run(["admin", "providers", "update", "acme", "--api-key-stdin"], {
    stdin: "sk-acme-new\n",
  });
  expect(renewed).toMatchObject({ code: 0, stderr: expect.not.stringContaining("sk-acme-new") });
  expect((await cli.run(["admin", "providers", "list"])).stdout).toMatch(/^acme\topenai\tavailable\t0\tset\t/);

  const model = [
    "admin",
    "models",
    "create",
    "--provider",
    "acme",
    "--inference-model-id",
    "acme-7b",
    "--id",
    "acme/7b",
  ];
  expect(await cli.run([...model, "--input-price", "0.25", "--output-price", "1.25"])).toMatchObject({
    code: 0,
    stdout: "acme/7b\n",
    stderr: expect.stringContaining("in  $0.25 / 1M     out  $1.25 / 1M"),
  });
  const changed = await cli.run(["admin", "models", "update", "acme/7b", "--input-price", "0.2", "--json=pricing"]);
  expect(JSON.parse(changed.stdout).pricing).toMatchObject({
    inputPerMillionTokens: 200_000_000,
    outputPerMillionTokens: 1_250_000_000,
  });
  expect(await cli.run(["admin", "models", "update", "acme/7b"])).toMatchObject({ code: 2 });
  expect(await cli.run(["admin", "models", "disable", "acme/7b"])).toMatchObject({ code: 0 });
  expect(await cli.run(["admin", "models", "delete", "acme/7b", "--yes"])).toMatchObject({ code: 0 });
  expect(await cli.run(["admin", "providers", "update", "acme", "--status", "degraded"])).toMatchObject({ code: 0 });
  expect(await cli.run(["admin", "providers", "delete", "acme", "--yes"])).toMatchObject({ code: 0 });
  expect(JSON.parse((await cli.run(["admin", "models", "list", "--json"])).stdout)).toMatchObject({
    data: [],
    meta: { total: 0 },
  });
});

test("refuses admin commands from users who aren't administrators, and exits with code 3 if the ledger has never been verified", async ({
  platform,
}) => {
  const { cli } = await addAdmin(platform);
  expect(await cli.run(["admin", "reconcile", "--last"])).toMatchObject({ code: 3 });
  const other = await platform.addUser();
  const outside = testCli({ env: { TOLLGATE_URL: platform.url } });
  outside.signIn(platform.url, other.token);
  for (const args of [["users", "list"], ["audit"], ["reconcile"], ["orgs", "list"], ["models", "list"]]) {
    expect(await outside.run(["admin", ...args])).toMatchObject({ code: 4, stdout: "" });
  }
});
