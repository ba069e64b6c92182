import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import { belongsTo } from "./ledger/lease-credit.ts";
import {
  type AllowanceRow,
  type LedgerRows,
  leaseKey,
  type OrganizationRow,
  outstandingOf,
  type WindowRow,
} from "./ledger/rows.ts";
import { lossOf } from "./ledger/settle.ts";

/** Reasons why an allowance can be below its bound although every grant was correct. */
export interface Tolerance {
  /** Largest hold that was ever requested. */
  readonly largestHold: bigint;
  /** Returns the amount that was withdrawn from an allowance other than by usage, or charged beyond its leases. */
  explainedOf(allowance: string): bigint;
}

/** Checks the invariants that hold after every transaction. Returns the violations. */
export function checkLedger(rows: LedgerRows, admission: AdmissionRule, tolerance: Tolerance): string[] {
  const wrong: string[] = [];
  for (const organization of rows.organizations.values()) {
    checkLeased(organization, organization.id, wrong);
    for (const [key, window] of organization.windows) checkLeased(window, `${organization.id} ${key}`, wrong);
    checkTotals(organization, wrong);
    checkBlocks(organization, wrong);
    const bound = (name: string, free: bigint, overdraft: bigint) => {
      const allowed = { policy: admission.policy, overdraft };
      checkBound(free + tolerance.explainedOf(name), allowed, tolerance.largestHold, name, wrong);
    };
    bound(organization.id, organization.balance - organization.leased, admission.overdraft);
    // Under the strict policy, the overdraft applies to credit only.
    const ofBudgets = admission.policy === "strict" ? 0n : admission.overdraft;
    for (const [key, window] of organization.windows) {
      bound(`${organization.id} ${key}`, window.amount - window.spent - window.leased, ofBudgets);
    }
  }
  return wrong;
}

/** Performs the slower checks: recomputes the ledger from its postings and events. */
export function recomputeLedger(rows: LedgerRows): string[] {
  const wrong: string[] = [];
  const accounts = new Map<string, bigint>();
  for (const { source, destination, amount } of rows.transactions.values()) {
    accounts.set(source, (accounts.get(source) ?? 0n) - amount);
    accounts.set(destination, (accounts.get(destination) ?? 0n) + amount);
  }
  const total = [...accounts.values()].reduce((sum, balance) => sum + balance, 0n);
  if (total !== 0n) wrong.push(`R2: all accounts together have ${total}`);
  for (const organization of rows.organizations.values()) {
    const posted = accounts.get(`org:${organization.id}:credits`) ?? 0n;
    if (posted !== organization.balance)
      wrong.push(`R1: ${organization.id} has ${organization.balance}, postings say ${posted}`);
    checkSettled(rows, organization, wrong);
    for (const window of organization.windows.values()) checkSpent(rows, organization, window, wrong);
  }
  checkTransactions(rows, wrong);
  checkLosses(rows, accounts.get("sys:loss") ?? 0n, wrong);
  return wrong;
}

function checkLeased(allowance: AllowanceRow, name: string, wrong: string[]): void {
  let outstanding = 0n;
  for (const share of allowance.shares.values()) {
    const rest = outstandingOf(share);
    if (rest < 0n) wrong.push(`R5: ${name}: the share of ${share.nodeId}/${share.epoch} has ${rest} outstanding`);
    outstanding += rest;
  }
  if (outstanding !== allowance.leased)
    wrong.push(`R5: ${name} has ${allowance.leased} leased, its leases ${outstanding}`);
}

function checkTotals(organization: OrganizationRow, wrong: string[]): void {
  const { id, balance, purchased, granted, adjusted, used, refunded } = organization;
  const sum = purchased + granted + adjusted - used - refunded;
  if (sum !== balance) wrong.push(`R8: ${id} has ${balance}, its totals say ${sum}`);
}

function checkBlocks({ id, balance, teams }: OrganizationRow, wrong: string[]): void {
  for (const team of teams) {
    if (balance < 0n && team.status === "active") wrong.push(`R7: ${id} owes ${balance} and ${team.id} is active`);
    if (balance >= 0n && team.reason === "negative_balance")
      wrong.push(`R7: ${id} has ${balance} and ${team.id} is blocked`);
  }
}

/**
 * Checks that grants exceed an allowance by at most the overdraft or, under the looser policies, by at most one hold.
 */
function checkBound(
  free: bigint,
  { policy, overdraft }: AdmissionRule,
  largestHold: bigint,
  name: string,
  wrong: string[],
): void {
  const oneHold = policy === "positive" && largestHold > 0n ? largestHold - 1n : largestHold;
  const lowest = policy === "strict" || overdraft < oneHold ? -overdraft : -oneHold;
  if (free < lowest) wrong.push(`R12: ${name} is ${lowest - free} below its bound`);
}

function checkSettled(rows: LedgerRows, organization: OrganizationRow, wrong: string[]): void {
  const applied = new Map<string, bigint>();
  for (const { event, applied: amount } of rows.events.values()) {
    if (event.organizationId !== organization.id) continue;
    const key = leaseKey(event.nodeId, event.epoch);
    applied.set(key, (applied.get(key) ?? 0n) + amount);
  }
  for (const [key, share] of organization.shares) {
    const sum = applied.get(key) ?? 0n;
    if (share.settled !== sum)
      wrong.push(`R5: the lease ${organization.id}/${key} settled ${share.settled}, its events ${sum}`);
  }
}

function checkSpent(rows: LedgerRows, organization: OrganizationRow, window: WindowRow, wrong: string[]): void {
  let spent = 0n;
  for (const { event } of rows.events.values()) {
    if (event.organizationId === organization.id && belongsTo(event, window)) spent += event.cost;
  }
  if (spent !== window.spent)
    wrong.push(`R9: ${organization.id} ${window.scopeId} spent ${window.spent}, events say ${spent}`);
}

function checkLosses(rows: LedgerRows, balance: bigint, wrong: string[]): void {
  const sums = new Map<string, bigint>();
  let total = 0n;
  for (const { event, lossTransactionId } of rows.events.values()) {
    const loss = lossOf(event);
    total += loss;
    if (loss > 0n !== (lossTransactionId !== null))
      wrong.push(`R14: event ${event.id} with the loss ${loss} names ${lossTransactionId}`);
    if (lossTransactionId !== null) sums.set(lossTransactionId, (sums.get(lossTransactionId) ?? 0n) + loss);
  }
  if (balance !== -total) wrong.push(`R13: sys:loss has ${balance}, events say ${-total}`);
  for (const transaction of rows.transactions.values()) {
    if (transaction.kind !== "loss") continue;
    const sum = sums.get(transaction.id) ?? 0n;
    if (sum !== transaction.amount)
      wrong.push(`R13: ${transaction.id} posts ${transaction.amount}, its events lost ${sum}`);
  }
}

function checkTransactions(rows: LedgerRows, wrong: string[]): void {
  const sums = new Map<string, bigint>();
  for (const { event, transactionId } of rows.events.values()) {
    const isCharged = event.isBilled && event.cost > 0n;
    if (isCharged !== (transactionId !== null))
      wrong.push(`R3: event ${event.id} of cost ${event.cost} names ${transactionId}`);
    if (transactionId !== null) sums.set(transactionId, (sums.get(transactionId) ?? 0n) + event.cost);
  }
  for (const transaction of rows.transactions.values()) {
    if (transaction.kind !== "usage") continue;
    const sum = sums.get(transaction.id) ?? 0n;
    if (sum !== transaction.amount)
      wrong.push(`R3: ${transaction.id} posts ${transaction.amount}, its events cost ${sum}`);
  }
}
