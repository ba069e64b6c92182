import { Failure } from "@tollgate/contracts/failures.ts";
import type { Deployment } from "../call/deployment.ts";
import { fetchFromUpstream } from "../providers/fetch-from-upstream.ts";
import { readUpstreamFailure } from "../providers/read-upstream-failure.ts";
import { probeCall, probedOperation } from "./probe-call.ts";

/** Result of a probe call to a deployment. */
export interface Probe {
  /** Null on success; otherwise a message that is safe to show to callers. */
  readonly error: string | null;
  /** Null if no complete response arrived. */
  readonly answer: { readonly status: number; readonly beganAfterMs: number; readonly endedAfterMs: number } | null;
}

/** Calls a deployment with the smallest possible request. */
export async function probeDeployment(deployment: Deployment, timeoutMs: number): Promise<Probe> {
  const operation = probedOperation(deployment);
  const offered = operation === null ? undefined : deployment.offers[operation];
  if (operation === null || offered === undefined) return withoutAnswer("This deployment supports no operation.");
  const { translation, supportedParams } = offered;
  try {
    const call = probeCall(operation, deployment);
    if (call === null) return withoutAnswer("Health checks require a model whose output can be limited.");
    const unsupported = call.body.members
      .map(({ name }) => name)
      .filter(isOptional)
      .filter((name) => !supportedParams.has(name));
    const request = translation.buildRequest(call, deployment, new Set(unsupported));
    const answer = await fetchFromUpstream(deployment.transport, request, timeoutMs);
    const { status, headers, text } = answer;
    const error = status === 200 ? null : readUpstreamFailure(deployment, status, headers, text).message;
    if (error === null && call.answerForm === "whole") translation.readAnswer(call, text, headers);
    return { error, answer };
  } catch (error) {
    return withoutAnswer(error instanceof Failure ? error.message : "The model returned an invalid response.");
  }
}

const withoutAnswer = (error: string): Probe => ({ error, answer: null });

/** Reports whether a probe is the same without this parameter, which some models don't support. */
function isOptional(name: string): boolean {
  return name === "n";
}
