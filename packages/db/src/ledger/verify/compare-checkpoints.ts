import type { KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { keyIdOf } from "@tollgate/domain/signing-keys.ts";
import { sql, type Transaction } from "kysely";
import type { Database } from "../../connect.ts";
import type { Tables } from "../../tables.generated.ts";
import { type ChainHead, type Checkpoint, checkpointDigest, readCheckpoint } from "../checkpoints/checkpoint.ts";
import { type CheckpointFile, listCheckpointFiles } from "../checkpoints/checkpoint-folder.ts";
import { KEPT_DAYS } from "../checkpoints/deliver-checkpoints.ts";
import { CHAINED_SINCE } from "../checkpoints/write-checkpoints.ts";
import { Findings } from "./findings.ts";
import type { CheckReport, Difference } from "./invariant.ts";
import { LossCheck } from "./late-losses.ts";
import { RetentionCheck } from "./retention-check.ts";

/** A folder of checkpoints, and the keys that must have signed them. */
export interface CheckpointEvidence {
  readonly folder: string;
  /** Null if there is no such folder. */
  readonly files: readonly CheckpointFile[] | null;
  /** In the order of their use. A key is not accepted after a later one. */
  readonly publicKeys: readonly KeyObject[];
  /** Last checkpoint that was in the folder before its files were listed, according to the database; null if unknown. */
  readonly deliveredThrough: number | null;
}

/** Finding about checkpoints that the database deleted undelivered. That they were also removed can't be excluded. */
const DROPPED = "refused by the folder for 90 days, or cut";
const HEADS_PER_QUERY = 5_000;

/**
 * Lists the checkpoints of a folder. Must run before the snapshot that they are compared with: a checkpoint is stored
 * before it is delivered, so the snapshot contains all of them.
 */
export async function findCheckpoints(
  db: Database,
  folder: string,
  publicKeys: readonly KeyObject[],
): Promise<CheckpointEvidence> {
  const sink = await db
    .selectFrom("checkpoint_sinks")
    .select("delivered_through")
    .where("sink", "=", "folder")
    .executeTakeFirst();
  const deliveredThrough = sink === undefined ? null : Number(sink.delivered_through);
  return { folder, files: await listCheckpointFiles(folder), publicKeys, deliveredThrough };
}

/**
 * Compares the database with checkpoints that were written outside of it. Reads one checkpoint after the other, because
 * a year has half a million of them. `keptSince`: the first day whose usage rows still exist.
 */
export async function compareCheckpoints(
  snapshot: Transaction<Tables>,
  evidence: CheckpointEvidence,
  keptSince: string,
): Promise<readonly CheckReport[]> {
  const stored = await readStored(snapshot);
  const folder = new FolderCheck(evidence, stored);
  const chains = new ChainCheck(snapshot, stored.chainedSince);
  const organizations = new OrganizationCheck();
  const retention = new RetentionCheck();
  const losses = new LossCheck();
  for (const file of evidence.files ?? []) {
    const checkpoint = folder.read(file.number, await readFile(file.path, "utf8"));
    if (checkpoint === null) continue;
    await chains.add(checkpoint);
    organizations.add(checkpoint);
    retention.add(checkpoint);
    losses.add(checkpoint);
  }
  await chains.finish();
  await organizations.finish(snapshot);
  await retention.finish(snapshot, keptSince);
  await losses.finish(snapshot);
  return [
    chains.findings.report("C4", "each chain still contains the entries that checkpoints recorded", chains.checked),
    folder.findings.report(
      "C5",
      "the checkpoint folder is complete, each checkpoint continues the previous one, and all are signed",
      evidence.files?.length ?? 0,
    ),
    organizations.findings.report(
      "C6",
      "each organization that a checkpoint recorded still exists",
      organizations.checked,
    ),
    retention.findings.report(
      "C8",
      "usage rows were dropped only after the retention that checkpoints recorded",
      retention.checked,
    ),
    losses.findings.report("C9", "each loss was chained before the checkpoints that followed it", losses.checked),
  ];
}

/** What the database knows about its checkpoints and the folder. */
interface StoredCheckpoints {
  /** Digests of the checkpoints that are still in the database, by number. */
  readonly digests: ReadonlyMap<number, string>;
  readonly lastNumber: number;
  /** First checkpoint in the folder; 1 if the folder isn't one that this database writes to. */
  readonly firstNumber: number;
  /** Last checkpoint that was deleted before the folder accepted it; 0 if there is none. */
  readonly droppedThrough: number;
  /** Later checkpoints are still in the database. */
  readonly keptSince: Date;
  readonly chainedSince: string;
}

async function readStored(snapshot: Transaction<Tables>): Promise<StoredCheckpoints> {
  const { rows } = await sql<{ number: bigint; digest: string }>`
    select number, encode(sha256(convert_to(content, 'UTF8')), 'hex') as digest
    from ledger_checkpoints order by number`.execute(snapshot);
  const figures = await sql<{
    firstNumber: bigint | null;
    droppedThrough: bigint | null;
    keptSince: Date;
    chainedSince: string;
  }>`
    select (select first_number from checkpoint_sinks where sink = 'folder') as "firstNumber",
      (select dropped_through from checkpoint_sinks where sink = 'folder') as "droppedThrough",
      now() - make_interval(days => ${KEPT_DAYS}) as "keptSince", ${CHAINED_SINCE} as "chainedSince"`.execute(snapshot);
  const [row] = figures.rows as [(typeof figures.rows)[number]];
  return {
    digests: new Map(rows.map(({ number, digest }) => [Number(number), digest])),
    lastNumber: Number(rows.at(-1)?.number ?? 0n),
    firstNumber: Number(row.firstNumber ?? 1n),
    droppedThrough: Number(row.droppedThrough ?? 0n),
    keptSince: row.keptSince,
    chainedSince: row.chainedSince,
  };
}

/** Checks that the files are complete and signed, that each continues the one before it, and that none is unknown. */
class FolderCheck {
  readonly findings = new Findings();
  readonly #publicKeys: readonly KeyObject[];
  readonly #stored: StoredCheckpoints;
  /** Index of the key of the last checkpoint. */
  #keyIndex = 0;
  #before: { readonly number: number; readonly digest: string } | null = null;

  constructor({ folder, files, publicKeys, deliveredThrough }: CheckpointEvidence, stored: StoredCheckpoints) {
    this.#publicKeys = publicKeys;
    this.#stored = stored;
    const [first, last] = [files?.[0], files?.at(-1)];
    if (files === null || first === undefined || last === undefined) {
      // A folder that is full or read-only from the start gets no checkpoint, so nothing was removed from it.
      const isUnused = deliveredThrough !== null && deliveredThrough < stored.firstNumber;
      const missing = files === null ? "missing: no such folder" : "missing: no checkpoint in it";
      const found = isUnused ? "unused: no checkpoint was delivered to it yet" : missing;
      this.findings.add(folder, "a folder with checkpoints", found);
      return;
    }
    if (first.number > stored.firstNumber) {
      const found = this.#isDropped(first.number - 1) ? DROPPED : "cut at the start";
      this.findings.add(
        `checkpoint ${stored.firstNumber}`,
        "the first file",
        `${found}: begins at checkpoint ${first.number}`,
      );
    }
    if (deliveredThrough !== null && deliveredThrough > last.number) {
      const found = `cut at the end: ends at checkpoint ${last.number}`;
      this.findings.add(`checkpoint ${deliveredThrough}`, "the last file", found);
    }
    if (last.number > stored.lastNumber) {
      const found = `the database ends at checkpoint ${stored.lastNumber}`;
      this.findings.add(`checkpoint ${last.number}`, "a checkpoint of this database", found);
    }
  }

  /** Returns the checkpoint, or null if it can't be trusted. */
  read(number: number, content: string): Checkpoint | null {
    const [before, subject] = [this.#before, `checkpoint ${number}`];
    const digest = checkpointDigest(content);
    this.#before = { number, digest };
    if (before !== null && number > before.number + 1) {
      const missing = `checkpoints ${before.number + 1} to ${number - 1}`;
      const found = this.#isDropped(number - 1) ? DROPPED : "cut in the middle";
      this.findings.add(missing, "a file for each number", `${found}: no files`);
    }
    const checkpoint = this.#readSigned(subject, number, content);
    if (checkpoint !== null && !continues(checkpoint, before)) {
      const found = "replaced: it does not continue the checkpoint before it";
      this.findings.add(subject, "continues the checkpoint before it", found);
    }
    const stored = this.#stored.digests.get(number);
    if (stored !== undefined && stored !== digest) {
      this.findings.add(subject, "the checkpoint that the database wrote", "replaced: another checkpoint");
    }
    const isKept = checkpoint !== null && new Date(checkpoint.at) > this.#stored.keptSince;
    if (stored === undefined && isKept && number < this.#stored.lastNumber) {
      this.findings.add(subject, "a stored checkpoint, because it is recent", "deleted from the database");
    }
    return checkpoint;
  }

  /** Reports whether the folder may lack a checkpoint because the database deleted it undelivered. */
  #isDropped(number: number): boolean {
    return number <= this.#stored.droppedThrough;
  }

  #readSigned(subject: string, number: number, content: string): Checkpoint | null {
    const read = readCheckpoint(content, this.#publicKeys);
    if (read.kind === "other-key") {
      const expected = `signed by the key ${this.#publicKeys.map(keyIdOf).join(" or ")}`;
      this.findings.add(subject, expected, `replaced: signed by the key ${read.keyId}`);
      return null;
    }
    if (read.kind === "invalid") {
      this.findings.add(subject, "a signed checkpoint", `changed: ${read.reason}`);
      return null;
    }
    const index = this.#publicKeys.indexOf(read.key);
    if (index < this.#keyIndex) {
      const latest = this.#publicKeys[this.#keyIndex] as KeyObject;
      const found = `replaced: signed by the earlier key ${keyIdOf(read.key)}`;
      this.findings.add(subject, `signed by the key ${keyIdOf(latest)}`, found);
      return null;
    }
    this.#keyIndex = index;
    if (read.checkpoint.number === number) return read.checkpoint;
    this.findings.add(subject, "its own number", `replaced: checkpoint ${read.checkpoint.number}`);
    return null;
  }
}

/** Reports whether a checkpoint names the one before it. After a gap, which is reported separately, nothing is known. */
function continues(
  { number, previous }: Checkpoint,
  before: { readonly number: number; readonly digest: string } | null,
): boolean {
  if (before === null) return number > 1 || previous === null;
  return number > before.number + 1 || previous === before.digest;
}

/** Checks that the chains still contain the recorded ends, and still start where they started. */
class ChainCheck {
  readonly findings = new Findings();
  checked = 0;
  readonly #snapshot: Transaction<Tables>;
  readonly #chainedSince: string;
  #hasOtherStart = false;
  #heads: (ChainHead & { readonly number: number })[] = [];

  constructor(snapshot: Transaction<Tables>, chainedSince: string) {
    this.#snapshot = snapshot;
    this.#chainedSince = chainedSince;
  }

  async add({ number, heads, chainedSince }: Checkpoint): Promise<void> {
    if (chainedSince !== this.#chainedSince && !this.#hasOtherStart) {
      this.#hasOtherStart = true;
      this.findings.add(`start of the chains, checkpoint ${number}`, chainedSince, this.#chainedSince);
    }
    this.checked += heads.length;
    for (const head of heads) this.#heads.push({ ...head, number });
    while (this.#heads.length >= HEADS_PER_QUERY) await this.#compare(this.#heads.splice(0, HEADS_PER_QUERY));
  }

  async finish(): Promise<void> {
    if (this.#heads.length > 0) await this.#compare(this.#heads.splice(0));
  }

  async #compare(heads: readonly (ChainHead & { readonly number: number })[]): Promise<void> {
    const { rows } = await sql<Pick<Difference, "organizationId" | "subject" | "expected" | "found">>`
      with recorded as (
        select * from json_to_recordset(${JSON.stringify(heads)}::json)
          as head (chain text, "organizationId" text, seq bigint, hash text, number bigint)
      )
      select nullif("organizationId", 'instance') as "organizationId",
        recorded.chain || ' chain, checkpoint ' || recorded.number as subject,
        'entry ' || recorded.seq || ' ' || recorded.hash as expected,
        coalesce('entry ' || recorded.seq || ' ' || encode(coalesce(entry.hash, audit.hash), 'hex'), 'no such entry') as found
      from recorded
      left join ledger_chain entry on recorded.chain = 'ledger' and entry.organization_id = "organizationId"
        and entry.seq = recorded.seq
      left join lateral (
        -- Two queries, because an "or" uses no index.
        select hash from audit_log
        where recorded.chain = 'audit' and "organizationId" <> 'instance'
          and audit_log.organization_id = "organizationId" and audit_log.seq = recorded.seq
        union all
        select hash from audit_log
        where recorded.chain = 'audit' and "organizationId" = 'instance'
          and audit_log.organization_id is null and audit_log.seq = recorded.seq
      ) audit on true
      where coalesce(encode(coalesce(entry.hash, audit.hash), 'hex'), '') <> recorded.hash
      order by recorded.number, recorded.chain, "organizationId"`.execute(this.#snapshot);
    for (const { organizationId, subject, expected, found } of rows) {
      this.findings.add(subject, expected, found, organizationId);
    }
  }
}

/** Finds recorded organizations that are gone. Tollgate deletes no organization. */
class OrganizationCheck {
  readonly findings = new Findings();
  /** First checkpoint that recorded each organization. */
  readonly #recorded = new Map<string, number>();
  #largest = 0;

  get checked(): number {
    return this.#recorded.size;
  }

  add({ number, heads, organizations }: Checkpoint): void {
    this.#largest = Math.max(this.#largest, organizations);
    for (const { organizationId } of heads) {
      if (organizationId !== "instance" && !this.#recorded.has(organizationId)) {
        this.#recorded.set(organizationId, number);
      }
    }
  }

  async finish(snapshot: Transaction<Tables>): Promise<void> {
    const { rows } = await sql<{ id: string }>`select id from organizations`.execute(snapshot);
    const existing = new Set(rows.map(({ id }) => id));
    for (const [id, number] of this.#recorded) {
      if (!existing.has(id)) this.findings.add(`checkpoint ${number}`, "an organization with this ID", "none", id);
    }
    if (existing.size < this.#largest) {
      this.findings.add("organizations", `at least ${this.#largest}`, String(existing.size));
    }
  }
}
