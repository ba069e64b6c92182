import { sql } from "kysely";
import { writeAudit } from "../audit/write-audit.ts";
import type { Database } from "../connect.ts";

/** A purchase whose final status is unknown. */
interface UnresolvedPurchase {
  readonly id: string;
  readonly providerSessionId: string;
  readonly createdAt: Date;
}

interface UnresolvedFilter {
  readonly provider: "stripe" | "fake";
  readonly madeBefore: Date;
  readonly askedBefore: Date;
  readonly now: Date;
  readonly limit: number;
}

/**
 * Claims open purchases made before `madeBefore` that have not been queried since `askedBefore`, least recently queried
 * first, and marks them as queried now.
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

/**
 * Fails purchases for which no checkout page was ever opened because the process died and the request was not retried.
 */
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
    // Process purchases in organization order, because each organization's audit chain stays locked until the commit.
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
