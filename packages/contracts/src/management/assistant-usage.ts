import Type, { type Static } from "typebox";
import { nullable, PathId } from "./fields.ts";

export const AssistantUsageQuery = Type.Object({
  apiKey: Type.Optional(PathId),
});

const current = Type.Integer({ description: "Current use" });
const maximum = Type.Integer();

const LimitUse = Type.Object({
  queuedRuns: Type.Object({ current, maximum }),
  openStreams: Type.Object({
    current: Type.Integer({ description: "Open streams of run events in all gateway processes, up to 2 seconds ago" }),
    maximumPerGateway: Type.Integer({ description: "Maximum in each gateway process" }),
  }),
  storedBytes: Type.Object({ current, maximum }),
});

export const AssistantUsageAnswer = Type.Object({
  assistants: Type.Object({
    organization: LimitUse,
    apiKey: nullable(LimitUse),
    needsCredit: Type.Boolean({
      description: "True if the maximum of stored bytes is the one for organizations without credit",
    }),
  }),
});
export type AssistantUsageAnswer = Static<typeof AssistantUsageAnswer>;
