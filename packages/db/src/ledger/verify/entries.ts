import { type RawBuilder, sql } from "kysely";
import { type Invariant, type Scope, within } from "./invariant.ts";

/** Allowed source and destination accounts per entry kind. `org` is the credit account of the entry's organization. */
const ROUTES: readonly (readonly [kind: string, source: string, destination: string])[] = [
  ["purchase", "ext:(stripe|fake|manual)", "org"],
  ["grant", "ext:promo", "org"],
  ["usage", "org", "sys:revenue"],
  ["usage_reversal", "sys:revenue", "org"],
  ["refund", "org", "ext:(stripe|fake|manual)"],
  ["dispute", "org", "ext:(stripe|fake|manual)"],
  ["dispute_won", "ext:(stripe|fake|manual)", "org"],
  ["expiry", "org", "ext:promo"],
  ["adjustment", "ext:adjust", "org"],
  ["adjustment", "org", "ext:adjust"],
  ["loss", "sys:loss", "sys:revenue"],
];

const onePurchaseEntry: Invariant = {
  id: "R6",
  title:
    "each paid purchase has one posting of its amount from a payment provider to the organization's credit, and each such posting its purchase",
  checked: "purchases",
  differences: (scope) => [
    misroutedEntries(scope, sql`entry.kind = 'purchase'`),
    unequalPurchases(scope),
    entriesWithoutPurchase(scope),
  ],
};

const entriesTakeTheirRoute: Invariant = {
  id: "entries",
  title: "each other entry has one posting between the accounts that its kind allows",
  checked: "transactions",
  differences: (scope) => [misroutedEntries(scope, sql`entry.kind <> 'purchase'`)],
};

export const entryInvariants: readonly Invariant[] = [onePurchaseEntry, entriesTakeTheirRoute];

/** Selects purchases whose record differs from the ledger. */
function unequalPurchases(scope: Scope): RawBuilder<unknown> {
  return sql`
    with booked as (
      select purchase.id, purchase.organization_id,
        case when purchase.paid_at is null then 0 else purchase.amount end as paid, purchase.refunded,
        coalesce(sum(posting.amount) filter (where entry.idempotency_key = 'purchase:' || purchase.id), 0) as booked_paid,
        coalesce(sum(posting.amount) filter (where entry.kind = 'refund'), 0) as booked_refunded
      from purchases purchase
      left join ledger_transactions entry
        on entry.organization_id = purchase.organization_id and entry.reference = purchase.id
      left join ledger_postings posting on posting.transaction_id = entry.id
      where ${within(scope, "purchase.organization_id")}
      group by purchase.id
    )
    select organization_id, id as subject, 'paid ' || paid || ', refunded ' || refunded as expected,
      'paid ' || booked_paid || ', refunded ' || booked_refunded as found,
      paid - refunded - booked_paid + booked_refunded as amount
    from booked
    where paid <> booked_paid or refunded <> booked_refunded`;
}

/** Selects entries of purchases, refunds, and disputes that no purchase accounts for. */
function entriesWithoutPurchase(scope: Scope): RawBuilder<unknown> {
  return sql`
    select entry.organization_id, entry.kind || ' ' || entry.id as subject, 'a paid purchase' as expected,
      case when purchase.id is null then 'none' when purchase.paid_at is null then purchase.id || ', which is not paid'
        else purchase.id || ', which was credited by ' || coalesce(purchase.transaction_id, 'no entry') end as found,
      null::bigint as amount
    from ledger_transactions entry
    left join purchases purchase on purchase.id = entry.reference and purchase.organization_id = entry.organization_id
    where entry.kind in ('purchase', 'refund', 'dispute', 'dispute_won') and ${within(scope, "entry.organization_id")}
      and (purchase.id is null or purchase.paid_at is null
        or (entry.kind = 'purchase' and (purchase.transaction_id is distinct from entry.id
          or entry.idempotency_key <> 'purchase:' || purchase.id)))`;
}

function misroutedEntries(scope: Scope, which: RawBuilder<unknown>): RawBuilder<unknown> {
  const routes = sql.join(ROUTES.map(([kind, source, destination]) => sql`(${kind}, ${source}, ${destination})`));
  // A loss has no organization, so without `coalesce` the pattern would be null.
  const account = sql`'org:' || coalesce(entry.organization_id, '') || ':credits'`;
  return sql`
    with route (kind, source, destination) as (values ${routes}),
    judged as (
      select entry.id, entry.organization_id, entry.kind, count(posting.seq) as postings,
        count(*) filter (where exists (
          select from route
          where route.kind = entry.kind
            and posting.source ~ ('^' || replace(route.source, 'org', ${account}) || '$')
            and posting.destination
              ~ ('^' || replace(route.destination, 'org', ${account}) || '$')
        )) as routed, coalesce(sum(posting.amount), 0) as amount,
        string_agg(posting.source || ' → ' || posting.destination, ', ' order by posting.seq) as shown
      from ledger_transactions entry left join ledger_postings posting on posting.transaction_id = entry.id
      where ${which} and ${within(scope, "entry.organization_id")}
      group by entry.id
    )
    select organization_id, kind || ' ' || id as subject, 'exactly one posting between the accounts of a ' || kind as expected,
      coalesce(shown, 'no posting') as found, amount
    from judged
    where postings <> 1 or routed <> 1`;
}
