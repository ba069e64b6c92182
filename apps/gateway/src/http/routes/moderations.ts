import { ModerationRequest } from "@tollgate/contracts/moderations/moderation-request.ts";
import { ModerationResponse } from "@tollgate/contracts/moderations/moderation-response.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { moderations } from "../../operations/moderations/moderations.ts";
import { inferenceOperation } from "../../pipeline/handle-call.ts";
import type { CallSteps } from "../../pipeline/steps.ts";
import { type InferenceOperation, inferenceRules } from "../route-table.ts";
import { inferenceFailures } from "./inference-failures.ts";

/** Checks content against a provider's policies. */
export const createModerations = (steps: CallSteps): InferenceOperation =>
  inferenceOperation(steps, moderations, {
    ...inferenceRules,
    id: "createModeration",
    summary: "Check content against usage policies",
    tag: "moderations",
    paths: versionedPaths("/moderations"),
    bodyLimitBytes: 50 * 1024 * 1024,
    body: ModerationRequest,
    answers: {
      200: { description: "One result per text.", schema: ModerationResponse },
      ...inferenceFailures,
    },
  });
