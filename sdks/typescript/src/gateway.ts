/** Exports of `@tollgate/sdk/gateway`: the client for the inference API. */

export type { CallFacts } from "./gateway/call-facts.ts";
export {
  type CallOptions,
  type GatewayAnswer,
  GatewayClient,
  type GatewayClientOptions,
  type GatewayStream,
  type TranscriptionForm,
} from "./gateway/gateway-client.ts";
export type * from "./gateway/inference-types.generated.ts";
