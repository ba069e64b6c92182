import type { TSchema } from "typebox";
import { ChatMessage } from "../chat/chat-message.ts";
import { ChatRequest, ChatRequestForModel } from "../chat/chat-request.ts";
import { ChatChunk, ChatResponse, ChatUsage } from "../chat/chat-response.ts";
import { ErrorObject, ErrorResponse, HTTPValidationError } from "../error-bodies.ts";
import { HealthReport, Readiness, ReadinessDetails, Startup } from "../health.ts";
import { ModelEntry, ModelList } from "../models/model-entry.ts";
import { ModelGroupEntry, ModelGroupInfoResponse } from "../models/model-group-info.ts";
import { DeploymentEntry, ModelInfoResponse } from "../models/model-info.ts";
import { CostQuote } from "../utilities/cost-quote.ts";
import { SupportedParamsResponse } from "../utilities/supported-params.ts";
import { TokenCountRequest, TokenCountResponse } from "../utilities/token-count.ts";
import { RawRequestTypedDict, TransformRequestBody } from "../utilities/transform-request.ts";

/** Schemas the published description refers to by name. They are recognised by identity, so only the object itself counts. */
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
  ChatRequest,
  ChatRequestForModel,
  ChatMessage,
  ChatResponse,
  ChatChunk,
  ChatUsage,
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
