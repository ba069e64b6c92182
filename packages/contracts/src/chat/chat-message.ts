import Type from "typebox";
import { MAX_LIST_ITEMS } from "../inference/shared-fields.ts";
import { Nullable } from "../nullable.ts";

/** Allows unknown keys, because other upstreams with this API may support them. */
const open = { additionalProperties: true };

const TextPart = Type.Object({ type: Type.Literal("text"), text: Type.String() }, open);
const ImagePart = Type.Object(
  {
    type: Type.Literal("image_url"),
    image_url: Type.Union([
      Type.String(),
      Type.Object(
        {
          url: Type.String(),
          detail: Nullable(Type.Union([Type.Literal("auto"), Type.Literal("low"), Type.Literal("high")])),
        },
        open,
      ),
    ]),
  },
  open,
);
const AudioPart = Type.Object(
  {
    type: Type.Literal("input_audio"),
    input_audio: Type.Object({ data: Type.String(), format: Type.String() }, open),
  },
  open,
);
const FilePart = Type.Object(
  {
    type: Type.Literal("file"),
    file: Type.Object(
      {
        file_id: Nullable(Type.String()),
        file_data: Nullable(Type.String()),
        filename: Nullable(Type.String()),
        format: Nullable(Type.String()),
      },
      open,
    ),
  },
  open,
);
const VideoPart = Type.Object(
  {
    type: Type.Literal("video_url"),
    video_url: Type.Union([Type.String(), Type.Object({ url: Type.String() }, open)]),
  },
  open,
);
const RefusalPart = Type.Object({ type: Type.Literal("refusal"), refusal: Type.String() }, open);

const tagged = { discriminator: "type" };
const textParts = Type.Array(TextPart, { minItems: 1, maxItems: MAX_LIST_ITEMS });
const textContent = Type.Union([Type.String(), textParts]);
const userContent = Type.Union([
  Type.String(),
  Type.Array(Type.Union([TextPart, ImagePart, AudioPart, FilePart, VideoPart], tagged), {
    minItems: 1,
    maxItems: MAX_LIST_ITEMS,
  }),
]);
const assistantContent = Type.Union([
  Type.String(),
  Type.Array(Type.Union([TextPart, RefusalPart], tagged), { maxItems: MAX_LIST_ITEMS }),
  Type.Null(),
]);
const toolContent = Type.Union([
  Type.String(),
  Type.Array(Type.Union([TextPart, ImagePart], tagged), { minItems: 1, maxItems: MAX_LIST_ITEMS }),
]);

const FunctionCall = Type.Object({ name: Type.String(), arguments: Type.String() }, open);
const ToolCall = Type.Union(
  [
    Type.Object({ id: Type.String(), type: Type.Literal("function"), function: FunctionCall }, open),
    Type.Object(
      {
        id: Type.String(),
        type: Type.Literal("custom"),
        custom: Type.Object({ name: Type.String(), input: Type.String() }, open),
      },
      open,
    ),
  ],
  tagged,
);

const SystemMessage = Type.Object(
  { role: Type.Literal("system"), content: textContent, name: Nullable(Type.String()) },
  open,
);
const DeveloperMessage = Type.Object(
  { role: Type.Literal("developer"), content: textContent, name: Nullable(Type.String()) },
  open,
);
const UserMessage = Type.Object(
  { role: Type.Literal("user"), content: userContent, name: Nullable(Type.String()) },
  open,
);
const AssistantMessage = Type.Object(
  {
    role: Type.Literal("assistant"),
    content: Type.Optional(assistantContent),
    name: Nullable(Type.String()),
    refusal: Nullable(Type.String()),
    tool_calls: Nullable(Type.Array(ToolCall, { maxItems: MAX_LIST_ITEMS })),
    function_call: Nullable(FunctionCall),
    audio: Nullable(Type.Object({ id: Type.String() }, open)),
    reasoning_content: Nullable(Type.String()),
    thinking_blocks: Nullable(Type.Array(Type.Object({ type: Type.String() }, open))),
  },
  open,
);
const ToolMessage = Type.Object(
  { role: Type.Literal("tool"), content: toolContent, tool_call_id: Type.String() },
  open,
);
const FunctionMessage = Type.Object(
  { role: Type.Literal("function"), name: Type.String(), content: Type.Union([Type.String(), Type.Null()]) },
  open,
);

/** A chat message: one of six variants, selected by `role`. */
export const ChatMessage = Type.Union(
  [SystemMessage, DeveloperMessage, UserMessage, AssistantMessage, ToolMessage, FunctionMessage],
  { discriminator: "role" },
);
