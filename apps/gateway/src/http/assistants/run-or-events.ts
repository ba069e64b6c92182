import { RunObject } from "@tollgate/contracts/assistants/run-object.ts";
import { AnyObject } from "@tollgate/contracts/inference/shared-fields.ts";
import type { AnswerDescription } from "@tollgate/contracts/operations.ts";

/** Response description of operations that can stream a run's events. */
export const runOrEvents: AnswerDescription = {
  description: "The run. With `stream`, its named events until it finishes or requires tool outputs.",
  schema: RunObject,
  streamed: AnyObject,
};
