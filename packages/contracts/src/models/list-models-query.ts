import Type, { type Static } from "typebox";
import { NullableParameter } from "./nullable-parameter.ts";

/** Which list of fallbacks is asked for. */
export const FallbackType = Type.Union([
  Type.Literal("general"),
  Type.Literal("context_window"),
  Type.Literal("content_policy"),
]);
export type FallbackType = Static<typeof FallbackType>;

/** The query of the model list. */
export const ListModelsQuery = Type.Object({
  return_wildcard_routes: NullableParameter(Type.Boolean(), {
    description: "Also list wildcard names; the models they stand for are listed either way.",
    default: false,
  }),
  team_id: NullableParameter(Type.String({ maxLength: 128, pattern: "^[ -~]*$" }), {
    description: "List what this team may use, instead of what the key may use.",
  }),
  include_model_access_groups: NullableParameter(Type.Boolean(), {
    description: "Also list the access groups the caller holds.",
    default: false,
  }),
  only_model_access_groups: NullableParameter(Type.Boolean(), {
    description: "List access groups and nothing else.",
    default: false,
  }),
  include_metadata: NullableParameter(Type.Boolean(), {
    description: "Add the fallbacks of each model.",
    default: false,
  }),
  fallback_type: NullableParameter(FallbackType, {
    description: "Which fallbacks to add. Read only when `include_metadata` is true; `general` when left out.",
    "x-read-with": "include_metadata",
  }),
  scope: NullableParameter(Type.Literal("expand"), {
    description: "`expand` lists every model of the gateway to administrators, and changes nothing for others.",
  }),
});
export type ListModelsQuery = Static<typeof ListModelsQuery>;
