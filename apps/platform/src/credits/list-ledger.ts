import { LedgerAnswer, LedgerQuery } from "@tollgate/contracts/management/credit.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import { listLedgerLines } from "@tollgate/db/credits/ledger-lines.ts";
import { operation, read } from "../operation.ts";

/** Lists the ledger entries for display: all balance changes, with usage summed by day. */
export const listLedger = operation({
  ...read,
  id: "listLedger",
  summary: "List ledger lines; usage is summed by day in the organization's time zone",
  tag: "credits",
  path: "/api/credits/ledger",
  auth: "user",
  scope: "organization",
  query: LedgerQuery,
  answers: { 200: { description: "Ledger lines, newest first", schema: LedgerAnswer } },
  handle: async ({ caller, query }, transaction) => {
    const { kind = [], before = null, limit } = query;
    const { lines, next } = await listLedgerLines(transaction, caller.organization.id, { kinds: kind, before, limit });
    const body = {
      lines: lines.map((line) => {
        const { amount, balanceAfter } = line;
        return { ...line, usd: usdOf({ amount, balanceAfter }) };
      }),
      next,
    };
    return { status: 200, body };
  },
});
