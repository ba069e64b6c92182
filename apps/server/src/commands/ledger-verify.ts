import { parseArgs } from "node:util";
import { findBrokenInvariants } from "@tollgate/db/ledger/verify/find-broken-invariants.ts";
import type { AdmissionPolicy } from "@tollgate/domain/credit/admission.ts";
import { EXIT, type Io, reportFailure } from "./exit.ts";
import { LEDGER_OPTIONS, LEDGER_OPTIONS_USAGE, withLedger } from "./ledger-connection.ts";
import { formatVerifyReport, verifyReportAsJson } from "./ledger-verify-report.ts";

const POLICIES: readonly AdmissionPolicy[] = ["strict", "positive", "nonnegative"];

/** As large as `billing.overdraft` can be. */
const NANO_USD = /^(?:\d{1,15}|1000000000000000)$/;

const USAGE = `Recompute the books from what they were made of, and show every difference. Nothing is changed.

  tollgate ledger verify
  tollgate ledger verify --data ./.tollgate
  tollgate ledger verify --organization org_01J… --json

  --organization ID      only what belongs to one organization
  --admission POLICY     billing.admission of the gateways: ${POLICIES.join(", ")} (strict)
  --overdraft NANO_USD   the largest billing.overdraft they have had (0)
  --reclaim-after N      seconds after which a silent gateway's credit is given back (900)
  --at-rest              no gateway or worker runs, so what they would have done by now is not missed
  --drained              all calls have ended: nothing may be set aside any more
${LEDGER_OPTIONS_USAGE}

Exit code 0 when everything agrees, 1 when anything differs, ${EXIT.temporary} when the database cannot be read.
`;

/** `tollgate ledger verify`: proves the books from one snapshot, beside whatever is running. 1 when anything differs. */
export async function ledgerVerify(args: readonly string[], io: Io): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      organization: { type: "string" },
      admission: { type: "string", default: "strict" },
      overdraft: { type: "string", default: "0" },
      "reclaim-after": { type: "string", default: "900" },
      "at-rest": { type: "boolean", default: false },
      drained: { type: "boolean", default: false },
      ...LEDGER_OPTIONS,
    },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const policy = POLICIES.find((name) => name === values.admission);
  if (policy === undefined) return reportFailure(io, `--admission is one of: ${POLICIES.join(", ")}`, EXIT.usage);
  if (!NANO_USD.test(values.overdraft)) {
    return reportFailure(io, "--overdraft is a whole number of nano-USD, at most 10^15", EXIT.usage);
  }
  const admission = { policy, overdraft: BigInt(values.overdraft) };
  const reclaimAfterSeconds = Number(values["reclaim-after"]);
  if (!Number.isInteger(reclaimAfterSeconds) || reclaimAfterSeconds < 0) {
    return reportFailure(io, "--reclaim-after is a number of seconds", EXIT.usage);
  }
  const organization = values.organization === undefined ? {} : { organizationId: values.organization };
  return withLedger(
    {
      data: values.data ?? null,
      role: "tollgate_worker",
      work: async ({ db, isAtRest }) => {
        const startedAtMs = performance.now();
        const report = await findBrokenInvariants(db, {
          ...organization,
          admission,
          reclaimAfterSeconds,
          isAtRest: isAtRest || values["at-rest"],
          isDrained: values.drained,
        });
        const seconds = (performance.now() - startedAtMs) / 1_000;
        if (values.organization !== undefined && report.totals.organizations === 0n) {
          return reportFailure(io, `There is no organization ${values.organization}.`, EXIT.usage);
        }
        io.stdout.write(values.json ? verifyReportAsJson(report, seconds) : formatVerifyReport(report, seconds));
        return report.ok ? EXIT.ok : EXIT.failure;
      },
    },
    io,
  );
}
