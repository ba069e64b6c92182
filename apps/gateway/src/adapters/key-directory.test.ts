import { findKeyByHash, type KeyRecord } from "@tollgate/db/keys/find-key-by-hash.ts";
import { revokeKeys } from "@tollgate/db/keys/revoke-keys.ts";
import { setBudget } from "@tollgate/db/leases/budgets.ts";
import { blockByOperator } from "@tollgate/db/teams/block-by-operator.ts";
import { runInOrganization } from "@tollgate/db/tenancy.ts";
import { hashApiKey, makeApiKey } from "@tollgate/domain/api-keys.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { cloneDatabase } from "@tollgate/testkit/database.ts";
import { addTenant, type Tenant } from "@tollgate/testkit/tenants.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { describe, expect } from "vitest";
import { CachedKeyDirectory } from "./key-directory.ts";

/** A directory backed by the real database, with a clock that the test sets and a count of database reads. */
class WatchedDirectory {
  nowMs = 1_000_000;
  reads = 0;
  /** Number of records read from the database, including records not yet passed to the directory. */
  readRecords = 0;
  /** Awaited after a record is read and before the directory receives it. */
  afterRead: Promise<void> = Promise.resolve();
  readonly directory: CachedKeyDirectory;

  constructor(read: (hash: Buffer) => Promise<KeyRecord | null>) {
    this.directory = new CachedKeyDirectory(
      async (hash) => {
        this.reads += 1;
        const held = this.afterRead;
        const record = await read(hash);
        this.readRecords += 1;
        await held;
        return record;
      },
      () => this.nowMs,
    );
  }

  find(tenant: Pick<Tenant, "tokenHash">) {
    return this.directory.find(tenant.tokenHash.toString("hex"));
  }
}

const test = base
  .extend("platform", { scope: "file" }, async ({ database }) => database.connect("tollgate_platform"))
  .extend("watched", async ({ database }) => {
    const gateway = database.connect("tollgate_gateway");
    return new WatchedDirectory((hash) => findKeyByHash(gateway, hash));
  });

describe("key lookup", () => {
  test("reads a key once for many waiting calls, then serves it from memory", async ({ platform, watched }) => {
    const tenant = await addTenant(platform);
    const callers = await Promise.all(Array.from({ length: 50 }, () => watched.find(tenant)));
    expect(new Set(callers)).toEqual(new Set([expect.objectContaining({ keyId: tenant.keyId })]));
    expect(watched.find(tenant)).toBe(callers[0]);
    expect(watched.reads).toBe(1);
  });

  test("returns all fields that limit the key's calls", async ({ platform, watched }) => {
    const tenant = await addTenant(platform, {
      organization: { models: ["openai/*"] },
      team: { name: "Blue", models: ["fast"], modelAliases: { quick: "fast" } },
      key: {
        name: "ci",
        models: ["fast"],
        aliases: { gpt: "fast" },
        allowedRoutes: ["inference"],
        limits: { rpm: 5, tpm: 9 },
      },
    });
    await runInOrganization(platform, tenant.organizationId, (transaction) =>
      setBudget(transaction, {
        organizationId: tenant.organizationId,
        scope: "key",
        scopeId: tenant.keyId,
        amount: 25n,
        period: "monthly",
      }),
    );
    expect(await watched.find(tenant)).toMatchObject({
      keyId: tenant.keyId,
      keyName: "ci",
      role: "internal_user",
      userId: null,
      teamId: tenant.teamId,
      teamName: "Blue",
      organizationId: tenant.organizationId,
      isTeamBlocked: false,
      isDisabled: false,
      expiresAtMs: null,
      allowedRoutes: ["inference"],
      models: { key: ["fast"], team: ["fast"], user: [], organization: ["openai/*"] },
      keyAliases: { gpt: "fast" },
      teamAliases: { quick: "fast" },
      organizationName: "Acme",
      limits: { key: { rpm: 5, tpm: 9, maxParallel: null }, team: { rpm: null }, organization: { rpm: null } },
      budgets: { budgets: [{ scope: "key", scopeId: tenant.keyId, ownerName: "ci", limit: 25n }] },
      rpmLimit: 5,
      tpmLimit: 9,
    });
  });

  test("caches an unknown key, so that repeated lookups need no query", async ({ watched }) => {
    const unknown = { tokenHash: hashApiKey(makeApiKey()) };
    expect(await watched.find(unknown)).toBeNull();
    expect(watched.find(unknown)).toBeNull();
    expect(watched.reads).toBe(1);
  });

  test("reads a key again after five seconds, and refreshes a busy key in the background half a second earlier", async ({
    platform,
    watched,
  }) => {
    const tenant = await addTenant(platform);
    const first = await watched.find(tenant);
    watched.nowMs += 4_400;
    expect(watched.find(tenant)).toBe(first);
    expect(watched.reads).toBe(1);
    watched.nowMs += 200;
    expect(watched.find(tenant)).toBe(first);
    await expect.poll(() => watched.find(tenant)).not.toBe(first);
    expect(watched.reads).toBe(2);
    watched.nowMs += 5_000;
    expect(watched.find(tenant)).toBeInstanceOf(Promise);
    expect(watched.reads).toBe(3);
  });

  test("does not cache a key under its previous secret beyond the rotation grace period", async ({
    platform,
    watched,
  }) => {
    const tenant = await addTenant(platform);
    await runInOrganization(platform, tenant.organizationId, (transaction) =>
      transaction
        .updateTable("api_keys")
        .set({
          token_hash: hashApiKey(makeApiKey()),
          previous_token_hash: tenant.tokenHash,
          previous_valid_until: new Date(Date.now() + 4_000),
        })
        .where("id", "=", tenant.keyId)
        .execute(),
    );
    expect(await watched.find(tenant)).toMatchObject({ keyId: tenant.keyId });
    watched.nowMs += 4_100;
    expect(watched.find(tenant)).toBeInstanceOf(Promise);
  });
});

describe("change notification", () => {
  test.for(["key", "team", "organization", "everything"] as const)(
    "for a %s evicts the affected keys",
    async (kind, { platform, watched }) => {
      const [changed, other] = [await addTenant(platform), await addTenant(platform)];
      const before = await watched.find(other);
      await watched.find(changed);
      await runInOrganization(platform, changed.organizationId, (transaction) =>
        blockByOperator(transaction, changed.teamId, new Date()),
      );
      watched.directory.evict(
        {
          key: { kind: "key", id: changed.keyId, hashes: [changed.tokenHash.toString("hex")] } as const,
          team: { kind: "team", id: changed.teamId } as const,
          organization: { kind: "organization", id: changed.organizationId } as const,
          everything: { kind: "everything" } as const,
        }[kind],
      );
      expect(await watched.find(changed)).toMatchObject({ isTeamBlocked: true });
      if (kind !== "everything") expect(watched.find(other)).toBe(before);
    },
  );

  test("is not undone by a read that began before it, and later lookups do not wait for that read", async ({
    platform,
    watched,
  }) => {
    const tenant = await addTenant(platform);
    const held = Promise.withResolvers<void>();
    watched.afterRead = held.promise;
    const early = watched.find(tenant);
    // The old record is in flight when the key is revoked.
    await expect.poll(() => watched.readRecords).toBe(1);
    await runInOrganization(platform, tenant.organizationId, (transaction) =>
      revokeKeys(transaction, tenant.organizationId, { keyId: tenant.keyId }, new Date()),
    );
    watched.directory.evict({ kind: "key", id: tenant.keyId, hashes: [tenant.tokenHash.toString("hex")] });
    watched.afterRead = Promise.resolve();
    expect(await watched.find(tenant)).toBeNull();
    held.resolve();
    await early;
    expect(await watched.find(tenant)).toBeNull();
  });
});

describe("while the database is unavailable", () => {
  test("a known key works for one minute, and an unknown key gets a retryable 503", async () => {
    const database = await cloneDatabase();
    const [tenant, stranger] = [await addTenant(database.connect("tollgate_platform")), hashApiKey(makeApiKey())];
    const pool = database.openPool("tollgate_gateway", 2);
    const watched = new WatchedDirectory((hash) => findKeyByHash(pool, hash));
    const known = await watched.find(tenant);
    expect(await watched.find({ tokenHash: stranger })).toBeNull();
    await database.drop();
    const away = expect.objectContaining({ code: "DB_TIMEOUT", status: 503 });
    for (const seconds of [6, 30, 59]) {
      watched.nowMs = 1_000_000 + seconds * 1_000;
      expect(await watched.find(tenant)).toBe(known);
      // A key that was unknown earlier may exist now.
      await expect(watched.find({ tokenHash: stranger })).rejects.toThrowError(away);
    }
    watched.nowMs = 1_000_000 + 60_000;
    await expect(watched.find(tenant)).rejects.toThrowError(away);
    watched.directory.evict({ kind: "everything" });
    await expect(watched.find(tenant)).rejects.toThrowError(away);
    await pool.destroy();
  });

  test("evicting all keys does not disable known keys", async () => {
    const database = await cloneDatabase();
    const tenant = await addTenant(database.connect("tollgate_platform"));
    const pool = database.openPool("tollgate_gateway", 2);
    const watched = new WatchedDirectory((hash) => findKeyByHash(pool, hash));
    const known = await watched.find(tenant);
    watched.directory.evict({ kind: "everything" });
    await database.drop();
    expect(await watched.find(tenant)).toBe(known);
    watched.nowMs += 60_000;
    await expect(watched.find(tenant)).rejects.toThrowError(expect.objectContaining({ code: "DB_TIMEOUT" }));
    await pool.destroy();
  });

  test("a key that a change notification evicted is not restored", async () => {
    const database = await cloneDatabase();
    const tenant = await addTenant(database.connect("tollgate_platform"));
    const pool = database.openPool("tollgate_gateway", 2);
    const watched = new WatchedDirectory((hash) => findKeyByHash(pool, hash));
    await watched.find(tenant);
    watched.directory.evict({ kind: "team", id: tenant.teamId });
    await database.drop();
    await expect(watched.find(tenant)).rejects.toThrowError(expect.objectContaining({ code: "DB_TIMEOUT" }));
    await pool.destroy();
  });
});

test("the master key needs no database and can be removed", async () => {
  const directory = new CachedKeyDirectory(
    async () => {
      throw new Error("the database is away");
    },
    () => 0,
  );
  const digest = hashApiKey("sk-master").toString("hex");
  directory.setMasterKey(new Secret("sk-master"));
  expect(directory.find(digest)).toMatchObject({ role: "proxy_admin", userId: "default_user_id" });
  directory.setMasterKey(null);
  await expect(directory.find(digest)).rejects.toThrowError(expect.objectContaining({ code: "DB_TIMEOUT" }));
});
