import Type, { type Static } from "typebox";
import { gatewayFields, ignoredFields, ModelName, ModelNameOrNone, open } from "../inference/shared-fields.ts";
import { Nullable } from "../nullable.ts";

const MAX_IMAGES = 10;
const MAX_PROMPT = 32_000;

/** Parameters that a model may or may not support. */
const imageParamFields = {
  n: Nullable(Type.Integer({ minimum: 1, maximum: MAX_IMAGES })),
  size: Nullable(Type.String({ maxLength: 32 })),
  quality: Nullable(Type.String({ maxLength: 32 })),
  response_format: Nullable(Type.Union([Type.Literal("url"), Type.Literal("b64_json")])),
  style: Nullable(Type.String({ maxLength: 64 })),
  background: Nullable(Type.Union([Type.Literal("transparent"), Type.Literal("opaque"), Type.Literal("auto")])),
  output_format: Nullable(Type.Union([Type.Literal("png"), Type.Literal("jpeg"), Type.Literal("webp")])),
  output_compression: Nullable(Type.Integer({ minimum: 0, maximum: 100 })),
  moderation: Nullable(Type.Union([Type.Literal("low"), Type.Literal("auto")])),
  user: Nullable(Type.String()),
} as const;

/** Names of the parameters that a model may or may not support. */
export const imageParams: ReadonlySet<string> = new Set(Object.keys(imageParamFields));

const imageFields = {
  prompt: Type.String({ minLength: 1, maxLength: MAX_PROMPT }),
  ...imageParamFields,
  stream: Nullable(Type.Boolean()),
  partial_images: Nullable(Type.Integer({ minimum: 0, maximum: 3 })),
  ...gatewayFields,
  ...ignoredFields,
};

/** Request body for images. Unknown fields are allowed here. The gateway's settings determine how they are handled. */
export const ImageRequest = Type.Object({ model: ModelName, ...imageFields }, open);

/** Request body if the path already specifies the model. `model` then has no effect. */
export const ImageRequestForModel = Type.Object({ model: ModelNameOrNone, ...imageFields }, open);

export type ImageRequest = Static<typeof ImageRequestForModel>;
