import Type, { type Static } from "typebox";

export const SupportedParamsQuery = Type.Object({
  model: Type.String({
    minLength: 1,
    maxLength: 512,
    description: "A model group, an alias, or `<provider>/<model>`.",
  }),
});
export type SupportedParamsQuery = Static<typeof SupportedParamsQuery>;

export const SupportedParamsResponse = Type.Object({ supported_openai_params: Type.Array(Type.String()) });
export type SupportedParamsResponse = Static<typeof SupportedParamsResponse>;
