import { createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { findCheckpoints } from "@tollgate/db/ledger/verify/compare-checkpoints.ts";
import { findBrokenInvariants } from "@tollgate/db/ledger/verify/find-broken-invariants.ts";
import type { AdmissionPolicy } from "@tollgate/domain/credit/admission.ts";
import { readPrivateKey, readPublicKey } from "@tollgate/domain/signing-keys.ts";
import { EXIT, reportFailure } from "@tollgate/runtime/exit.ts";
import { loadServeSettings, SettingsRefused, settingsFiles } from "@tollgate/runtime/settings/load-serve-settings.ts";
import { LEDGER_OPTIONS, LEDGER_OPTIONS_USAGE, withLedger } from "../database/ledger-connection.ts";
import type { OperatorIo } from "../operator-io.ts";
import { explainRename } from "../renamed-words.ts";
import { formatVerifyReport, verifyReportAsJson } from "./ledger-verify-report.ts";

const POLICIES: readonly AdmissionPolicy[] = ["strict", "positive", "nonnegative"];

/** Matches an overdraft in nano-USD. The maximum is the same as for `billing.overdraft`. */
const NANO_USD = /^(?:\d{1,15}|1000000000000000)$/;

const USAGE = `Recompute the ledger from its source records and show every difference. Makes no changes.

  tollgate ledger verify
  tollgate ledger verify --data ./.tollgate
  tollgate ledger verify --organization org_01J… --json

  --organization ID      Only records of this organization
  --admission POLICY     billing.admission of the gateways: ${POLICIES.join(", ")} (default: strict)
  --overdraft NANO_USD   Largest billing.overdraft the gateways have used (default: 0)
  --reclaim-after N      Seconds until the credit of an unresponsive gateway is reclaimed (default: 900)
  --checkpoints DIR      Compare the database with the checkpoints in this folder
  --public-key FILE      Public key of the checkpoints, in PEM or base64 (default: from checkpoints.signingKey).
                         If the key was replaced, repeat the option, in the order of use
  --quiescent            No gateway or worker is running, so don't report overdue work
  --drained              All requests have finished, so report any remaining hold
${LEDGER_OPTIONS_USAGE}

Exit codes: 0 no differences, 1 differences found, ${EXIT.temporary} the database can't be read.
`;

/**
 * `tollgate ledger verify`: verifies the ledger from a snapshot while the server runs. Exits with 1 if there are
 * differences.
 */
export async function ledgerVerify(args: readonly string[], io: OperatorIo): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      organization: { type: "string" },
      admission: { type: "string", default: "strict" },
      overdraft: { type: "string", default: "0" },
      "reclaim-after": { type: "string", default: "900" },
      checkpoints: { type: "string" },
      "public-key": { type: "string", multiple: true },
      quiescent: { type: "boolean", default: false },
      "at-rest": { type: "boolean", default: false },
      drained: { type: "boolean", default: false },
      ...LEDGER_OPTIONS,
    },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const renamed = values["at-rest"] ? explainRename("ledger verify", "--at-rest") : null;
  if (renamed !== null) return reportFailure(io, renamed, EXIT.usage);
  const policy = POLICIES.find((name) => name === values.admission);
  if (policy === undefined) return reportFailure(io, `--admission must be one of: ${POLICIES.join(", ")}.`, EXIT.usage);
  if (!NANO_USD.test(values.overdraft)) {
    return reportFailure(io, "--overdraft must be an integer in nano-USD, at most 10^15.", EXIT.usage);
  }
  const admission = { policy, overdraft: BigInt(values.overdraft) };
  const reclaimAfterSeconds = Number(values["reclaim-after"]);
  if (!Number.isInteger(reclaimAfterSeconds) || reclaimAfterSeconds < 0) {
    return reportFailure(io, "--reclaim-after must be a number of seconds.", EXIT.usage);
  }
  const organization = values.organization === undefined ? {} : { organizationId: values.organization };
  const folder = values.checkpoints === undefined ? null : resolve(io.cwd, values.checkpoints);
  if (folder !== null && values.organization !== undefined) {
    return reportFailure(io, "--checkpoints covers all organizations. Remove --organization.", EXIT.usage);
  }
  if (folder === null && values["public-key"] !== undefined) {
    return reportFailure(io, "--public-key requires --checkpoints.", EXIT.usage);
  }
  const publicKeys = folder === null ? [] : readKeys(values["public-key"] ?? [], io);
  if (typeof publicKeys === "string") return reportFailure(io, publicKeys, EXIT.usage);
  return withLedger(
    {
      data: values.data ?? null,
      role: "tollgate_worker",
      work: async ({ db, isAtRest: isQuiescent }) => {
        const startedAtMs = performance.now();
        const checkpoints = folder === null ? {} : { checkpoints: await findCheckpoints(db, folder, publicKeys) };
        const report = await findBrokenInvariants(db, {
          ...organization,
          ...checkpoints,
          admission,
          reclaimAfterSeconds,
          isAtRest: isQuiescent || values.quiescent,
          isDrained: values.drained,
        });
        const seconds = (performance.now() - startedAtMs) / 1_000;
        if (values.organization !== undefined && report.totals.organizations === 0n) {
          return reportFailure(io, `Unknown organization '${values.organization}'.`, EXIT.usage);
        }
        io.stdout.write(values.json ? verifyReportAsJson(report, seconds) : formatVerifyReport(report, seconds));
        return report.ok ? EXIT.ok : EXIT.failure;
      },
    },
    io,
  );
}

/** Returns the keys that must have signed the checkpoints, or the reason that there are none. */
function readKeys(files: readonly string[], io: OperatorIo): readonly KeyObject[] | string {
  const keys: KeyObject[] = [];
  for (const file of files) {
    const key = readKeyFile(resolve(io.cwd, file));
    if (typeof key === "string") return key;
    keys.push(key);
  }
  if (keys.length > 0) return keys;
  const key = readConfiguredKey(io);
  return key === null ? "Add --public-key with the public key of the checkpoints." : [key];
}

/** Returns the public key of the settings' signing key; null if there is no such setting. */
function readConfiguredKey(io: OperatorIo): KeyObject | null {
  const files = settingsFiles(io.env);
  if (files.length === 0) return null;
  try {
    const { platform } = loadServeSettings(files, io.env, io.apps.gateway.knownProviders);
    const { signingKey } = platform.checkpoints;
    const key = signingKey === null ? null : readPrivateKey(signingKey.reveal());
    return key === null ? null : createPublicKey(key);
  } catch (error) {
    if (error instanceof SettingsRefused) return null;
    throw error;
  }
}

function readKeyFile(path: string): KeyObject | string {
  try {
    return readPublicKey(readFileSync(path, "utf8").trim()) ?? `${path} is not an Ed25519 public key.`;
  } catch (error) {
    return `Could not read ${path}: ${(error as Error).message}`;
  }
}
