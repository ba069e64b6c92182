import { sql, type Transaction } from "kysely";
import type { Tables } from "../../tables.generated.ts";
import type { Checkpoint } from "../checkpoints/checkpoint.ts";
import { Findings } from "./findings.ts";

/** A settlement takes less than this from its start to its commit, and clocks agree better. */
const TOLERANCE_MS = 10 * 60_000;

interface LateLoss {
  readonly id: string;
  readonly postedAt: Date;
  readonly chainedAt: Date;
}

/**
 * Finds losses that were posted before a checkpoint and chained after it. A worker chains all waiting losses before it
 * signs, so such a loss was dated back. A worker that was stopped signs nothing meanwhile.
 */
export class LossCheck {
  readonly findings = new Findings();
  checked = 0;
  readonly #signedAtMs: number[] = [];

  add({ at }: Checkpoint): void {
    this.#signedAtMs.push(Date.parse(at));
  }

  async finish(snapshot: Transaction<Tables>): Promise<void> {
    this.checked = await countLosses(snapshot);
    for (const { id, postedAt, chainedAt } of await readLateLosses(snapshot)) {
      const [fromMs, untilMs] = [postedAt.getTime() + TOLERANCE_MS, chainedAt.getTime() - TOLERANCE_MS];
      const signedAtMs = this.#signedAtMs.find((atMs) => atMs > fromMs && atMs < untilMs);
      if (signedAtMs === undefined) continue;
      const expected = `chained before the checkpoint of ${new Date(signedAtMs).toISOString()}`;
      const found = `posted at ${postedAt.toISOString()}, not chained before ${chainedAt.toISOString()}`;
      this.findings.add(id, expected, found);
    }
  }
}

async function countLosses(snapshot: Transaction<Tables>): Promise<number> {
  const { rows } = await sql<{ number: bigint }>`
    select count(*) as number from ledger_transactions where organization_id is null`.execute(snapshot);
  return Number(rows[0]?.number ?? 0n);
}

/**
 * Reads the losses that waited for long, except for those right after another one: with a long queue, a worker signs
 * before it has chained all of them. In the day after an upgrade, losses wait for all earlier transactions.
 */
async function readLateLosses(snapshot: Transaction<Tables>): Promise<readonly LateLoss[]> {
  const { rows } = await sql<LateLoss>`
    with losses as (
      select paid.id, paid.created_at as posted_at, coalesce(entry.created_at, now()) as chained_at,
        max(entry.created_at) over (order by entry.seq nulls last, paid.created_at, paid.id
          rows between unbounded preceding and 1 preceding) as former_at
      from ledger_transactions paid
      left join ledger_chain entry on entry.transaction_id = paid.id
      where paid.organization_id is null
    )
    select id, posted_at as "postedAt", chained_at as "chainedAt"
    from losses
    where chained_at - posted_at > 2 * ${tolerance} and posted_at >= chained_since() + interval '1 day'
      and coalesce(chained_at - former_at > ${tolerance}, true)
    order by posted_at, id`.execute(snapshot);
  return rows;
}

const tolerance = sql`make_interval(secs => ${TOLERANCE_MS / 1_000})`;
