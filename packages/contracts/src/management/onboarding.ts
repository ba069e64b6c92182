import Type, { type Static } from "typebox";
import { nullable } from "./fields.ts";

export const OnboardingStepName = Type.Union([
  Type.Literal("create_key"),
  Type.Literal("send_request"),
  Type.Literal("add_credits"),
  Type.Literal("invite_teammate"),
  Type.Literal("set_alert"),
]);
export type OnboardingStepName = Static<typeof OnboardingStepName>;

/** Onboarding steps, in the order in which users complete them. */
export const onboardingSteps: readonly OnboardingStepName[] = [
  "create_key",
  "send_request",
  "add_credits",
  "invite_teammate",
  "set_alert",
];

const OnboardingStep = Type.Object({
  id: OnboardingStepName,
  done: Type.Boolean(),
  skipped: Type.Boolean(),
  detail: nullable(Type.String({ description: "The existing object, such as a key name" })),
});

/** An organization's setup checklist. A step is marked complete based on existing data, not on clicks. */
export const OnboardingAnswer = Type.Object({
  onboarding: Type.Object({ steps: Type.Array(OnboardingStep), dismissed: Type.Boolean() }),
});

export const OnboardingChange = Type.Object({
  skip: Type.Optional(OnboardingStepName),
  dismissed: Type.Optional(Type.Boolean()),
});
