import { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { ChatChunk, ChatResponse } from "@tollgate/contracts/chat/chat-response.ts";
import { CompletionRequest } from "@tollgate/contracts/completions/completion-request.ts";
import { CompletionResponse } from "@tollgate/contracts/completions/completion-response.ts";
import { EmbeddingRequest } from "@tollgate/contracts/embeddings/embedding-request.ts";
import { EmbeddingResponse } from "@tollgate/contracts/embeddings/embedding-response.ts";
import { ImageRequest } from "@tollgate/contracts/images/image-request.ts";
import { ImageResponse } from "@tollgate/contracts/images/image-response.ts";
import { ModelList } from "@tollgate/contracts/models/model-entry.ts";
import { ModelGroupInfoResponse } from "@tollgate/contracts/models/model-group-info.ts";
import { ModerationRequest } from "@tollgate/contracts/moderations/moderation-request.ts";
import { ModerationResponse } from "@tollgate/contracts/moderations/moderation-response.ts";
import { SpeechRequest } from "@tollgate/contracts/speech/speech-request.ts";
import { TranscriptionRequest } from "@tollgate/contracts/transcriptions/transcription-request.ts";
import { TranscriptionResponse } from "@tollgate/contracts/transcriptions/transcription-response.ts";
import { CostQuote } from "@tollgate/contracts/utilities/cost-quote.ts";
import { SupportedParamsResponse } from "@tollgate/contracts/utilities/supported-params.ts";
import { TokenCountRequest, TokenCountResponse } from "@tollgate/contracts/utilities/token-count.ts";
import { RawRequestTypedDict, TransformRequestBody } from "@tollgate/contracts/utilities/transform-request.ts";
import { type Schema, typeOf } from "./schema-type.ts";

const schemas = {
  ChatRequest,
  ChatResponse,
  ChatChunk,
  CompletionRequest,
  CompletionResponse,
  CostQuote,
  EmbeddingRequest,
  EmbeddingResponse,
  ImageRequest,
  ImageResponse,
  ModelGroupInfoResponse,
  ModelList,
  ModerationRequest,
  ModerationResponse,
  RawRequestTypedDict,
  SpeechRequest,
  SupportedParamsResponse,
  TokenCountRequest,
  TokenCountResponse,
  TranscriptionRequest,
  TranscriptionResponse,
  TransformRequestBody,
};

/** The bodies and answers of the inference interface as types, from the schemas the gateway itself checks with. */
export function describeInferenceTypes(): string {
  const types = Object.entries(schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema as Schema, "inference")};`,
  );
  return [
    "// Generated from the schemas of the gateway. Do not edit: bin/pnpm generate writes it anew.",
    ...types,
    "",
  ].join("\n\n");
}
