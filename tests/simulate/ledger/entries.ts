import type { EntryKind, LedgerRows, OrganizationRow } from "./rows.ts";

export interface Entry {
  readonly kind: EntryKind;
  readonly organizationId: string;
  /** Amount of the entry. Only an adjustment can be negative. */
  readonly amount: bigint;
  readonly idempotencyKey: string;
}

const EXTERNAL: Record<EntryKind, string> = {
  purchase: "ext:fake",
  grant: "ext:promo",
  refund: "ext:fake",
  dispute: "ext:fake",
  dispute_won: "ext:fake",
  adjustment: "ext:adjust",
};

/**
 * Models `post_entry`. Reports whether the entry lowered the balance, in which case idle credit is recalled. Returns
 * null for a repeated key.
 */
export function postEntry(rows: LedgerRows, entry: Entry): { readonly isDebit: boolean } | null {
  const organization = rows.organizations.get(entry.organizationId);
  if (organization === undefined) throw new Error(`the ledger has no organization ${entry.organizationId}`);
  if (rows.entries.has(entry.idempotencyKey)) return null;
  const isDebit = entry.kind === "refund" || entry.kind === "dispute" || entry.amount < 0n;
  const amount = entry.amount < 0n ? -entry.amount : entry.amount;
  const credits = `org:${organization.id}:credits`;
  const external = EXTERNAL[entry.kind];
  const [source, destination] = isDebit ? [credits, external] : [external, credits];
  const id = `entry:${entry.idempotencyKey}`;
  rows.entries.set(entry.idempotencyKey, id);
  rows.transactions.set(id, { id, kind: entry.kind, organizationId: organization.id, source, destination, amount });
  organization.balance += isDebit ? -amount : amount;
  count(organization, entry.kind, amount, isDebit);
  if (isDebit) {
    organization.mode = "exact";
    organization.recall += 1;
  }
  applyBlockRule(organization);
  return { isDebit };
}

/** Blocks every active team if the balance is negative; otherwise unblocks teams that were blocked for that reason. */
export function applyBlockRule(organization: OrganizationRow): void {
  for (const team of organization.teams) {
    if (organization.balance < 0n && team.status === "active") {
      team.status = "blocked";
      team.reason = "negative_balance";
    } else if (organization.balance >= 0n && team.reason === "negative_balance") {
      team.status = "active";
      team.reason = null;
    }
  }
}

function count(organization: OrganizationRow, kind: EntryKind, amount: bigint, isDebit: boolean): void {
  if (kind === "purchase") organization.purchased += amount;
  else if (kind === "grant") organization.granted += amount;
  else if (kind === "adjustment") organization.adjusted += isDebit ? -amount : amount;
  else organization.refunded += isDebit ? amount : -amount;
}
