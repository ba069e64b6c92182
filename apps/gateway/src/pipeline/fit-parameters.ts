import { openaiChatParams } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { ChatCall } from "./call.ts";

type Fitting = Pick<
  Deployment,
  "supportedParams" | "takesEveryParam" | "dropsParams" | "allowedParams" | "additionalDropParams"
>;

/**
 * What must be left out of the body for this deployment. A known parameter the model does not support is sent when
 * someone allowed it, left out when someone said so, and refused otherwise.
 */
export function fitParameters(call: ChatCall, deployment: Fitting): ReadonlySet<string> {
  const { members, request, dropped } = call.body;
  if (deployment.takesEveryParam) return dropped;
  let unsupported: string[] | null = null;
  for (const { name } of members) {
    if (!openaiChatParams.has(name) || deployment.supportedParams.has(name)) continue;
    if ((request as Record<string, unknown>)[name] == null) continue;
    if (deployment.allowedParams.includes(name) || request.allowed_openai_params?.includes(name)) continue;
    if (!(request.drop_params ?? deployment.dropsParams)) {
      throw new Failure("unsupported_parameter", `The model '${call.model.shownName}' does not support '${name}'.`, {
        param: name,
      });
    }
    unsupported ??= [];
    unsupported.push(name);
  }
  if (unsupported === null && deployment.additionalDropParams.length === 0) return dropped;
  return new Set([...dropped, ...(unsupported ?? []), ...deployment.additionalDropParams]);
}
