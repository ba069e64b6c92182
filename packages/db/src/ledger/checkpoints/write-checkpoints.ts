import type { KeyObject } from "node:crypto";
import { sql, type Transaction } from "kysely";
import type { Database } from "../../connect.ts";
import type { Tables } from "../../tables.generated.ts";
import { type ChainHead, type Checkpoint, checkpointDigest, signCheckpoint } from "./checkpoint.ts";

/** The start of the chains in seconds since 1970, as text that doesn't depend on the session's settings. */
export const CHAINED_SINCE = sql<string>`extract(epoch from chained_since())::text`;
/** Max chains in one checkpoint: about 1.5 MB. The others follow in the next one. */
const MAX_HEADS = 10_000;

interface CheckpointOptions {
  readonly key: KeyObject;
  readonly now: Date;
  /** Days for which usage rows are kept, from the settings. */
  readonly retentionDays: number;
}

/**
 * Writes checkpoints of all chains that grew since the last one to the database, and returns their number. Only one
 * worker runs this at a time.
 */
export async function writeCheckpoints(db: Database, options: CheckpointOptions): Promise<number> {
  for (let written = 0; ; written += 1) {
    const heads = await db.transaction().execute((transaction) => writeCheckpoint(transaction, options));
    if (heads === null) return written;
    if (heads < MAX_HEADS) return written + 1;
  }
}

/** Returns the number of chains in the new checkpoint; null if nothing changed. */
async function writeCheckpoint(
  transaction: Transaction<Tables>,
  { key, now, retentionDays }: CheckpointOptions,
): Promise<number | null> {
  const last = await transaction
    .selectFrom("ledger_checkpoints")
    .select(["number", "content"])
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  const heads = await readMovedHeads(transaction);
  const { organizations, chainedSince, usageSince } = await readFigures(transaction);
  const former = last === undefined ? null : parseCheckpoint(last.content);
  const isSame = former?.organizations === organizations && former.usage?.retentionDays === retentionDays;
  if (heads.length === 0 && isSame) return null;
  const checkpoint: Checkpoint = {
    number: last === undefined ? 1 : Number(last.number) + 1,
    at: now.toISOString(),
    previous: last === undefined ? null : checkpointDigest(last.content),
    organizations,
    chainedSince,
    usage: { since: usageSince, retentionDays },
    heads,
  };
  await transaction
    .insertInto("ledger_checkpoints")
    .values({ number: BigInt(checkpoint.number), content: signCheckpoint(checkpoint, key), created_at: now })
    .execute();
  await sql`
    insert into checkpointed_chains (chain, organization_id, seq)
    select chain, "organizationId", seq
    from json_to_recordset(${JSON.stringify(heads)}::json) as head (chain text, "organizationId" text, seq bigint)
    on conflict (chain, organization_id) do update set seq = excluded.seq`.execute(transaction);
  return heads.length;
}

/** Reads the ends of the chains that differ from the last checkpoint. */
async function readMovedHeads(transaction: Transaction<Tables>): Promise<readonly ChainHead[]> {
  const { rows } = await sql<Omit<ChainHead, "seq"> & { seq: bigint }>`
    with heads as (
      select 'ledger' as chain, organization_id, chain_seq as seq, chain_hash as hash
      from organization_quota where chain_seq > 0
      union all (
        select 'ledger', organization_id, seq, hash
        from ledger_chain where organization_id = 'instance' order by seq desc limit 1
      )
      union all
      select 'audit', organization.id, last.seq, last.hash
      from organizations organization
      cross join lateral (
        select seq, hash from audit_log where organization_id = organization.id order by seq desc limit 1
      ) last
      union all (
        select 'audit', 'instance', seq, hash from audit_log where organization_id is null order by seq desc limit 1
      )
    )
    select heads.chain, heads.organization_id as "organizationId", heads.seq, encode(heads.hash, 'hex') as hash
    from heads left join checkpointed_chains former using (chain, organization_id)
    where heads.seq is distinct from former.seq
    order by heads.chain, heads.organization_id
    limit ${MAX_HEADS}`.execute(transaction);
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
}

interface Figures {
  readonly organizations: number;
  readonly chainedSince: string;
  readonly usageSince: string | null;
}

async function readFigures(transaction: Transaction<Tables>): Promise<Figures> {
  const { rows } = await sql<Omit<Figures, "organizations"> & { organizations: bigint }>`
    select (select count(*) from organizations) as organizations, ${CHAINED_SINCE} as "chainedSince",
      to_char(oldest_usage_day(), 'YYYY-MM-DD') as "usageSince"`.execute(transaction);
  const [row] = rows as [(typeof rows)[number]];
  return { ...row, organizations: Number(row.organizations) };
}

/** Reads a stored checkpoint without verifying it. Returns null if someone changed it so that it isn't JSON. */
function parseCheckpoint(content: string): Checkpoint | null {
  try {
    return JSON.parse(content.slice(content.indexOf("\n")));
  } catch {
    return null;
  }
}
