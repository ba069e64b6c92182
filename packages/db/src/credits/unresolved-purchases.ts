import { sql } from "kysely";
import { writeAudit } from "../audit/write-audit.ts";
import type { Database } from "../connect.ts";

/** A purchase nobody has told us the end of. */
export interface UnresolvedPurchase {
  readonly id: string;
  readonly providerSessionId: string;
  readonly createdAt: Date;
}

export interface UnresolvedFilter {
  readonly provider: "stripe" | "fake";
  readonly madeBefore: Date;
  readonly askedBefore: Date;
  readonly now: Date;
  readonly limit: number;
}

/**
 * Purchases made before `madeBefore` that wait for their payment and were not asked about since `askedBefore`, those asked
 * longest ago first. They count as asked from now on.
 */
export async function takeUnresolvedPurchases(
  db: Database,
  { provider, madeBefore, askedBefore, now, limit }: UnresolvedFilter,
): Promise<readonly UnresolvedPurchase[]> {
  const { rows } = await sql<UnresolvedPurchase>`
    update purchases set asked_at = ${now}
     where id in (
       select id from purchases
        where status in ('pending', 'processing') and provider = ${provider} and provider_session_id is not null
          and created_at < ${madeBefore} and (asked_at is null or asked_at < ${askedBefore})
        order by asked_at nulls first, created_at
        limit ${limit}
        for update skip locked
     )
    returning id, provider_session_id as "providerSessionId", created_at as "createdAt"`.execute(db);
  return rows;
}

const GIVEN_UP_AT_A_TIME = 100;

/** Gives up purchases for which no page was ever opened: the process died before, and nobody asked again. */
export function failUnopenedPurchases(db: Database, madeBefore: Date): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ id: string; organizationId: string }>`
      update purchases set status = 'failed', updated_at = now()
       where id in (
         select id from purchases
          where status = 'pending' and provider_session_id is null and created_at < ${madeBefore}
          order by organization_id, id limit ${GIVEN_UP_AT_A_TIME} for update skip locked
       )
      returning id, organization_id as "organizationId"`.execute(transaction);
    // In the order of organizations, each of whose chains stays locked until the end.
    for (const { id, organizationId } of rows.toSorted((one, other) =>
      one.organizationId < other.organizationId ? -1 : 1,
    )) {
      await writeAudit(transaction, {
        organizationId,
        actor: { type: "system", id: "purchases" },
        action: "purchase.failed",
        target: { type: "purchase", id },
        before: { status: "pending" },
        after: { status: "failed" },
      });
    }
    return rows.length;
  });
}
