import { readChangeFeed } from "@tollgate/db/change-feed.ts";
import { findKeyByHash } from "@tollgate/db/keys/find-key-by-hash.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { addTenant, type Tenant } from "@tollgate/testkit/tenants.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { ChangeFeed } from "./change-feed.ts";
import { CachedKeyDirectory, toCaller } from "./key-directory.ts";

/** Maximum age of what a cached key says. */
const FRESH_MS = 5_000;

/** A directory on the real database with a clock that the test sets. It gets no notifications. */
async function openDirectory(database: TestDatabase, tenant: Tenant) {
  const gateway = database.connect("tollgate_gateway");
  const clock = { nowMs: 1_000_000 };
  let [reads, isReachable] = [0, true];
  const directory = new CachedKeyDirectory(
    (hash) => {
      reads += 1;
      return findKeyByHash(gateway, hash);
    },
    () => clock.nowMs,
  );
  const feed = new ChangeFeed({
    read: async (since) => {
      if (!isReachable) throw new Error("the feed is unavailable");
      return readChangeFeed(gateway, since);
    },
    onChange: (change) => directory.evict(change),
    onCurrent: (atMs) => directory.confirm(atMs),
    onTrouble: () => {},
    now: () => clock.nowMs,
  });
  return {
    clock,
    directory,
    feed,
    change: (text: string) => querySql(database.connectionString, `set tollgate.administrator = 'on'; ${text}`),
    reads: () => reads,
    setReachable: (is: boolean) => {
      isReachable = is;
    },
    find: async () => directory.find(tenant.tokenHash.toString("hex")),
    /** What the database says now. */
    readTruth: async () => {
      const record = await findKeyByHash(gateway, tenant.tokenHash);
      return asText(record === null ? null : toCaller(record));
    },
  };
}

const asText = (caller: unknown) =>
  JSON.stringify(caller, (_, value) =>
    typeof value === "bigint" ? String(value) : value instanceof Map ? [...value] : value,
  );

const test = base.extend("tenant", async ({ database }) => addTenant(database.connect("tollgate_platform")));

const USER = 7;

/** Statements that make the tenant's key what it was at first, with a user who is an administrator. */
const reset = ({ organizationId, teamId, keyId }: Tenant): string => `
  insert into users (id, email, name, role) values (${USER}, 'ann@example.com', 'Ann', 'admin') on conflict do nothing;
  update users set role = 'admin', status = 'active' where id = ${USER};
  update users set administrator_since = to_timestamp(0) where id = ${USER};
  insert into organization_members (organization_id, user_id, role, joined_at)
    values ('${organizationId}', ${USER}, 'owner', to_timestamp(0))
    on conflict (organization_id, user_id) do update set joined_at = to_timestamp(0);
  update organizations set status = 'active' where id = '${organizationId}';
  update teams set status = 'active', blocked_reason = null, blocked_at = null where id = '${teamId}';
  update api_keys set user_id = ${USER}, disabled_at = null, revoked_at = null, rotated_at = null where id = '${keyId}';
  insert into budgets (organization_id, scope, scope_id, amount, period)
    values ('${organizationId}', 'organization', '${organizationId}', 10, 'daily') on conflict do nothing;
  insert into price_list_entries (organization_id, model_group, share_millionths, fixed_nano)
    values ('${organizationId}', '*', 900000, 0) on conflict do nothing`;

/** Statements that change what a cached key says. Each can be repeated. */
function changesOf({ organizationId, teamId, keyId }: Tenant): readonly string[] {
  const key = (set: string) => `update api_keys set ${set} where id = '${keyId}'`;
  const team = (set: string) => `update teams set ${set} where id = '${teamId}'`;
  const organization = (set: string) => `update organizations set ${set} where id = '${organizationId}'`;
  const user = (set: string) => `update users set ${set} where id = ${USER}`;
  const budget = (scope: string, scopeId: string | number) => `
    insert into budgets (organization_id, scope, scope_id, amount, period)
      values ('${organizationId}', '${scope}', '${scopeId}', 10, 'daily')
      on conflict (organization_id, scope, scope_id) do update set amount = budgets.amount + 1`;
  return [
    key("disabled_at = now()"),
    key("revoked_at = now()"),
    key("expires_at = coalesce(expires_at, now()) + interval '1 day'"),
    key("name = md5(name)"),
    key("models = models || array['fast']"),
    key("tags = tags || md5(tags::text)"),
    key("guardrails = guardrails || md5(guardrails::text)"),
    key("aliases = aliases || jsonb_build_object(md5(aliases::text), 'fast')"),
    key("allowed_routes = coalesce(allowed_routes, '{}') || array['inference']"),
    key("rpm_limit = coalesce(rpm_limit, 0) + 1"),
    key("tpm_limit = coalesce(tpm_limit, 0) + 1"),
    key("max_parallel_requests = coalesce(max_parallel_requests, 0) + 1"),
    key("model_rpm_limits = model_rpm_limits || jsonb_build_object(md5(model_rpm_limits::text), 1)"),
    key("model_tpm_limits = model_tpm_limits || jsonb_build_object(md5(model_tpm_limits::text), 1)"),
    key("rotated_at = now() + interval '1 day', user_id = null"),
    team("name = md5(name)"),
    team("models = models || array['slow']"),
    team("tags = tags || md5('team' || tags::text)"),
    team("guardrails = guardrails || md5('team' || guardrails::text)"),
    team("model_aliases = model_aliases || jsonb_build_object(md5(model_aliases::text), 'fast')"),
    team("rpm_limit = coalesce(rpm_limit, 0) + 1"),
    team("model_tpm_limits = model_tpm_limits || jsonb_build_object(md5(model_tpm_limits::text), 1)"),
    team("status = 'blocked', blocked_reason = 'admin', blocked_at = now()"),
    organization("name = md5(name)"),
    organization("models = models || array['huge']"),
    organization("rpm_limit = coalesce(rpm_limit, 0) + 1"),
    organization("tpm_limit = coalesce(tpm_limit, 0) + 1"),
    organization("log_prompts = not log_prompts"),
    organization("status = 'closed'"),
    budget("key", keyId),
    budget("team", teamId),
    budget("user", USER),
    budget("organization", organizationId),
    `delete from budgets where organization_id = '${organizationId}'`,
    `update price_list_entries set share_millionths = share_millionths + 1 where organization_id = '${organizationId}'`,
    `delete from price_list_entries where organization_id = '${organizationId}'`,
    user("role = 'user'"),
    user("administrator_since = now() + interval '1 day'"),
    user("status = 'disabled'"),
    `delete from organization_members where user_id = ${USER}`,
    `update organization_members set joined_at = now() + interval '1 day' where user_id = ${USER}`,
  ];
}

describe("without notifications", () => {
  test("every change of what a cached key says is in the feed", async ({ database, tenant }) => {
    const world = await openDirectory(database, tenant);
    for (const statement of changesOf(tenant)) {
      for (const change of [reset(tenant), statement]) {
        const before = await world.find();
        await world.change(change);
        await world.feed.readOnce();
        const after = await world.readTruth();
        expect(asText(await world.find()), change).toBe(after);
        if (change === statement) expect(asText(before), change).not.toBe(after);
      }
    }
  });

  test("no call sees a key as it was more than five seconds ago, whichever reads of the feed fail", async ({
    database,
    tenant,
  }) => {
    const world = await openDirectory(database, tenant);
    const statements = [...changesOf(tenant), reset(tenant)];
    const commands = fc.oneof(
      fc.record({ kind: fc.constant("change" as const), index: fc.nat(statements.length - 1) }),
      fc.record({ kind: fc.constant("read" as const), fails: fc.boolean() }),
      fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 100, max: 4_000 }) }),
      fc.constant({ kind: "find" as const }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(commands, { maxLength: 40 }), async (history) => {
        // What an earlier history left in the cache may be old.
        world.clock.nowMs += FRESH_MS;
        // What the key was, and until when.
        const truths = [{ text: await world.readTruth(), untilMs: Number.POSITIVE_INFINITY }];
        for (const command of history) {
          if (command.kind === "wait") world.clock.nowMs += command.ms;
          else if (command.kind === "read") {
            world.setReachable(!command.fails);
            await world.feed.readOnce().catch(() => {});
          } else if (command.kind === "change") {
            await world.change(statements[command.index] as string);
            (truths.at(-1) as { untilMs: number }).untilMs = world.clock.nowMs;
            truths.push({ text: await world.readTruth(), untilMs: Number.POSITIVE_INFINITY });
          } else {
            const seen = asText(await world.find());
            const possible = truths.filter(({ untilMs }) => untilMs > world.clock.nowMs - FRESH_MS);
            expect(possible.map(({ text }) => text)).toContain(seen);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test("a key is not read again while the feed is current, and after five seconds without it", async ({
    database,
    tenant,
  }) => {
    const world = await openDirectory(database, tenant);
    await world.feed.readOnce();
    await world.find();
    for (let round = 0; round < 20; round += 1) {
      world.clock.nowMs += 4_200;
      await world.feed.readOnce();
      await world.find();
    }
    expect(world.reads()).toBe(1);
    world.clock.nowMs += FRESH_MS;
    await world.find();
    expect(world.reads()).toBe(2);
  });

  test("a change that is committed while the feed is read takes effect five seconds after the read began", async ({
    database,
    tenant,
  }) => {
    const gateway = database.connect("tollgate_gateway");
    const world = await openDirectory(database, tenant);
    await world.change(reset(tenant));
    let isRevoked = false;
    const feed = new ChangeFeed({
      read: async (since) => {
        const page = await readChangeFeed(gateway, since);
        if (isRevoked) await world.change(`update api_keys set revoked_at = now() where id = '${tenant.keyId}'`);
        if (isRevoked) world.clock.nowMs += 3_000;
        return page;
      },
      onChange: (change) => world.directory.evict(change),
      onCurrent: (atMs) => world.directory.confirm(atMs),
      onTrouble: () => {},
      now: () => world.clock.nowMs,
    });
    await feed.readOnce();
    expect(await world.find()).not.toBeNull();
    isRevoked = true;
    await feed.readOnce();
    world.clock.nowMs += FRESH_MS - 3_000;
    expect(await world.find()).toBeNull();
  });

  test("a key is read again after ten minutes, and a rotated secret after five seconds, although the feed is current", async ({
    database,
    tenant,
  }) => {
    const world = await openDirectory(database, tenant);
    await world.change(reset(tenant));
    await world.feed.readOnce();
    await world.find();
    const readAfter = async (ms: number) => {
      const [before, untilMs] = [world.reads(), world.clock.nowMs + ms];
      while (world.clock.nowMs < untilMs) {
        world.clock.nowMs += 4_200;
        await world.feed.readOnce();
        await world.find();
      }
      return world.reads() - before;
    };
    expect(await readAfter(590_000)).toBe(0);
    expect(await readAfter(20_000)).toBe(1);
    await world.change(`update api_keys set previous_token_hash = token_hash, token_hash = sha256('another'),
      previous_valid_until = now() + interval '1 day' where id = '${tenant.keyId}'`);
    await world.feed.readOnce();
    await world.find();
    expect(await readAfter(16_000)).toBeGreaterThanOrEqual(2);
  });

  test("a known key works for a minute after the feed confirmed it, if the database is unavailable", async ({
    database,
    tenant,
  }) => {
    const gateway = database.connect("tollgate_gateway");
    const clock = { nowMs: 0 };
    let isUnavailable = false;
    const directory = new CachedKeyDirectory(
      async (hash) => {
        if (isUnavailable) throw new Error("the database is unavailable");
        return findKeyByHash(gateway, hash);
      },
      () => clock.nowMs,
    );
    const digest = tenant.tokenHash.toString("hex");
    const known = await directory.find(digest);
    isUnavailable = true;
    clock.nowMs = 30_000;
    directory.confirm(clock.nowMs);
    for (const seconds of [34, 60, 89]) {
      clock.nowMs = seconds * 1_000;
      expect(await directory.find(digest)).toBe(known);
    }
    clock.nowMs = 90_000;
    await expect(directory.find(digest)).rejects.toMatchObject({ code: "DB_TIMEOUT" });
  });
});

test("the feed is read again after failures, and reports a failure once", async ({ database }) => {
  const gateway = database.connect("tollgate_gateway");
  const [troubles, confirmed]: [unknown[], number[]] = [[], []];
  let failures = 2;
  const feed = new ChangeFeed({
    read: async (since) => {
      failures -= 1;
      if (failures >= 0) throw new Error("the database is unavailable");
      return readChangeFeed(gateway, since);
    },
    onChange: () => {},
    onCurrent: (atMs) => confirmed.push(atMs),
    onTrouble: (error) => troubles.push(error),
    now: () => performance.now(),
  });
  feed.start();
  await waitFor("the feed", () => confirmed.length > 0);
  expect(troubles).toHaveLength(1);
  await feed.close();
});
