/** Exports of `@tollgate/sdk/platform`: the client for the management API. */

export {
  ApiError,
  type ApiErrorFacts,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  CreditError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  type ReachedLimit,
  ServerError,
} from "./http/api-error.ts";
export type { ReceivedAnswer, SendOptions, SentRequest } from "./http/send-request.ts";
export { type CallTiming, describeTiming, formatMs } from "./platform/describe-timing.ts";
export type { Operations } from "./platform/operations.generated.ts";
export { parseUsd } from "./platform/parse-usd.ts";
export {
  type CallInput,
  type ListId,
  type OperationId,
  type PathRequest,
  PlatformClient,
  type PlatformClientOptions,
  type PlatformEvent,
  type RawAnswer,
  type RowOf,
} from "./platform/platform-client.ts";
export { type WebhookEvent, webhookEvents } from "./platform/webhook-events.ts";
