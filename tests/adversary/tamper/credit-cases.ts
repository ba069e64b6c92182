import {
  accountOf,
  addEntry,
  addToBalance,
  MINTED,
  postEntry,
  rehashAudit,
  type TamperCase,
  USD,
} from "./tamper-case.ts";
import type { TamperHistory } from "./write-history.ts";

const PURCHASE = "pur_00000000000000000000000000";
const payerOf = ({ payer }: TamperHistory): string => payer.organizationId;
/** The payer's grant that expires. */
const GRANT = "(select id from grant_lots)";

/** Balances, grants, purchases, and refunds. */
export const creditCases: readonly TamperCase[] = [
  {
    name: "tamper-balance",
    what: "a balance raised without a posting",
    rule: "R1",
    isQuick: true,
    sql: (history) => addToBalance(payerOf(history), "total_granted", USD),
  },
  {
    name: "tamper-total",
    what: "granted credit counted as purchased",
    rule: "R8",
    sql: (history) => `update organization_quota
      set total_granted = total_granted - 5, total_purchased = total_purchased + 5 where organization_id = '${payerOf(history)}'`,
  },
  {
    name: "tamper-grant-posted",
    what: "a grant posted with the ledger's own function",
    rule: "I9",
    isQuick: true,
    sql: (history) => postEntry("grant", payerOf(history), USD),
  },
  {
    name: "tamper-grant-inserted",
    what: "a grant inserted with its posting and totals",
    rule: "I9",
    sql: (history) => addEntry("grant", payerOf(history), USD) + addToBalance(payerOf(history), "total_granted", USD),
  },
  {
    name: "tamper-adjustment-posted",
    what: "an adjustment posted with the ledger's own function",
    rule: "I9",
    sql: (history) => postEntry("adjustment", payerOf(history), USD),
  },
  {
    name: "tamper-reversal-posted",
    what: "a reversal of usage posted with the ledger's own function",
    rule: "I9",
    sql: (history) => postEntry("usage_reversal", payerOf(history), 1_000n),
  },
  {
    name: "tamper-grant-raised",
    what: "a grant raised with its lot and every total",
    rule: "I9",
    sql: (history) => `update ledger_postings set amount = amount + ${USD} where transaction_id = ${GRANT};
      update grant_lots set amount = amount + ${USD};
      ${addToBalance(payerOf(history), "total_granted", USD)}`,
  },
  {
    name: "tamper-welcome-raised",
    what: "the welcome credit of a sign-up raised with every total",
    rule: "I9",
    sql: ({ signedUp: { organizationId } }) => `
      update ledger_postings set amount = amount + ${USD} where destination = '${accountOf(organizationId)}';
      ${addToBalance(organizationId, "total_granted", USD)}`,
  },
  {
    name: "tamper-grant-audited",
    what: "a grant raised with every total and its audit row",
    rule: "I8",
    sql: (history) => `update ledger_postings set amount = amount + ${USD} where transaction_id = ${GRANT};
      update grant_lots set amount = amount + ${USD};
      update audit_log set after = jsonb_set(after, '{amount}', to_jsonb(((after ->> 'amount')::bigint + ${USD})::text))
       where after ->> 'transactionId' = ${GRANT};
      ${addToBalance(payerOf(history), "total_granted", USD)}`,
  },
  {
    name: "tamper-grant-deleted",
    what: "a deduction deleted with its posting and totals",
    rule: "I9",
    sql: (history) => {
      const entry = `(select id from ledger_transactions where kind = 'adjustment' and idempotency_key like 'adjust:%')`;
      return `delete from ledger_postings where transaction_id = ${entry};
        delete from ledger_transactions where id = ${entry};
        ${addToBalance(payerOf(history), "total_adjusted", USD)}`;
    },
  },
  {
    name: "tamper-purchase-posted",
    what: "a purchase entry without a purchase",
    rule: "R6",
    isQuick: true,
    sql: (history) => postEntry("purchase", payerOf(history), USD, "'ext:fake', null"),
  },
  {
    name: "tamper-purchase-inserted",
    what: "a paid purchase inserted with its entry and totals",
    rule: "I9",
    sql: (history) => `
      insert into purchases (id, organization_id, created_by, idempotency_key, body_digest, provider, amount, status, paid_at,
          transaction_id)
        values ('${PURCHASE}', '${payerOf(history)}', 1, 'minted', sha256(''), 'fake', ${USD}, 'paid', now(), '${MINTED}');
      ${addEntry("purchase", payerOf(history), USD, { key: `purchase:${PURCHASE}`, reference: `'${PURCHASE}'`, from: "ext:fake" })}
      ${addToBalance(payerOf(history), "total_purchased", USD)}`,
  },
  {
    name: "tamper-purchase-raised",
    what: "a purchase raised with its entry and totals",
    rule: "I9",
    sql: (history) => `update purchases set amount = amount + ${USD} where id = '${history.purchaseId}';
      update ledger_postings set amount = amount + ${USD}
       where transaction_id = (select transaction_id from purchases where id = '${history.purchaseId}');
      ${addToBalance(payerOf(history), "total_purchased", USD)}`,
  },
  {
    name: "tamper-purchase-unpaid",
    what: "a purchase marked as never paid",
    rule: "R6",
    sql: ({ purchaseId }) =>
      `update purchases set status = 'pending', paid_at = null, refunded = 0 where id = '${purchaseId}'`,
  },
  {
    name: "tamper-purchase-shared",
    what: "a purchase that credits a second organization",
    rule: "R6",
    sql: ({ purchaseId, debtor }) => postEntry("purchase", debtor.organizationId, USD, `'ext:fake', '${purchaseId}'`),
  },
  {
    name: "tamper-refunded-column",
    what: "a refund recorded on the purchase only",
    rule: "R6",
    sql: ({ purchaseId }) => `update purchases set refunded = refunded + ${USD} where id = '${purchaseId}'`,
  },
  {
    name: "tamper-refund-twice",
    what: "a purchase refunded twice, with its entry and totals",
    rule: "I9",
    isQuick: true,
    sql: (history) => `${postEntry("refund", payerOf(history), USD, `'ext:fake', '${history.purchaseId}'`)}
      update purchases set refunded = refunded + ${USD} where id = '${history.purchaseId}'`,
  },
  {
    name: "tamper-refund-deleted",
    what: "a refund deleted with its posting and totals",
    rule: "I9",
    sql: (history) => {
      const entry = "(select id from ledger_transactions where kind = 'refund')";
      return `delete from ledger_postings where transaction_id = ${entry};
        delete from ledger_transactions where id = ${entry};
        update purchases set refunded = 0 where id = '${history.purchaseId}';
        ${addToBalance(payerOf(history), "total_refunded", USD)}`;
    },
  },
  {
    name: "tamper-expiry-posted",
    what: "an expiry of credit that did not expire",
    rule: "R11",
    sql: ({ signedUp }) => postEntry("expiry", signedUp.organizationId, USD),
  },
  {
    name: "tamper-lot",
    what: "a lot of granted credit larger than its grant",
    rule: "R11",
    sql: () => "update grant_lots set amount = amount + 1",
  },
  {
    name: "tamper-lot-prolonged",
    what: "the expiry date of granted credit moved",
    rule: "R11",
    sql: () => "update grant_lots set expires_at = '2099-01-01'",
  },
  {
    name: "tamper-lot-spent",
    what: "granted credit marked as spent, so that it never expires",
    rule: "R11",
    sql: () => "update grant_lots set remaining = 0",
  },
  {
    name: "tamper-lot-deleted",
    what: "the lot of granted credit deleted, so that it never expires",
    rule: "R11",
    sql: () => "delete from grant_lots",
  },
  {
    name: "tamper-posting-changed",
    what: "the amount of a posting changed",
    rule: "R1",
    sql: () => `update ledger_postings set amount = amount + 7 where transaction_id = ${GRANT}`,
  },
  {
    name: "tamper-posting-doubled",
    what: "a posting doubled with its totals",
    rule: "entries",
    sql: (history) => `insert into ledger_postings
        select transaction_id, 2, source, destination, amount from ledger_postings where transaction_id = ${GRANT};
      ${addToBalance(payerOf(history), "total_granted", 3n * USD)}`,
  },
  {
    name: "tamper-audit-rewritten",
    what: "an audit chain rewritten from the middle on, with every hash, to hide a grant",
    rule: "I9",
    sql: (history) => `
      delete from audit_personal where audit_id in
        (select id from audit_log where action = 'credits.granted' and organization_id = '${payerOf(history)}');
      delete from audit_log where action = 'credits.granted' and organization_id = '${payerOf(history)}';
      ${rehashAudit(payerOf(history))}`,
  },
];
