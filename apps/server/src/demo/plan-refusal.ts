import type { DemoKey } from "./demo-cast.ts";
import type { DemoModel } from "./demo-models.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** A request that no model was called for, with what the gateway stores to explain it. */
export interface PlannedRefusal {
  readonly kind: "refusal";
  readonly id: string;
  readonly atMs: number;
  readonly key: DemoKey;
  readonly endpoint: string;
  /** Empty if the request was rejected before its model was known. */
  readonly modelGroup: string;
  /** Model as the client named it; null if it is the model group. */
  readonly requestedModel: string | null;
  readonly isStream: boolean;
  readonly class: "refused" | "rejected";
  readonly httpStatus: number;
  readonly errorCode: string;
  /** The invalid field; null if no field is at fault. */
  readonly param: string | null;
  readonly facts: Readonly<Record<string, unknown>>;
}

interface Begun {
  readonly id: string;
  readonly atMs: number;
  readonly key: DemoKey;
  readonly model: DemoModel;
  readonly isExhausted: boolean;
}

type Reason = Pick<PlannedRefusal, "class" | "httpStatus" | "errorCode" | "facts"> &
  Partial<Pick<PlannedRefusal, "param" | "modelGroup" | "requestedModel">>;

const MINUTE_MS = 60_000;

/** Names that callers get wrong, with the models that they probably mean. */
const UNKNOWN_MODELS = [
  { requestedModel: "gpt-4o", nearestModels: ["gpt-4.1", "gpt-4.1-mini"] },
  { requestedModel: "claude-3-opus", nearestModels: ["claude-sonnet"] },
  { requestedModel: "llama-3.3-70B", nearestModels: ["llama-3.3-70b"] },
] as const;
const INVALID_FIELDS = ["temperature", "messages", "max_tokens", "response_format"] as const;

/** Plans why a request was not sent to a model. */
export function planRefusal(random: SeededRandom, { isExhausted, ...begun }: Begun): PlannedRefusal {
  const { id, atMs, key, model } = begun;
  const reason = isExhausted ? budgetReason(key) : chooseReason(random, begun);
  const unless = { param: null, requestedModel: null, modelGroup: model.name, isStream: false };
  return { kind: "refusal", id, atMs, key, endpoint: model.endpoint, ...unless, ...reason };
}

function chooseReason(random: SeededRandom, { atMs, key, model }: Omit<Begun, "isExhausted">): Reason {
  const reasons: readonly (() => Reason)[] = [
    () => rateLimitReason(key, key.requestsPerMinute ?? 0, atMs),
    () => ({
      class: "refused",
      httpStatus: 400,
      errorCode: "guardrail_blocked",
      facts: { guardrail: "payment-cards" },
    }),
    () => ({
      class: "refused",
      httpStatus: 403,
      errorCode: "key_model_access_denied",
      param: "model",
      facts: { message: `This key cannot use model '${model.name}'. Ask its administrator for access.` },
    }),
    () => {
      const { requestedModel, nearestModels } = UNKNOWN_MODELS[random.between(0, 2)] as (typeof UNKNOWN_MODELS)[number];
      return {
        class: "rejected",
        httpStatus: 404,
        errorCode: "model_not_found",
        param: "model",
        modelGroup: "",
        requestedModel,
        facts: { message: `The model '${requestedModel}' does not exist.`, nearestModels },
      };
    },
    () => {
      const param = INVALID_FIELDS[random.between(0, 3)] as string;
      return {
        class: "rejected",
        httpStatus: 422,
        errorCode: "validation_error",
        param,
        modelGroup: "",
        requestedModel: model.name,
        facts: { problems: [{ loc: ["body", param], type: "value_error" }] },
      };
    },
  ];
  // Only a key with a limit can reach it.
  return (reasons[random.pick([key.requestsPerMinute === undefined ? 0 : 12, 2, 1, 3, 2])] as () => Reason)();
}

function rateLimitReason({ name }: DemoKey, maximum: number, atMs: number): Reason {
  const resetsAtMs = Math.ceil((atMs + 1) / MINUTE_MS) * MINUTE_MS;
  const seconds = Math.ceil((resetsAtMs - atMs) / 1_000);
  const used = `(${maximum} used, resets in ${seconds} s)`;
  const resetsAt = new Date(resetsAtMs).toISOString();
  return {
    class: "refused",
    httpStatus: 429,
    errorCode: "rate_limit_exceeded",
    facts: {
      message: `Key '${name}' has reached its limit of ${maximum} requests per minute ${used}.`,
      fix: `Wait ${seconds} s, or raise the key's limit.`,
      limit: { kind: "requests", ownerType: "key", ownerName: name, current: maximum, maximum, resetsAt },
      rateLimit: { type: "requests", scope: "api_key" },
    },
  };
}

/** The amounts of the budget are added when they are known. */
function budgetReason({ name }: DemoKey): Reason {
  return {
    class: "refused",
    httpStatus: 429,
    errorCode: "budget_exceeded",
    facts: {
      message: `The budget of the key '${name}' is exhausted.`,
      fix: "Raise the key's budget.",
      limit: { kind: "budget", ownerType: "key", ownerName: name, resetsAt: null },
    },
  };
}
