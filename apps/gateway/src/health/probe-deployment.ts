import { Failure } from "@tollgate/contracts/failures.ts";
import type { Deployment } from "../model-list/deployment.ts";
import { askUpstream } from "../pipeline/ask-upstream.ts";
import { readUpstreamFailure } from "../providers/read-upstream-failure.ts";
import { probeCall, probedOperation } from "./probe-call.ts";

/** Calls a deployment for as little as possible. Null when it answers; otherwise why not, in words a caller may see. */
export async function probeDeployment(deployment: Deployment, timeoutMs: number): Promise<string | null> {
  const operation = probedOperation(deployment);
  const offered = operation === null ? undefined : deployment.offers[operation];
  if (operation === null || offered === undefined) return "This deployment offers no operation.";
  const { translation, supportedParams } = offered;
  try {
    const call = probeCall(operation, deployment);
    const unsupported = call.body.members
      .map(({ name }) => name)
      .filter(isOptional)
      .filter((name) => !supportedParams.has(name));
    const request = translation.buildRequest(call, deployment, new Set(unsupported));
    const { status, headers, text } = await askUpstream(deployment.transport, request, timeoutMs);
    if (status !== 200) return readUpstreamFailure(deployment, status, headers, text).message;
    if (call.answerForm === "whole") translation.readAnswer(call, text, headers);
    return null;
  } catch (error) {
    return error instanceof Failure ? error.message : "The model's answer cannot be read.";
  }
}

/** What a model may or may not support, of what a probe sends. */
function isOptional(name: string): boolean {
  return name === "n" || name === "max_tokens" || name === "max_completion_tokens";
}
