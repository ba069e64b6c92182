import Type, { type Static } from "typebox";
import { NullableParameter } from "./nullable-parameter.ts";

/** The requested type of fallback list. */
export const FallbackType = Type.Union([
  Type.Literal("general"),
  Type.Literal("context_window"),
  Type.Literal("content_policy"),
]);
export type FallbackType = Static<typeof FallbackType>;

/** Query parameters for the model list. */
export const ListModelsQuery = Type.Object({
  return_wildcard_routes: NullableParameter(Type.Boolean(), {
    description: "Also list wildcard names. The models they match are always listed.",
    default: false,
  }),
  team_id: NullableParameter(Type.String({ maxLength: 128, pattern: "^[ -~]*$" }), {
    description: "List the models that this team can use instead of those that the key can use.",
  }),
  include_model_access_groups: NullableParameter(Type.Boolean(), {
    description: "Also list the caller's access groups.",
    default: false,
  }),
  only_model_access_groups: NullableParameter(Type.Boolean(), {
    description: "List only access groups.",
    default: false,
  }),
  include_metadata: NullableParameter(Type.Boolean(), {
    description: "Add the fallbacks of each model.",
    default: false,
  }),
  fallback_type: NullableParameter(FallbackType, {
    description: "The type of fallbacks to add. Used only if `include_metadata` is true. Defaults to `general`.",
    "x-read-with": "include_metadata",
  }),
  scope: NullableParameter(Type.Literal("expand"), {
    description: "`expand` lists every model of the gateway for administrators. It has no effect for other callers.",
  }),
});
export type ListModelsQuery = Static<typeof ListModelsQuery>;
