import Type, { type Static } from "typebox";
import {
  gatewayFields,
  ignoredFields,
  LogitBias,
  ModelName,
  ModelNameOrNone,
  open,
  Stop,
} from "../inference/shared-fields.ts";
import { Nullable } from "../nullable.ts";

const MAX_PROMPTS = 2048;

/** A token ID from the model's vocabulary. */
const TokenId = Type.Integer({ minimum: 0 });

/** Default maximum number of output tokens. */
export const DEFAULT_MAX_TOKENS = 16;

/** Parameters that a model may or may not support. */
const completionParamFields = {
  suffix: Nullable(Type.String()),
  max_tokens: Nullable(Type.Integer({ minimum: 0 })),
  temperature: Nullable(Type.Number()),
  top_p: Nullable(Type.Number()),
  n: Nullable(Type.Integer({ minimum: 1, maximum: 128 })),
  best_of: Nullable(Type.Integer({ minimum: 1, maximum: 20 })),
  echo: Nullable(Type.Boolean()),
  logprobs: Nullable(Type.Integer({ minimum: 0, maximum: 5 })),
  stop: Nullable(Stop),
  seed: Nullable(Type.Integer()),
  user: Nullable(Type.String()),
  logit_bias: Nullable(LogitBias),
  frequency_penalty: Nullable(Type.Number()),
  presence_penalty: Nullable(Type.Number()),
  stream: Nullable(Type.Boolean()),
  stream_options: Nullable(
    Type.Object({ include_usage: Nullable(Type.Boolean()), include_obfuscation: Nullable(Type.Boolean()) }, open),
  ),
} as const;

/** Names of the parameters that a model may or may not support. */
export const completionParams: ReadonlySet<string> = new Set(Object.keys(completionParamFields));

const completionFields = {
  /** Null stands for the end-of-text token, after which the model starts a new text. */
  prompt: Type.Union([
    Type.String(),
    Type.Array(Type.String(), { minItems: 1, maxItems: MAX_PROMPTS }),
    Type.Array(TokenId, { minItems: 1 }),
    Type.Array(Type.Array(TokenId, { minItems: 1 }), { minItems: 1, maxItems: MAX_PROMPTS }),
    Type.Null(),
  ]),
  ...completionParamFields,
  ...gatewayFields,
  ...ignoredFields,
};

/**
 * Request body of a text completion. Unknown fields are allowed. The gateway's settings determine how they are handled.
 */
export const CompletionRequest = Type.Object({ model: ModelName, ...completionFields }, open);

/** Request body if the path, the query, or the settings already specify the model. */
export const CompletionRequestForModel = Type.Object({ model: ModelNameOrNone, ...completionFields }, open);

export type CompletionRequest = Static<typeof CompletionRequestForModel>;
