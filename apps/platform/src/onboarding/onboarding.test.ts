import { postEntry } from "@tollgate/db/ledger/post-entry.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { startTestPlatform, type TestPlatform } from "../platform.fixture.ts";

const PATH = "/api/gw/onboarding";

async function stepsOf(platform: TestPlatform, token: string) {
  const { body } = await platform.api("GET", PATH, { token });
  const steps = body.onboarding.steps as { id: string; done: boolean; skipped: boolean; detail: string | null }[];
  return { done: steps.filter(({ done }) => done).map(({ id }) => id), steps, dismissed: body.onboarding.dismissed };
}

test("the organization's data alone determines which onboarding steps are done", async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const [owner, stranger] = [await platform.addUser(), await platform.addUser()];
  const { organizationId, teamId, token } = owner;
  const done = async () => (await stepsOf(platform, token)).done;
  expect((await stepsOf(platform, token)).steps.map(({ id }) => id)).toEqual([
    "create_key",
    "send_request",
    "add_credits",
    "invite_teammate",
    "set_alert",
  ]);
  expect(await done()).toEqual([]);

  await platform.api("PUT", "/api/gw/organizations", { token, body: { settings: { lowBalanceThreshold: 1_000 } } });
  expect(await done()).toEqual(["set_alert"]);
  await runAsAdministrator(platform.services.db, async (transaction) => {
    const entry = { kind: "grant", organizationId, amount: 5n, idempotencyKey: `grant:${organizationId}` } as const;
    await postEntry(transaction, { ...entry, actor: "system" });
  });
  await platform.api("POST", "/api/gw/api-keys", { token, body: { name: "ci-bot", team_id: teamId } });
  expect(await done()).toEqual(["create_key", "add_credits", "set_alert"]);
  expect((await stepsOf(platform, token)).steps[0]).toMatchObject({ id: "create_key", detail: "ci-bot" });
  const rollup = (requests: number, errors: number, at: string) =>
    querySql(
      database.connectionString,
      `insert into usage_rollups (organization_id, bucket_at, team_id, key_id, model_group, provider, requests, errors,
         input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost, latency_ms_sum)
       values ('${organizationId}', '${at}', '${teamId}', 'key', 'm', 'p', ${requests}, ${errors}, 0, 0, 0, 0, 0, 0, 0)`,
    );
  await rollup(2, 2, "2026-11-01T00:00:00Z");
  expect(await done()).not.toContain("send_request");
  await rollup(2, 1, "2026-11-01T00:15:00Z");
  expect(await done()).toContain("send_request");
  const member = await platform.addMember(organizationId, "member");
  expect(await done()).toContain("invite_teammate");
  // The step is done for all members, but the first key belongs to a team that this member isn't in.
  expect((await stepsOf(platform, member.token)).steps[0]).toMatchObject({ done: true, detail: null });
  expect(await stepsOf(platform, stranger.token)).toMatchObject({ done: [], dismissed: false });
});

test("an owner or admin can skip steps and dismiss the list for the whole organization", async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const owner = await platform.addUser();
  const member = await platform.addMember(owner.organizationId, "member");
  const change = (token: string, body: object) => platform.api("PATCH", PATH, { token, body });
  expect((await change(member.token, { dismissed: true })).status).toBe(403);
  expect((await change(owner.token, {})).status).toBe(400);
  expect((await change(owner.token, { skip: "everything" })).status).toBe(400);
  for (const skip of ["set_alert", "add_credits", "set_alert"]) {
    expect((await change(owner.token, { skip })).status).toBe(200);
  }
  const skipped = (await stepsOf(platform, member.token)).steps.filter((step) => step.skipped).map(({ id }) => id);
  expect(skipped).toEqual(["add_credits", "set_alert"]);
  expect((await change(owner.token, { dismissed: true })).body.onboarding.dismissed).toBe(true);
  expect((await change(owner.token, { skip: "create_key" })).body.onboarding.dismissed).toBe(true);
  expect((await change(owner.token, { dismissed: false })).body.onboarding.dismissed).toBe(false);
});
