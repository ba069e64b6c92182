import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { SpeechRequest, SpeechRequestForModel } from "@tollgate/contracts/speech/speech-request.ts";
import { SpeechAudio, SpeechEvent } from "@tollgate/contracts/speech/speech-response.ts";
import { speech } from "../../operations/speech/speech.ts";
import { inferenceOperation } from "../../pipeline/handle-call.ts";
import type { CallSteps } from "../../pipeline/steps.ts";
import { type InferenceOperation, inferenceRules } from "../route-table.ts";
import { inferenceFailures } from "./inference-failures.ts";

/** Converts text to speech and streams the audio while it is generated. */
export const createSpeech = (steps: CallSteps): InferenceOperation =>
  inferenceOperation(steps, speech, {
    ...inferenceRules,
    id: "createSpeech",
    summary: "Create speech",
    tag: "audio",
    paths: [...versionedPaths("/audio/speech"), "/openai/deployments/{model}/audio/speech"],
    bodyLimitBytes: 64 * 1024,
    body: SpeechRequest,
    bodyUnderModelPath: SpeechRequestForModel,
    answers: {
      200: {
        description: "The audio in the requested format, or events if `stream_format` is `sse`.",
        schema: SpeechAudio,
        contentType: "audio/mpeg",
        otherTypes: ["audio/ogg", "audio/aac", "audio/flac", "audio/wav", "audio/pcm"],
        streamed: SpeechEvent,
      },
      ...inferenceFailures,
    },
  });
