import { Failure } from "@tollgate/contracts/failures.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import { findUsage } from "../../providers/openai/read-usage.ts";
import type { Call } from "../call.ts";

/** Attaches the usage of a failed attempt, which the provider bills, to its failure. */
export function withProduced(failure: Failure, usage: Usage): Failure {
  const { facts } = failure;
  return new Failure(failure.code, failure.message, { ...facts, detail: { ...facts.detail, produced: usage } });
}

/** Returns the usage of a failed attempt, or null if the provider doesn't bill it. */
export function producedUsage(failure: Failure): Usage | null {
  return (failure.facts.detail?.produced as Usage | undefined) ?? null;
}

/** Returns the usage of a malformed response: the usage that it reports, if readable, or else the gateway's count. */
export function countProduced(call: Call, deployment: Deployment, text: string): Usage {
  return findUsage(text)?.usage ?? call.kind.countUsage(call, deployment, text === "" ? null : text, 0);
}
