import { relative } from "node:path";
import { AddressRefused } from "@tollgate/coordinator/check/find-targets.ts";
import { RunIsLocked } from "@tollgate/coordinator/journal/run-lock.ts";
import { LocalSetupError } from "@tollgate/coordinator/local/local-setup-error.ts";
import { PlanError } from "@tollgate/coordinator/plan/plan-error.ts";
import { NotFound } from "@tollgate/coordinator/project/not-found.ts";
import { describeSystemError } from "@tollgate/runtime/describe-system-error.ts";
import { EXIT, type Io, reportFailure } from "@tollgate/runtime/exit.ts";

/** Reports why a training command failed and returns the exit code. Rethrows unknown errors. */
export function reportTrainFailure(io: Io, error: unknown, file?: string): number {
  if (error instanceof PlanError) {
    const lines = error.message.split("\n").map((line) => `  ${line}`);
    const name = file === undefined ? "" : ` ${relative(io.cwd, file)}`;
    return reportFailure(io, `Invalid plan${name}:\n${lines.join("\n")}`, EXIT.usage);
  }
  if (error instanceof LocalSetupError) {
    return reportFailure(io, `${error.message}\n  Fix:  ${error.fix}`, EXIT.failure);
  }
  if (error instanceof AddressRefused) return reportFailure(io, error.message, EXIT.usage);
  if (error instanceof NotFound) return reportFailure(io, error.message, EXIT.notFound);
  if (error instanceof RunIsLocked) return reportFailure(io, error.message, EXIT.temporary);
  const refused = describeSystemError(error);
  if (refused !== null) return reportFailure(io, `${refused.message}\n  Fix:  ${refused.fix}`, EXIT.failure);
  throw error;
}
