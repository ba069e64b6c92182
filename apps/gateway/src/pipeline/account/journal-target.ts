import { encodeTarget } from "@tollgate/journal/record-blocks.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import { providerNameOf } from "../../model-list/describe-model.ts";
import type { Priced } from "./priced-as.ts";

/**
 * Maximum journaled length of a model name. Clients can send any name that matches a pattern, so longer names are
 * truncated.
 */
const MAX_NAME = 200;

interface Known {
  readonly endpoint: string;
  readonly priceVersionId: string | null;
  readonly groupName: string;
  readonly block: Uint8Array;
}

const known = new WeakMap<Deployment, Known>();

/**
 * Encodes the target of a call for the journal. The result is cached, because a deployment mostly serves one group and
 * one operation.
 */
export function journalTarget(
  endpoint: string,
  groupName: string,
  deployment: Deployment,
  { priceVersionId }: Priced = deployment,
): Uint8Array {
  const last = known.get(deployment);
  if (
    last !== undefined &&
    last.groupName === groupName &&
    last.endpoint === endpoint &&
    last.priceVersionId === priceVersionId
  ) {
    return last.block;
  }
  const block = encodeTarget({
    endpoint,
    modelGroup: groupName.slice(0, MAX_NAME),
    deploymentId: deployment.id.slice(0, MAX_NAME),
    provider: providerNameOf(deployment).slice(0, MAX_NAME),
    priceVersionId,
  });
  known.set(deployment, { endpoint, groupName, priceVersionId, block });
  return block;
}
