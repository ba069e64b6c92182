import Type, { type Static } from "typebox";

const GuardrailEntry = Type.Object({
  guardrail_name: Type.String(),
  litellm_params: Type.Object({
    guardrail: Type.String({ description: "The type of check." }),
    mode: Type.Array(Type.String()),
    default_on: Type.Boolean({ description: "Whether it checks every request." }),
  }),
});

/** The guardrails of this gateway, without their patterns. */
export const GuardrailList = Type.Object({ guardrails: Type.Array(GuardrailEntry) });

export const ApplyGuardrailRequest = Type.Object({
  guardrail_name: Type.String({ minLength: 1, maxLength: 256 }),
  text: Type.String({ maxLength: 100_000, description: "The text to check." }),
});
export type ApplyGuardrailRequest = Static<typeof ApplyGuardrailRequest>;

export const AppliedGuardrail = Type.Object({
  response_text: Type.String({ description: "The text, masked if the guardrail masks." }),
});
