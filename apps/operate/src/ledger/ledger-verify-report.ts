import type { VerifyReport } from "@tollgate/db/ledger/verify/find-broken-invariants.ts";
import type { CheckReport } from "@tollgate/db/ledger/verify/invariant.ts";
import { formatUsd } from "@tollgate/domain/money.ts";
import { formatExactJson } from "./exact-json.ts";

const SHOWN_EXPLANATIONS = 20;

/** Formats the report as text: each check with its result and its differences, then the totals. */
export function formatVerifyReport(report: VerifyReport, seconds: number): string {
  const { totals, balance, operatorLoss, explained } = report;
  const lines = report.checks.flatMap(formatCheck);
  if (explained.length > 0) {
    lines.push("", "  Negative balances and their causes:");
    for (const { organizationId, kind, subject, amount } of explained.slice(0, SHOWN_EXPLANATIONS)) {
      lines.push(`    ${organizationId}  ${formatUsd(amount)} USD  ${kind}: ${subject}`);
    }
    if (explained.length > SHOWN_EXPLANATIONS) lines.push("    … for the full list, use --json");
  }
  lines.push(
    "",
    `  ${totals.organizations} organizations, ${totals.events} requests, ${totals.transactions} entries, ` +
      `${totals.postings} postings, balances ${formatUsd(balance)} USD, ` +
      `operator loss ${formatUsd(operatorLoss)} USD`,
  );
  const differing = countDifferences(report);
  const verdict = report.ok ? "✓ no differences" : `✗ ${differing} ${differing === 1 ? "difference" : "differences"}`;
  lines.push(`  ${verdict} (${seconds.toFixed(2)} s)`);
  return `${lines.join("\n")}\n`;
}

/** Formats the report as one line of JSON. Amounts are in nano-USD. */
export function verifyReportAsJson(report: VerifyReport, seconds: number): string {
  const { ok, checks, explained, totals, balance, operatorLoss } = report;
  const { organizations, events, transactions, postings } = totals;
  const data = {
    ok,
    differences: countDifferences(report),
    checks,
    explained,
    organizations,
    events,
    transactions,
    postings,
    balance,
    operatorLossNano: operatorLoss,
    seconds: Math.round(seconds * 1_000) / 1_000,
  };
  return `${formatExactJson(data)}\n`;
}

function formatCheck({ id, title, ok, checked, differing, differences }: CheckReport): string[] {
  const head = `  ${ok ? "✓" : "✗"} ${id.padEnd(8)}  ${title} (${checked})`;
  const lines = differences.flatMap(({ organizationId, subject, expected, found, amount }) => [
    `      ${[organizationId, subject].filter((part) => part !== null).join("  ")}`,
    `        expected ${expected}, found ${found}${amount === null ? "" : `  (${formatUsd(amount)} USD)`}`,
  ]);
  if (differing > differences.length) lines.push(`      … and ${differing - differences.length} more`);
  return [head, ...lines];
}

function countDifferences(report: VerifyReport): number {
  return report.checks.reduce((sum, { differing }) => sum + differing, 0);
}
