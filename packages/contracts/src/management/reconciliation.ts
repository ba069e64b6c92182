import Type from "typebox";
import { Time } from "./fields.ts";

const Check = Type.Object({
  id: Type.String({ description: "For example, R1" }),
  title: Type.String(),
  ok: Type.Boolean(),
  count: Type.Integer({ description: "Number of differences" }),
  examples: Type.Array(Type.String(), { description: "The first differences" }),
});

export const Reconciliation = Type.Object({
  ok: Type.Boolean(),
  checks: Type.Array(Check),
  ranAt: Time,
  finishedAt: Time,
});

export const ReconciliationPending = Type.Object({ status: Type.Literal("running") });
