import { sql } from "kysely";
import type { Database } from "../connect.ts";
import { runForOwner } from "../tenancy.ts";

/** Scope of an Idempotency-Key. Different owners and operations can use the same key independently. */
export interface IdempotencyScope {
  readonly owner: string;
  readonly operation: string;
  readonly keyDigest: Buffer;
}

export interface CallClaim extends IdempotencyScope {
  readonly organizationId: string | null;
  readonly bodyDigest: Buffer;
  /** Unique ID used to renew and end the claim. */
  readonly claim: string;
}

/** State of the first call with a key. */
export type FirstCall =
  /** This call is the first. */
  | { readonly kind: "first" }
  | { readonly kind: "running"; readonly bodyDigest: Buffer }
  /** The first call's process stopped renewing its claim, so the outcome is unknown. */
  | { readonly kind: "cut_off"; readonly bodyDigest: Buffer }
  | { readonly kind: "too_long"; readonly bodyDigest: Buffer }
  | { readonly kind: "answered"; readonly bodyDigest: Buffer; readonly answer: string };

/** How long a key replays its first response. */
const KEPT = sql`interval '1 hour'`;
/** How long a claim is valid without renewal. */
const LEASE = sql`interval '15 seconds'`;

/** Access to all owners' rows, for statements that cover all of a process's claims. */
const everyone = { owner: "", isAdministrator: true };

/** Claims the key for this call, or returns the state of the call that already has the key. */
export function claimCall(db: Database, claim: CallClaim): Promise<FirstCall> {
  const { owner, operation, keyDigest, bodyDigest } = claim;
  return runForOwner(db, { owner, isAdministrator: false }, async (transaction) => {
    // The upsert locks an existing row, so the row can't be deleted before it is read.
    const { rows: taken } = await sql<{ claim: string }>`
      insert into idempotent_calls as known
        (owner, operation, key_digest, organization_id, body_digest, claim, leased_until, expires_at)
      values (${owner}, ${operation}, ${keyDigest}, ${claim.organizationId}, ${bodyDigest}, ${claim.claim},
        now() + ${LEASE}, now() + ${KEPT})
      on conflict (owner, operation, key_digest) do update
        set body_digest = excluded.body_digest, claim = excluded.claim, state = 'running', answer = null,
            leased_until = excluded.leased_until, expires_at = excluded.expires_at
        where known.expires_at < now()
      returning claim`.execute(transaction);
    if (taken.length > 0) return { kind: "first" };
    const { rows } = await sql<{ kind: Exclude<FirstCall["kind"], "first">; bodyDigest: Buffer; answer: string }>`
      select case when state = 'running' and leased_until < now() then 'cut_off' else state end as kind,
             body_digest as "bodyDigest", answer
      from idempotent_calls
      where owner = ${owner} and operation = ${operation} and key_digest = ${keyDigest}`.execute(transaction);
    return rows[0] as FirstCall;
  });
}

/** Stores the encrypted response, or null if it is too long. Reports whether the claim was still valid. */
export function saveIdempotentCall(db: Database, { owner, claim }: CallClaim, answer: string | null): Promise<boolean> {
  return runForOwner(db, { owner, isAdministrator: false }, async (transaction) => {
    const { numAffectedRows } = await sql`
      update idempotent_calls
      set state = ${answer === null ? "too_long" : "answered"}, answer = ${answer}, expires_at = now() + ${KEPT}
      where claim = ${claim} and owner = ${owner}`.execute(transaction);
    return numAffectedRows === 1n;
  });
}

/** Releases the claim of a call without a response, so that the next call with the same key counts as the first. */
export function releaseCall(db: Database, { owner, claim }: Pick<CallClaim, "owner" | "claim">): Promise<void> {
  return runForOwner(db, { owner, isAdministrator: false }, async (transaction) => {
    await sql`delete from idempotent_calls where claim = ${claim} and owner = ${owner} and state = 'running'`.execute(
      transaction,
    );
  });
}

/** Renews the claims of calls that are in flight. */
export function renewCalls(db: Database, claims: readonly string[]): Promise<void> {
  return runForOwner(db, everyone, async (transaction) => {
    await sql`
      update idempotent_calls set leased_until = now() + ${LEASE}, expires_at = now() + ${KEPT}
      where claim = any (${claims}) and state = 'running'`.execute(transaction);
  });
}

/** Returns the indexes of the idempotency keys whose call is in flight. */
export function findRunning(db: Database, places: readonly IdempotencyScope[]): Promise<ReadonlySet<number>> {
  return runForOwner(db, everyone, async (transaction) => {
    const { rows } = await sql<{ position: number }>`
      select place.position::int as position
      from unnest(${places.map(({ owner }) => owner)}::text[], ${places.map(({ operation }) => operation)}::text[],
                  ${places.map(({ keyDigest }) => keyDigest)}::bytea[])
             with ordinality as place (owner, operation, key_digest, position)
      join idempotent_calls using (owner, operation, key_digest)
      where state = 'running' and leased_until >= now()`.execute(transaction);
    return new Set(rows.map(({ position }) => position - 1));
  });
}
