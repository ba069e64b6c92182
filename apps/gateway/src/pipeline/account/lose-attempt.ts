import type { Failure } from "@tollgate/contracts/failures.ts";
import type { LossReason } from "@tollgate/domain/credit/usage-event.ts";
import type { RouteStep } from "@tollgate/domain/routing/route-types.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import { producedUsage } from "../upstream/produced-usage.ts";
import type { CallAccount } from "./call-account.ts";

/** Records a failed attempt that the provider bills. The caller did not cause the failure, so the operator pays. */
export function loseAttempt(account: CallAccount, failure: Failure, next: RouteStep<Deployment>): void {
  const usage = producedUsage(failure);
  if (usage !== null) account.loseAttempt(lossReasonOf(failure, next), usage);
}

function lossReasonOf({ code }: Failure, next: RouteStep<Deployment>): LossReason {
  if (code === "timeout" || code === "stream_timeout") return "timeout";
  if (code === "bad_gateway") return "malformed";
  if (next.kind !== "call") return "upstream";
  return next.isFallback ? "fallback" : "retry";
}
