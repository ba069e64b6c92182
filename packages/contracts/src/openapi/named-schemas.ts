import type { TSchema } from "typebox";
import { KeyRecord } from "../administration/key-management.ts";
import { TeamRecord } from "../administration/team-management.ts";
import {
  AssistantList,
  AssistantObject,
  CreateAssistantRequest,
  ModifyAssistantRequest,
} from "../assistants/assistant-object.ts";
import {
  CreateMessageRequest,
  MessageList,
  MessageObject,
  ModifyMessageRequest,
} from "../assistants/message-object.ts";
import {
  CreateRunRequest,
  CreateThreadAndRunRequest,
  ModifyRunRequest,
  RunList,
  RunObject,
  SubmitToolOutputsRequest,
} from "../assistants/run-object.ts";
import { StepList, StepObject } from "../assistants/step-object.ts";
import { CreateThreadRequest, ModifyThreadRequest, ThreadObject } from "../assistants/thread-object.ts";
import { ChatMessage } from "../chat/chat-message.ts";
import { ChatRequest, ChatRequestForModel } from "../chat/chat-request.ts";
import { ChatChunk, ChatResponse, ChatUsage } from "../chat/chat-response.ts";
import { CompletionRequest, CompletionRequestForModel } from "../completions/completion-request.ts";
import { CompletionResponse } from "../completions/completion-response.ts";
import { EmbeddingRequest, EmbeddingRequestForModel } from "../embeddings/embedding-request.ts";
import { EmbeddingResponse } from "../embeddings/embedding-response.ts";
import { ErrorObject, ErrorResponse, HTTPValidationError } from "../error-bodies.ts";
import { HealthReport, Readiness, ReadinessDetails, Startup } from "../health.ts";
import { ImageRequest, ImageRequestForModel } from "../images/image-request.ts";
import { ImageResponse } from "../images/image-response.ts";
import { MessageCountRequest, MessageRequest } from "../messages/message-request.ts";
import {
  MessageCountResponse,
  MessageErrorResponse,
  MessageEvent,
  MessageResponse,
} from "../messages/message-response.ts";
import { ModelEntry, ModelList } from "../models/model-entry.ts";
import { ModelGroupEntry, ModelGroupInfoResponse } from "../models/model-group-info.ts";
import { DeploymentEntry, ModelInfoResponse } from "../models/model-info.ts";
import { ModerationRequest } from "../moderations/moderation-request.ts";
import { ModerationResponse } from "../moderations/moderation-response.ts";
import { RerankRequest } from "../rerank/rerank-request.ts";
import { RerankResponse } from "../rerank/rerank-response.ts";
import { SpeechRequest, SpeechRequestForModel } from "../speech/speech-request.ts";
import { SpeechEvent } from "../speech/speech-response.ts";
import { TranscriptionForm, TranscriptionFormForModel } from "../transcriptions/transcription-request.ts";
import { TranscriptionEvent, TranscriptionResponse } from "../transcriptions/transcription-response.ts";
import { CostQuote } from "../utilities/cost-quote.ts";
import { SupportedParamsResponse } from "../utilities/supported-params.ts";
import { TokenCountRequest, TokenCountResponse } from "../utilities/token-count.ts";
import { RawRequestTypedDict, TransformRequestBody } from "../utilities/transform-request.ts";

/** Schemas that the published document refers to by name. They are recognized by object identity. */
export const namedSchemas: Readonly<Record<string, TSchema>> = {
  ErrorResponse,
  ErrorObject,
  HTTPValidationError,
  ModelEntry,
  ModelList,
  DeploymentEntry,
  ModelInfoResponse,
  ModelGroupEntry,
  ModelGroupInfoResponse,
  KeyRecord,
  TeamRecord,
  ChatRequest,
  ChatRequestForModel,
  ChatMessage,
  ChatResponse,
  ChatChunk,
  ChatUsage,
  CompletionRequest,
  CompletionRequestForModel,
  CompletionResponse,
  MessageRequest,
  MessageResponse,
  MessageEvent,
  MessageErrorResponse,
  MessageCountRequest,
  MessageCountResponse,
  EmbeddingRequest,
  EmbeddingRequestForModel,
  EmbeddingResponse,
  ModerationRequest,
  ModerationResponse,
  SpeechRequest,
  SpeechRequestForModel,
  SpeechEvent,
  TranscriptionForm,
  TranscriptionFormForModel,
  TranscriptionResponse,
  TranscriptionEvent,
  ImageRequest,
  ImageRequestForModel,
  ImageResponse,
  RerankRequest,
  RerankResponse,
  AssistantObject,
  AssistantList,
  CreateAssistantRequest,
  ModifyAssistantRequest,
  ThreadObject,
  CreateThreadRequest,
  ModifyThreadRequest,
  MessageObject,
  MessageList,
  CreateMessageRequest,
  ModifyMessageRequest,
  RunObject,
  RunList,
  CreateRunRequest,
  CreateThreadAndRunRequest,
  ModifyRunRequest,
  SubmitToolOutputsRequest,
  RunStepObject: StepObject,
  RunStepList: StepList,
  TokenCountRequest,
  TokenCountResponse,
  SupportedParamsResponse,
  TransformRequestBody,
  RawRequestTypedDict,
  CostQuote,
  HealthReport,
  Readiness,
  ReadinessDetails,
  Startup,
};
