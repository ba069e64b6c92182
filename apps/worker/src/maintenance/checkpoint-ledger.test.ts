import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAccount } from "@tollgate/db/accounts/create-account.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { checkBackup } from "@tollgate/db/backup/check-backup.ts";
import { restoreBackup } from "@tollgate/db/backup/restore-backup.ts";
import { writeBackup } from "@tollgate/db/backup/write-backup.ts";
import { type ChainHead, signCheckpoint } from "@tollgate/db/ledger/checkpoints/checkpoint.ts";
import { pruneCheckpoints } from "@tollgate/db/ledger/checkpoints/deliver-checkpoints.ts";
import { settleUsage } from "@tollgate/db/ledger/settle-usage.ts";
import {
  closeDay,
  dropClosedPartitions,
  ensureUsagePartitions,
  listDaysToClose,
} from "@tollgate/db/ledger/usage-partitions.ts";
import { findCheckpoints } from "@tollgate/db/ledger/verify/compare-checkpoints.ts";
import { findBrokenInvariants, type VerifyReport } from "@tollgate/db/ledger/verify/find-broken-invariants.ts";
import { verifyBroken, WITHOUT_GUARDS } from "@tollgate/db/ledger/verify/verify-broken.fixture.ts";
import { runAsAdministrator, runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { eraseUser } from "@tollgate/db/users/erase-user.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { readAllowedTargets } from "@tollgate/domain/network/allowed-target.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { signWebhook } from "@tollgate/domain/webhooks/sign-webhook.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { cloneDatabase, createEmptyDatabase, querySql } from "@tollgate/testkit/database.ts";
import { mountDisk, needsDisk } from "@tollgate/testkit/small-disk.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { addPayingTenant, makeLostAttempt, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import { expect, onTestFinished } from "vitest";
import { LedgerCheckpoints } from "./checkpoint-ledger.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const secretOf = (key: KeyObject) => new Secret(key.export({ format: "pem", type: "pkcs8" }) as string);
const signingKey = secretOf(privateKey);
const DAY_MS = 86_400_000;
const SECRET = "0123456789abcdef0123456789abcdef";

const test = base
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the required fixtures from the pattern.
  .extend("parent", { scope: "file" }, async ({}, { onCleanup }) => {
    const parent = mkdtempSync(join(tmpdir(), "tollgate-checkpoints-"));
    onCleanup(() => rmSync(parent, { recursive: true, force: true }));
    return parent;
  })
  .extend("kept", async ({ parent }, { onCleanup }) => {
    const database = await cloneDatabase();
    onCleanup(() => database.drop());
    const { worker, tenant } = await addPayingTenant(database, 10_000n);
    const folder = mkdtempSync(join(parent, "case-"));
    rmSync(folder, { recursive: true });
    const errors: string[] = [];
    const warnings: unknown[] = [];
    const logger = {
      info: () => {},
      warn: (...warning: unknown[]) => void warnings.push(warning),
      error: (message: string) => void errors.push(message),
    };
    const unchanged = { signingKey, folder, webhookUrl: null, webhookSecret: null };
    let checkpoints: PlatformSettings["checkpoints"] = unchanged;
    let usage: PlatformSettings["usage"] = { retentionDays: 400 };
    const outboundAllow = readAllowedTargets(["127.0.0.1"]);
    const start = () =>
      new LedgerCheckpoints({
        db: worker,
        logger,
        settings: () => ({ checkpoints, outboundAllow, usage }),
        now: Date.now,
      });
    const jobs = start();
    /** Signs and delivers with these settings in place of the default ones. */
    const write = async (changes: Partial<PlatformSettings["checkpoints"]> = {}) => {
      checkpoints = { ...unchanged, ...changes };
      await jobs.write();
      if (await jobs.hasDeliveries()) await jobs.deliver();
    };
    const keepFor = (retentionDays: number) => {
      usage = { retentionDays };
    };
    const settle = () => settleUsage(worker, [makeUsageEvent(tenant, 5n)]);
    const settleAndWrite = async (changes: Partial<PlatformSettings["checkpoints"]> = {}) => {
      await settle();
      await write(changes);
    };
    const dayOf = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);
    await ensureUsagePartitions(worker, dayOf(Date.now() - 2 * DAY_MS), dayOf(Date.now()));
    for (let turn = 0; turn < 4; turn += 1) await settleAndWrite();
    const files = () => readdirSync(folder).sort();
    const pathOf = (number: number) => join(folder, files()[number - 1] as string);
    const find = (publicKeys = [publicKey]) => findCheckpoints(worker, folder, publicKeys);
    const verify = async (publicKeys = [publicKey]) =>
      findBrokenInvariants(worker, { isAtRest: true, checkpoints: await find(publicKeys) });
    /** Returns the rules that notice these statements of a superuser, with checkpoints. */
    const rulesAfter = async (statements: string) => {
      const checkpoints = await find();
      const report = await verifyBroken(worker, `${WITHOUT_GUARDS}; ${statements}`, { isAtRest: true, checkpoints });
      return broken(report).map(([id]) => id);
    };
    const { connectionString } = database;
    const query = (text: string) => querySql(connectionString, text);
    return {
      connectionString,
      query,
      worker,
      tenant,
      platform: database.connect("tollgate_platform"),
      folder,
      errors,
      warnings,
      start,
      settle,
      write,
      settleAndWrite,
      keepFor,
      files,
      pathOf,
      find,
      verify,
      rulesAfter,
    };
  });

const broken = (report: VerifyReport) =>
  report.checks
    .filter(({ ok }) => !ok)
    .map(({ id, differences }) => [id, ...differences.map(({ subject, found }) => `${subject}: ${found}`)]);

test("each change is followed by a checkpoint that continues the previous one, and nothing by none", async ({
  kept,
}) => {
  const { verify, write, files, errors } = kept;
  expect(files()).toHaveLength(4);
  await write();
  expect(files()).toHaveLength(4);
  const report = await verify();
  expect(broken(report)).toEqual([]);
  expect(report.checks.slice(-6).map(({ id, checked }) => [id, checked > 0n])).toEqual([
    ["C4", true],
    ["C5", true],
    ["C6", true],
    ["C8", true],
    // Nothing was lost.
    ["C9", false],
    ["C7", true],
  ]);
  expect(errors).toEqual([]);
});

test("a folder that is missing, cut, or replaced is reported as what it is", async ({ kept, parent }) => {
  const { verify, pathOf, folder, files } = kept;
  const findings = async () => broken(await verify());
  const names = files();
  const aside = (number: number) => {
    const from = join(folder, names[number - 1] as string);
    const to = join(parent, names[number - 1] as string);
    renameSync(from, to);
    return () => renameSync(to, from);
  };
  const cuts = [
    [1, "checkpoint 1: cut at the start: begins at checkpoint 2"],
    [2, "checkpoints 2 to 2: cut in the middle: no files"],
    [4, "checkpoint 4: cut at the end: ends at checkpoint 3"],
  ] as const;
  for (const [number, finding] of cuts) {
    const restore = aside(number);
    expect(await findings()).toEqual([["C5", finding]]);
    restore();
  }
  const original = readFileSync(pathOf(3), "utf8");
  const body = JSON.parse(original.slice(original.indexOf("\n")));
  const rewrite = (text: string) => {
    rmSync(pathOf(3), { force: true });
    writeFileSync(join(folder, names[2] as string), text);
  };
  rewrite(original.replace('"organizations":', '"organizations": '));
  expect((await findings())[0]?.[1]).toBe("checkpoint 3: changed: its signature doesn't match its contents");
  rewrite(signCheckpoint(body, generateKeyPairSync("ed25519").privateKey));
  expect((await findings())[0]?.[1]).toMatch(/^checkpoint 3: replaced: signed by the key [0-9a-f]{16}$/);
  rewrite(signCheckpoint({ ...body, previous: "00" }, privateKey));
  expect((await findings())[0]).toEqual([
    "C5",
    "checkpoint 3: replaced: it does not continue the checkpoint before it",
    "checkpoint 3: replaced: another checkpoint",
    "checkpoint 4: replaced: it does not continue the checkpoint before it",
  ]);
  rewrite(original);
  expect(await findings()).toEqual([]);
  renameSync(folder, `${folder}-away`);
  expect(await findings()).toEqual([["C5", `${folder}: missing: no such folder`]]);
  renameSync(`${folder}-away`, folder);
});

test("a chain that lost its end, and an organization that lost all its rows, differ from the checkpoints", async ({
  kept: { tenant, rulesAfter },
}) => {
  const ofTenant = `organization_id = '${tenant.organizationId}'`;
  // Everything that refers to the last settlement is removed, so that all sums and the chain itself agree.
  const last = `(select transaction_id from ledger_chain where ${ofTenant} order by seq desc limit 1)`;
  expect(
    await rulesAfter(`
      delete from usage_rollups; delete from usage_days; delete from usage_hours;
      delete from usage_events where transaction_id = ${last};
      delete from ledger_postings where transaction_id = ${last};
      delete from ledger_transactions where id = ${last};
      delete from ledger_chain where ${ofTenant} and seq = (select max(seq) from ledger_chain where ${ofTenant});
      update organization_quota set balance = balance + 5, total_used = total_used - 5, chain_seq = l.seq, chain_hash = l.hash
        from (select seq, hash from ledger_chain where ${ofTenant} order by seq desc limit 1) l where ${ofTenant}`),
  ).toEqual(["rollups", "C4"]);
  expect(await rulesAfter(`delete from organizations where id = '${tenant.organizationId}'`)).toContain("C6");
});

test("a chain that was computed again with valid hashes differs from the checkpoints only", async ({
  kept: { tenant, rulesAfter },
}) => {
  const ofTenant = `organization_id = '${tenant.organizationId}'`;
  expect(
    await rulesAfter(`update ledger_transactions set actor = 'other' where kind = 'grant'; ${rehash(ofTenant)}`),
  ).toEqual(["C4"]);
  // Otherwise, an attacker could move the start of the chains, before which entries are accepted without a chain.
  expect(await rulesAfter("update ledger_chain_start set since = now() + interval '1 hour'")).toEqual(["C4"]);
});

test("a change before the first checkpoint that covers it is not noticed, as documented", async ({
  kept: { tenant, settle, rulesAfter },
}) => {
  await settle();
  const ofTenant = `organization_id = '${tenant.organizationId}'`;
  const last = `(select chain_seq from organization_quota where ${ofTenant})`;
  const change = `update usage_events set ended_at = ended_at - interval '1 hour' where ${ofTenant} and chain_seq = ${last};
    update ledger_chain c set usage_digest = s.digest from (
      select sha256(string_agg(usage_facts(e), ''::bytea order by e.id)) as digest
        from usage_events e where e.${ofTenant} and e.chain_seq = ${last}) s where c.${ofTenant} and c.seq = ${last}`;
  expect(await rulesAfter(change)).toEqual(["C1"]);
  expect(await rulesAfter(`${change}; ${rehash(ofTenant)}`)).toEqual([]);
});

test("a recent checkpoint that was deleted from the database is reported", async ({
  kept: { rulesAfter, verify, worker, query },
}) => {
  expect(await rulesAfter("delete from ledger_checkpoints where number = 2")).toEqual(["C5"]);
  expect(await rulesAfter("delete from ledger_checkpoints where number < 4")).toEqual(["C5"]);
  expect(await rulesAfter("delete from ledger_checkpoints")).toEqual(["C5"]);
  await query("update ledger_checkpoints set created_at = created_at - interval '31 days' where number < 3");
  await pruneCheckpoints(worker);
  expect(await query("select number from ledger_checkpoints order by number")).toEqual([
    { number: "3" },
    { number: "4" },
  ]);
  // The signed times of the files say that they are recent.
  expect(broken(await verify())).toEqual([
    ["C5", "checkpoint 1: deleted from the database", "checkpoint 2: deleted from the database"],
  ]);
});

test("verification during deliveries finds no difference", async ({ kept: { worker, find, settleAndWrite } }) => {
  const before = await find();
  await settleAndWrite();
  expect(broken(await findBrokenInvariants(worker, { isAtRest: true, checkpoints: before }))).toEqual([]);
});

test("a checkpoint that a sink does not accept is counted and delivered later, in order", async ({ kept }) => {
  const { query, settle, write, errors, files, folder, verify } = kept;
  const webhook = await startWebhook();
  renameSync(folder, `${folder}-away`);
  await settle();
  await write(webhook.settings);
  expect(errors.sort()).toEqual([
    "could not deliver ledger checkpoints to the folder; will retry",
    "could not deliver ledger checkpoints to the webhook; will retry",
  ]);
  const [failed] = await query("select array_agg(failures order by sink) as failures from checkpoint_sinks");
  expect(failed).toEqual({ failures: ["1", "1"] });
  renameSync(`${folder}-away`, folder);
  webhook.status = 200;
  await write(webhook.settings);
  expect(webhook.received).toEqual([1, 2, 3, 4, 5].map((number) => ({ id: `checkpoint-${number}`, isSigned: true })));
  expect(files()).toHaveLength(5);
  expect(broken(await verify())).toEqual([]);
});

test("settlement and new checkpoints go on while no sink is available", async ({ kept }) => {
  const { query, folder, settle, start, write, files, verify } = kept;
  rmSync(folder, { recursive: true });
  // A file in place of the folder, for a folder that can't be written to by any user.
  writeFileSync(folder, "");
  for (let turn = 0; turn < 3; turn += 1) {
    expect([...(await settle()).values()]).toEqual(["settled"]);
    await start().write();
  }
  expect(await query("select max(number) as number from ledger_checkpoints")).toEqual([{ number: "7" }]);
  await write();
  rmSync(folder);
  mkdirSync(folder);
  await write();
  // The first four were delivered before the folder was lost.
  expect(files()).toHaveLength(3);
  expect(broken(await verify())).toEqual([["C5", "checkpoint 1: cut at the start: begins at checkpoint 5"]]);
});

test("checkpoints that a sink refused for 90 days are deleted, and a later one records every chain", async ({
  kept,
}) => {
  const { query, worker, folder, files, pathOf, settle, settleAndWrite, write, verify, errors, warnings } = kept;
  const webhook = await startWebhook();
  webhook.status = 200;
  renameSync(folder, `${folder}-away`);
  for (let turn = 0; turn < 3; turn += 1) await settleAndWrite(webhook.settings);
  const age = (days: number) =>
    query(`update ledger_checkpoints set created_at = created_at - interval '${days} days' where number < 7`);
  const numbers = () => query("select array_agg(number::int order by number) as numbers from ledger_checkpoints");
  await age(89);
  await write(webhook.settings);
  expect(await numbers()).toEqual([{ numbers: [5, 6, 7] }]);
  await age(2);
  // The folder has not failed for 90 days, as after an instance was stopped for months.
  await write(webhook.settings);
  await pruneCheckpoints(worker);
  expect(await numbers()).toEqual([{ numbers: [5, 6, 7] }]);
  await query("update checkpoint_sinks set failing_since = failing_since - interval '91 days' where sink = 'folder'");
  // The last refusal was before their 90th day: the folder gets another chance.
  await query("update checkpoint_sinks set failed_at = failed_at - interval '2 days' where sink = 'folder'");
  await pruneCheckpoints(worker);
  expect(await numbers()).toEqual([{ numbers: [5, 6, 7] }]);
  expect(warnings).toEqual([]);
  await write(webhook.settings);
  await write(webhook.settings);
  expect(await numbers()).toEqual([{ numbers: [7] }]);
  expect(warnings).toEqual([["deleted ledger checkpoints that the folder refused for 90 days", { count: 2 }]]);
  expect(await query("select sink, dropped, dropped_through from checkpoint_sinks order by sink")).toEqual([
    { sink: "folder", dropped: "2", dropped_through: "6" },
    { sink: "webhook", dropped: "0", dropped_through: null },
  ]);
  expect(new Set(errors)).toEqual(new Set(["could not deliver ledger checkpoints to the folder; will retry"]));

  renameSync(`${folder}-away`, folder);
  await write(webhook.settings);
  expect(files()).toHaveLength(5);
  // The signed times of the first four say that they are recent.
  const recent = [1, 2, 3, 4].map((number) => `checkpoint ${number}: deleted from the database`);
  const gap = "checkpoints 5 to 6: refused by the folder for 90 days, or cut: no files";
  expect(broken(await verify())).toEqual([["C5", ...recent, gap]]);
  await settle();
  await write(webhook.settings);
  const chainsOf = (number: number) => {
    const content = readFileSync(pathOf(number), "utf8");
    const { heads } = JSON.parse(content.slice(content.indexOf("\n")));
    return heads.map(({ chain, organizationId }: ChainHead) => [chain, organizationId]);
  };
  const [every, grown, seventh, eighth] = [1, 4, 5, 6].map(chainsOf);
  expect(seventh).toEqual(grown);
  expect(eighth).toEqual(every);
  expect(webhook.received).toHaveLength(8);
});

test("a folder that refused its first checkpoint for 90 days gets the oldest one that is left", async ({
  kept,
  parent,
}) => {
  const { query, settle, write, worker } = kept;
  const folder = join(parent, "late", "folder");
  writeFileSync(join(parent, "late"), "");
  await query("update ledger_checkpoints set created_at = created_at - interval '91 days' where number < 4");
  await write({ folder });
  await query("update checkpoint_sinks set failing_since = failing_since - interval '91 days'");
  await settle();
  await write({ folder });
  expect(await query("select min(number) as number from ledger_checkpoints")).toEqual([{ number: "4" }]);
  rmSync(join(parent, "late"));
  await write({ folder });
  expect(readdirSync(folder)).toHaveLength(3);
  const checkpoints = await findCheckpoints(worker, folder, [publicKey]);
  expect(broken(await findBrokenInvariants(worker, { isAtRest: true, checkpoints }))).toEqual([
    ["C5", "checkpoint 1: refused by the folder for 90 days, or cut: begins at checkpoint 4"],
  ]);
});

test("a full or read-only folder is an error that is retried, and no difference", needsDisk, async ({ kept }) => {
  const { worker, settle, write, errors } = kept;
  const disk = mountDisk("64k");
  const { folder } = disk;
  const verify = async () => {
    const checkpoints = await findCheckpoints(worker, folder, [publicKey]);
    return broken(await findBrokenInvariants(worker, { isAtRest: true, checkpoints }));
  };
  disk.remount("ro");
  await settle();
  await write({ folder });
  expect(await verify()).toEqual([["C5", `${folder}: unused: no checkpoint was delivered to it yet`]]);
  disk.remount("rw");
  await write({ folder });
  expect(errors.splice(0)).toEqual(["could not deliver ledger checkpoints to the folder; will retry"]);
  const delivered = readdirSync(folder);
  expect(await verify()).toEqual([]);
  for (const size of [4_096, 1]) fillDisk(join(folder, "filler"), size);
  for (let turn = 0; turn < 3; turn += 1) {
    await settle();
    await write({ folder });
    // The rest of a cut checkpoint would be another file.
    expect(readdirSync(folder)).toEqual([...delivered, "filler"]);
    expect(await verify()).toEqual([]);
  }
  expect(errors).toEqual(
    Array.from({ length: 3 }, () => "could not deliver ledger checkpoints to the folder; will retry"),
  );
  rmSync(join(folder, "filler"));
  await write({ folder });
  expect(readdirSync(folder)).toHaveLength(delivered.length + 3);
  expect(await verify()).toEqual([]);
});

test("a worker delivers what another one signed before it was killed", async ({ kept }) => {
  const { folder, settle, start, files, verify } = kept;
  await settle();
  await start().write();
  expect(files()).toHaveLength(4);
  // The other worker was killed while it wrote the file.
  writeFileSync(join(folder, ".checkpoint-5.draft"), "tollgate-check", { mode: 0o440 });
  const next = start();
  expect(await next.hasDeliveries()).toBe(true);
  await Promise.all([next.write(), next.deliver()]);
  expect(files()).toHaveLength(5);
  expect(broken(await verify())).toEqual([]);
});

test("checkpoints continue with a new key, and verification needs both in the order of their use", async ({ kept }) => {
  const { settleAndWrite, verify } = kept;
  const next = generateKeyPairSync("ed25519");
  await settleAndWrite({ signingKey: secretOf(next.privateKey) });
  expect(broken(await verify([publicKey, next.publicKey]))).toEqual([]);
  expect(broken(await verify([publicKey]))[0]?.slice(1)).toEqual([
    expect.stringMatching(/^checkpoint 5: replaced: signed by the key [0-9a-f]{16}$/),
  ]);
  expect(broken(await verify([next.publicKey]))[0]).toHaveLength(1 + 4);
  await settleAndWrite();
  expect(broken(await verify([publicKey, next.publicKey]))[0]?.slice(1)).toEqual([
    expect.stringMatching(/^checkpoint 6: replaced: signed by the earlier key [0-9a-f]{16}$/),
  ]);
});

test("without a key, no checkpoint is written, and the sinks do not count as late", async ({ kept }) => {
  const { query, start, settle, write, files } = kept;
  await settle();
  await write({ signingKey: null });
  expect(files()).toHaveLength(4);
  expect(await query("select * from checkpoint_sinks")).toEqual([]);
  expect(await start().hasChanges()).toBe(false);
  expect(await start().hasDeliveries()).toBe(false);
});

test("a folder never replaces a checkpoint, and a new folder gets all of them", async ({ kept, parent }) => {
  const { query, write, errors, pathOf, settleAndWrite, folder } = kept;
  writeFileSync(join(folder, "checkpoint-000000000005.txt"), "of another database");
  await settleAndWrite();
  expect(errors.at(-1)).toBe("could not deliver ledger checkpoints to the folder; will retry");
  expect(readFileSync(pathOf(5), "utf8")).toBe("of another database");
  await write({ folder: join(parent, "new") });
  const files = readdirSync(join(parent, "new")).sort();
  expect(files).toHaveLength(6);
  // The last one records every chain, because a new folder may lack the checkpoints of chains that don't grow.
  const last = readFileSync(join(parent, "new", files.at(-1) as string), "utf8");
  const chains = await query(`select 'ledger' from organization_quota where chain_seq > 0
    union all (select distinct organization_id from audit_log)`);
  expect(JSON.parse(last.slice(last.indexOf("\n"))).heads).toHaveLength(chains.length);
});

test("a loss that was dated back to before a checkpoint is reported, and one that waited for a worker is not", async ({
  kept: { tenant, worker, write, rulesAfter },
}) => {
  const lose = async () => {
    await settleUsage(worker, [makeUsageEvent(tenant, 5n, { lostAttempts: [makeLostAttempt(3n)] })]);
    await write();
  };
  /** Moves the times at which a loss was posted and chained. All checkpoints were written just now. */
  const move = (seq: number, posted: string, chained: string) => `
    update ledger_transactions set created_at = created_at + interval '${posted}'
      where id = (select transaction_id from ledger_chain where organization_id = 'instance' and seq = ${seq});
    update ledger_chain set created_at = created_at + interval '${chained}' where organization_id = 'instance' and seq = ${seq}`;
  const noticed = async (statements: string) =>
    (await rulesAfter(statements)).filter((id) => id === "C2" || id === "C9");
  await lose();
  expect(await noticed(move(1, "-1 hour", "1 hour"))).toEqual(["C9"]);
  // No checkpoint was signed between the two times.
  expect(await noticed(move(1, "-1 hour", "0"))).toEqual([]);
  expect(await noticed(move(1, "1 hour", "2 hours"))).toEqual([]);
  await lose();
  expect(await noticed(move(2, "-1 hour", "1 hour"))).toEqual(["C2", "C9"]);
  // A worker with a long queue signs before it has chained all losses. It chains them in their order.
  const first = move(1, "-30 minutes", "9 minutes");
  expect(await noticed(`${first}; ${move(2, "-25 minutes", "12 minutes")}`)).toEqual([]);
  expect(await noticed(`${first}; ${move(2, "-25 minutes", "25 minutes")}`)).toEqual(["C9"]);
});

test("an erased text and dropped days leave the chains and checkpoints verified", async ({ kept }) => {
  const { query, worker, tenant, write, verify, rulesAfter, keepFor } = kept;
  const twoDaysAgo = Date.now() - 2 * DAY_MS;
  const texts = { endUser: "jane@example.com", requestId: "for Jane", session: "Jane's task" };
  const [early, late] = [
    { ...makeUsageEvent(tenant, 3n), ...texts, id: makeUuidV7(twoDaysAgo) },
    { ...makeUsageEvent(tenant, 3n), ...texts },
  ];
  await settleUsage(worker, [early]);
  await settleUsage(worker, [late]);
  await write();
  expect(broken(await verify())).toEqual([]);
  const erase = `select erase_usage_texts(array['${early.id}', '${late.id}']::uuid[]) as erased`;
  expect(await query(erase)).toEqual([{ erased: 2 }]);
  expect(await query(erase)).toEqual([{ erased: 0 }]);
  const left = "select from usage_events where end_user is not null or session is not null or request_id <> id::text";
  expect(await query(left)).toEqual([]);
  expect(broken(await verify())).toEqual([]);
  expect(await rulesAfter(`update usage_events set end_user = 'other' where id = '${late.id}'`)).toContain("C3");
  for (const day of await listDaysToClose(worker, 0)) await closeDay(worker, day);
  const dropAll = "select drop_sealed_partitions(0)";
  expect(await rulesAfter(dropAll)).toEqual(["C8"]);
  expect(await rulesAfter(`${dropAll}; delete from usage_day_seals; delete from usage_rollups`)).toContain("C8");
  keepFor(1);
  await write();
  expect((await dropClosedPartitions(worker, 1)).length).toBeGreaterThan(0);
  expect(broken(await verify())).toEqual([]);
  // The days that an earlier, shorter retention dropped are not missing.
  keepFor(400);
  await write();
  expect(broken(await verify())).toEqual([]);
});

test("an erased user leaves the chains and checkpoints verified", async ({ kept: { platform, write, verify } }) => {
  const account = await runUnauthenticated(platform, async (transaction) => {
    const created = await createAccount(transaction, {
      email: "jane@example.com",
      name: "Jane",
      role: "user",
      passwordHash: "none",
      isEmailVerified: true,
      organizationName: null,
      hasDefaultTeam: true,
      welcomeGrant: 5n,
      now: new Date(),
    });
    if (created.kind !== "created") throw new Error("the account was not created");
    await writeAudit(transaction, {
      organizationId: null,
      actor: { type: "user", id: created.userId, email: "jane@example.com" },
      action: "user.signed_up",
      target: { type: "user", id: String(created.userId) },
      after: { role: "user", organizationId: created.organization.id, teamId: created.team?.id },
    });
    return created;
  });
  await write();
  expect(broken(await verify())).toEqual([]);
  await runAsAdministrator(platform, async (transaction) => {
    expect(await eraseUser(transaction, account.userId, new Date())).toMatchObject({ kind: "erased" });
    await writeAudit(transaction, {
      organizationId: null,
      actor: { type: "system", id: null },
      action: "user.deleted",
      target: { type: "user", id: String(account.userId) },
    });
  });
  await write();
  expect(broken(await verify()).filter(([id]) => /^C|I8/.test(id as string))).toEqual([]);
});

test("a database that was restored from a backup is behind its folder, and the old folder says so", async ({
  kept,
  parent,
}) => {
  const { settleAndWrite, rulesAfter } = kept;
  const target = await createEmptyDatabase();
  const backup = join(parent, "backup");
  try {
    await writeBackup(kept.connectionString, backup, new Date());
    await settleAndWrite();
    await restoreBackup(target.connectionString, backup, await checkBackup(backup));
    const restored = target.connect("tollgate_worker");
    const checkpoints = await findCheckpoints(restored, kept.folder, [publicKey]);
    const report = await findBrokenInvariants(restored, { isAtRest: true, checkpoints });
    expect(broken(report)).toEqual([
      ["C4", expect.stringMatching(/^ledger chain, checkpoint 5: no such entry$/)],
      ["C5", "checkpoint 5: the database ends at checkpoint 4"],
    ]);
    expect(broken(await findBrokenInvariants(restored, { isAtRest: true }))).toEqual([]);
  } finally {
    await target.drop();
  }
  expect(await rulesAfter("select 1")).toEqual([]);
});

/** Computes every hash of a ledger chain again, as an attacker would. */
const rehash = (ofTenant: string): string => `do $$
  declare
    entry    ledger_chain;
    paid     ledger_transactions;
    previous bytea;
  begin
    for entry in select * from ledger_chain where ${ofTenant} order by seq loop
      select * into paid from ledger_transactions where id = entry.transaction_id;
      update ledger_chain
         set previous_hash = previous,
             hash = ledger_chain_hash(previous, organization_id, seq, created_at, salt,
               case when paid.id is not null then transaction_facts(paid, salt) end, usage_count, usage_since, usage_digest)
       where (organization_id, seq) = (entry.organization_id, entry.seq)
      returning hash into previous;
    end loop;
    update organization_quota set chain_hash = previous where ${ofTenant};
  end $$`;

/** Appends blocks of this size to a file until its disk is full. */
function fillDisk(filler: string, size: number): void {
  try {
    for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: "a" });
  } catch {
    // The disk is full.
  }
}

/** Starts a receiver that refuses checkpoints until its status is 200. */
async function startWebhook() {
  const webhook = {
    status: 500,
    received: [] as { id: unknown; isSigned: boolean }[],
    settings: { webhookUrl: "", webhookSecret: new Secret(SECRET) },
  };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const signature = String(request.headers["x-gw-signature"]);
    const at = new Date(Number(/^t=(\d+)/.exec(signature)?.[1]) * 1_000);
    if (webhook.status === 200) {
      const isSigned = signWebhook(SECRET, body, at) === signature;
      webhook.received.push({ id: request.headers["x-gw-event-id"], isSigned });
    }
    response.writeHead(webhook.status).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  webhook.settings.webhookUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return webhook;
}
