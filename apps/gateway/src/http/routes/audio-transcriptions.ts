import { versionedPaths } from "@tollgate/contracts/operations.ts";
import {
  TranscriptionForm,
  TranscriptionFormForModel,
} from "@tollgate/contracts/transcriptions/transcription-request.ts";
import {
  TranscriptionEvent,
  TranscriptionResponse,
} from "@tollgate/contracts/transcriptions/transcription-response.ts";
import { transcriptions } from "../../operations/transcriptions/transcriptions.ts";
import { inferenceOperation } from "../../pipeline/handle-call.ts";
import type { CallSteps } from "../../pipeline/steps.ts";
import { type InferenceOperation, inferenceRules } from "../route-table.ts";
import { inferenceFailures } from "./inference-failures.ts";

/** Transcribes a recording to text. */
export const createTranscription = (steps: CallSteps): InferenceOperation =>
  inferenceOperation(steps, transcriptions, {
    ...inferenceRules,
    id: "createTranscription",
    summary: "Create a transcription",
    tag: "audio",
    paths: [...versionedPaths("/audio/transcriptions"), "/openai/deployments/{model}/audio/transcriptions"],
    bodyLimitBytes: 30 * 1024 * 1024,
    body: TranscriptionForm,
    bodyUnderModelPath: TranscriptionFormForModel,
    bodyContentType: "multipart/form-data",
    answers: {
      200: {
        description: "The transcript as JSON, text, or subtitles. Streamed if `stream` is true.",
        schema: TranscriptionResponse,
        otherTypes: ["text/plain", "text/vtt"],
        streamed: TranscriptionEvent,
      },
      ...inferenceFailures,
    },
  });
