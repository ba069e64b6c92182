import { deleteOrganization } from "./state-cases.ts";
import { postEntry, REDUCTION, reduceRequest, rehashAudit, type TamperCase, USD } from "./tamper-case.ts";
import type { TamperHistory } from "./write-history.ts";

/** Changes the payer's grant that expires. */
const changeGrant = (set: string) => () =>
  `update ledger_transactions set ${set} where id = (select id from grant_lots)`;

const changeRequest = (set: string) => (history: TamperHistory) =>
  `update usage_events set ${set} where id = '${history.requestId}'`;

/**
 * Changes that leave every amount and every state consistent, so that only the hash chains of the ledger and their
 * checkpoints can notice them.
 */
export const chainCases: readonly TamperCase[] = [
  {
    name: "tamper-balance-after",
    what: "the balance after an entry changed",
    rule: "C1",
    sql: changeGrant("balance_after = balance_after + 5"),
  },
  {
    name: "tamper-created-at",
    what: "an entry dated back by a year",
    rule: "C1",
    sql: changeGrant("created_at = created_at - interval '1 year'"),
  },
  { name: "tamper-actor", what: "the actor of an entry changed", rule: "C1", sql: changeGrant("actor = 'admin:2'") },
  {
    name: "tamper-description",
    what: "the description of an entry changed",
    rule: "C1",
    sql: changeGrant("description = 'Refund'"),
  },
  {
    name: "tamper-idempotency-key",
    what: "the idempotency key of an entry changed, so that it can be posted again",
    rule: "C1",
    sql: changeGrant("idempotency_key = 'grant:other'"),
  },
  {
    name: "tamper-metadata",
    what: "the metadata of an entry changed",
    rule: "C1",
    sql: changeGrant(`metadata = '{"prices": "other"}'`),
  },
  {
    name: "tamper-grant-forged",
    what: "a grant posted with an audit row of its own, under another ID, and dated back by a year",
    rule: "C2",
    sql: ({ payer: { organizationId } }) => `${postEntry("grant", organizationId, USD)}
      update ledger_transactions set created_at = created_at - interval '1 year', id = 'txn_00000000000000000000000000'
       where idempotency_key = 'minted';
      update ledger_postings set transaction_id = 'txn_00000000000000000000000000'
       where transaction_id not in (select id from ledger_transactions);
      select append_audit('${organizationId}', '{"type": "system", "id": null}', 'credits.granted',
        '{"type": "organization", "id": "${organizationId}"}', null, null,
        '{"amount": "${USD}", "transactionId": "txn_00000000000000000000000000"}')`,
  },
  {
    name: "tamper-request-state",
    what: "a settled request marked as void",
    rule: "C3",
    sql: changeRequest("state = 'void'"),
  },
  {
    name: "tamper-request-ended",
    what: "the end of a request changed",
    rule: "C3",
    sql: changeRequest("ended_at = ended_at - interval '1 hour'"),
  },
  {
    name: "tamper-request-settled",
    what: "the time of a settlement changed",
    rule: "C3",
    sql: changeRequest("settled_at = settled_at - interval '1 hour'"),
  },
  {
    name: "tamper-request-id",
    what: "the ID of a request changed",
    rule: "C3",
    sql: changeRequest("request_id = 'other'"),
  },
  {
    name: "tamper-request-end-user",
    what: "the end user of a request changed",
    rule: "C3",
    sql: changeRequest("end_user = 'mallory'"),
  },
  {
    name: "tamper-request-session",
    what: "the session of a request changed",
    rule: "C3",
    sql: changeRequest("session = 'other'"),
  },
  { name: "tamper-request-user", what: "the user of a request changed", rule: "C3", sql: changeRequest("user_id = 2") },
  {
    name: "tamper-request-smaller",
    what: "a request made smaller with its tokens, cost, posting, balance, budget, and rollups",
    rule: "C1",
    sql: ({ requestId }) => reduceRequest(requestId, REDUCTION),
  },
  {
    name: "tamper-audit-last",
    what: "the last audit row of a chain deleted",
    rule: "C4",
    sql: ({ payer: { organizationId } }) => {
      const last = `(select id from audit_log where organization_id = '${organizationId}' and action = 'log.viewed')`;
      return `delete from audit_personal where audit_id = ${last}; delete from audit_log where id = ${last}`;
    },
  },
  {
    name: "tamper-audit-rehashed",
    what: "a member made owner with a rewritten audit chain",
    rule: "C4",
    sql: ({ payer: { organizationId }, memberId }) => `
      update organization_members set role = 'owner' where user_id = ${memberId};
      update audit_log set after = jsonb_set(after, '{role}', '"owner"')
       where organization_id = '${organizationId}' and action = 'member.added' and target ->> 'id' = '${memberId}'
         and after ->> 'teamId' is null;
      ${rehashAudit(organizationId)}`,
  },
  {
    name: "tamper-refund-hidden",
    what: "a refund hidden with its audit rows and a rewritten audit chain",
    rule: "C2",
    sql: ({ payer: { organizationId }, purchaseId }) => `
      create temporary table gone as select id from ledger_transactions where kind = 'refund' and reference = '${purchaseId}';
      delete from ledger_postings where transaction_id in (select id from gone);
      delete from ledger_transactions where id in (select id from gone);
      update purchases set refunded = 0 where id = '${purchaseId}';
      update organization_quota set balance = balance + ${USD}, total_refunded = total_refunded - ${USD}
       where organization_id = '${organizationId}';
      delete from audit_personal where audit_id in (select id from audit_log where action = 'purchase.refunded');
      delete from audit_log where action = 'purchase.refunded';
      ${rehashAudit(organizationId)}`,
  },
  {
    name: "tamper-checkpoint-deleted",
    what: "a stored checkpoint deleted",
    rule: "C5",
    sql: () => "delete from ledger_checkpoints where number = (select max(number) - 1 from ledger_checkpoints)",
  },
  {
    name: "tamper-organization-untraced",
    what: "an organization deleted with all its rows, which no other chain mentions",
    rule: "C6",
    sql: ({ secondId }) => deleteOrganization(secondId),
  },
];
