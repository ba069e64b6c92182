import { parseArgs } from "node:util";
import { type QuotaProjection, readQuotaProjections, rebuildQuota } from "@tollgate/db/ledger/quota-projection.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { formatUsd } from "@tollgate/domain/money.ts";
import { EXIT, reportFailure } from "@tollgate/runtime/exit.ts";
import { LEDGER_OPTIONS, LEDGER_OPTIONS_USAGE, withLedger } from "../database/ledger-connection.ts";
import type { OperatorIo } from "../operator-io.ts";
import { formatExactJson } from "./exact-json.ts";

const USAGE = `Recalculate an organization's balance and totals from its postings and compare them with the stored values.

  tollgate ledger rebuild --organization org_01J…
  tollgate ledger rebuild --organization org_01J… --apply

  --organization ID      Organization
  --apply                Store the recalculated values, block or unblock teams accordingly, and write an audit log entry
${LEDGER_OPTIONS_USAGE}
`;

/**
 * `tollgate ledger rebuild`: compares stored totals with recomputed totals. With `--apply`, replaces the stored totals.
 */
export async function ledgerRebuild(args: readonly string[], io: OperatorIo): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      organization: { type: "string" },
      apply: { type: "boolean", default: false },
      ...LEDGER_OPTIONS,
    },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const { organization } = values;
  if (organization === undefined) return reportFailure(io, `--organization is required.\n\n${USAGE}`, EXIT.usage);
  const rebuild = { organization, isApplied: values.apply, isJson: values.json };
  return withLedger(
    { data: values.data ?? null, role: "tollgate_platform", work: ({ db }) => show(db, rebuild, io) },
    io,
  );
}

interface Rebuild {
  readonly organization: string;
  readonly isApplied: boolean;
  readonly isJson: boolean;
}

async function show(db: Parameters<typeof runAsAdministrator>[0], rebuild: Rebuild, io: OperatorIo): Promise<number> {
  const { organization, isApplied, isJson } = rebuild;
  const found = await runAsAdministrator(db, async (transaction) => {
    const projections = await readQuotaProjections(transaction, organization);
    if (projections !== null && isApplied) await rebuildQuota(transaction, organization, { type: "admin", id: "cli" });
    return projections;
  });
  if (found === null) return reportFailure(io, `Unknown organization '${organization}'.`, EXIT.failure);
  const names = Object.keys(found.recomputed) as (keyof QuotaProjection)[];
  const differing = names.filter((name) => found.stored[name] !== found.recomputed[name]);
  if (isJson) {
    io.stdout.write(`${formatExactJson({ organizationId: organization, ...found, differing, applied: isApplied })}\n`);
    return EXIT.ok;
  }
  for (const name of names) {
    const sign = differing.includes(name) ? "✗" : "✓";
    const [stored, recomputed] = [formatUsd(found.stored[name]), formatUsd(found.recomputed[name])];
    io.stdout.write(
      `  ${sign} ${name.padEnd(15)} stored ${stored.padStart(20)}   from postings ${recomputed.padStart(20)}\n`,
    );
  }
  if (isApplied) io.stdout.write("  ✓ stored and written to the audit log\n");
  else if (differing.length > 0) io.stdout.write("  No changes were made. To store the values, add --apply\n");
  return EXIT.ok;
}
