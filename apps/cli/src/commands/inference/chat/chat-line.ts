import {
  type CallOptions,
  type GatewayAnswer,
  GatewayClient,
  type GatewayStream,
} from "@tollgate/sdk/gateway/gateway-client.ts";
import type { ChatChunk, ChatRequest, ChatResponse } from "@tollgate/sdk/gateway/inference-types.generated.ts";
import { usageError } from "../../../cli-error.ts";
import type { CommandContext } from "../../../context.ts";
import { resolveListed } from "../../../resolve-listed.ts";
import { findOrganizationId } from "../../../resolve-organization.ts";
import { currentToken } from "../../../settings/current-token.ts";
import { explainBlock } from "./explain-block.ts";

/** Connection to a model: directly to the gateway with an API key, or through the platform with the user's sign-in. */
export interface ChatLine {
  stream(body: ChatRequest, options?: CallOptions): Promise<GatewayStream<ChatChunk>>;
  complete(body: ChatRequest, options?: CallOptions): Promise<GatewayAnswer<ChatResponse>>;
}

/** Opens the requested connection. No request is sent until the connection is used. */
export function openChatLine(context: CommandContext, isViaPlatform: boolean, key: string | undefined): ChatLine {
  if (isViaPlatform) return platformLine(context, key);
  if (key !== undefined) throw usageError("--key requires --via platform.", "Add --via platform.");
  const { gateway } = context;
  return explained(context, () => null, {
    stream: (body, options) => gateway.chatStream(withUsage(body), options),
    complete: (body, options) => gateway.chat(body, options),
  });
}

/** Wraps a connection so that errors about a blocked team name the team and the reason. */
function explained(context: CommandContext, keyId: () => string | null, line: ChatLine): ChatLine {
  const explain = async (error: unknown) => {
    throw await explainBlock(context, error, keyId());
  };
  return {
    stream: (body, options) => line.stream(body, options).catch(explain),
    complete: (body, options) => line.complete(body, options).catch(explain),
  };
}

/** Requests usage data in the last chunk. By default, the gateway omits this data. */
function withUsage(body: ChatRequest): ChatRequest {
  return { ...body, stream_options: { include_usage: true } };
}

function platformLine(context: CommandContext, wanted: string | undefined): ChatLine {
  let apiKey: string | null = null;
  const prepare = async (body: ChatRequest) => {
    apiKey ??= wanted === undefined ? await onlyKey(context) : (await resolveListed(context, "listApiKeys", wanted)).id;
    const organizationId = await findOrganizationId(context);
    const client = new GatewayClient({
      baseUrl: `${context.url}/api/gw`,
      headers: {
        // Read the token for each request, because a chat session may outlive its first token.
        authorization: `Bearer ${await currentToken(context)}`,
        ...(organizationId !== null && { "x-gw-organization": organizationId }),
      },
    });
    return { client, body: { ...body, apiKey } };
  };
  return explained(context, () => apiKey, {
    async stream(given, options) {
      const { client, body } = await prepare(withUsage(given));
      return client.stream("POST", "/messages", { ...body, stream: true }, options);
    },
    async complete(given, options) {
      const { client, body } = await prepare(given);
      return client.request("POST", "/messages", { ...options, body });
    },
  });
}

async function onlyKey({ platform }: CommandContext): Promise<string> {
  const { data, meta } = await platform.call("listApiKeys", { query: { status: ["active"], pageSize: 5 } });
  const [key] = data;
  if (key !== undefined && meta.total === 1) return key.id;
  if (key === undefined) throw usageError("No active API key.", "tollgate keys create NAME");
  throw usageError(`Several keys are active: ${data.map(({ name }) => name).join(", ")}.`, "Add --key KEY.");
}
