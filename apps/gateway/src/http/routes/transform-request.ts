import { ErrorResponse } from "@tollgate/contracts/error-bodies.ts";
import { Failure, ValidationFailure } from "@tollgate/contracts/failures.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import {
  type CallType,
  RawRequestTypedDict,
  TransformRequestBody,
} from "@tollgate/contracts/utilities/transform-request.ts";
import { scanJsonBytes } from "@tollgate/domain/json-bytes.ts";
import type { Call } from "../../call/call.ts";
import { isAdministrator } from "../../call/caller.ts";
import type { Deployment } from "../../call/deployment.ts";
import type { OperationName } from "../../call/operation-traits.ts";
import type { UpstreamRequest } from "../../call/provider.ts";
import { addressOf } from "../../models/describe-deployment.ts";
import { operationKinds } from "../../operations/operation-kinds.ts";
import { fitParameters, offeredBy } from "../../providers/fit-parameters.ts";
import { fileInMemory } from "../../wire/uploaded-file.ts";
import { createBodyReader } from "../json-body.ts";
import type { InferenceOperation } from "../route-table.ts";
import { describeForm } from "./describe-form.ts";
import { createMask, maskHeaders } from "./mask-secrets.ts";
import { utilityFailures } from "./utility-failures.ts";
import { type UtilityContext, utilityOperation, utilityRules } from "./utility-operation.ts";

const operationsByCallType: Readonly<Partial<Record<string, OperationName>>> = {
  completion: "chat.completions",
  text_completion: "completions",
  embedding: "embeddings",
  moderation: "moderations",
  speech: "audio.speech",
  transcription: "audio.transcriptions",
  image_generation: "images.generations",
  rerank: "rerank",
  anthropic_messages: "messages",
  responses: "responses",
};

/**
 * Returns the request that the gateway would send to the provider of the model's first deployment. Resolves aliases,
 * but sends nothing.
 */
export const transformRequest = (context: UtilityContext): InferenceOperation => {
  const readRequest = createBodyReader(TransformRequestBody);
  return utilityOperation(
    context,
    {
      ...utilityRules,
      id: "transformRequest",
      summary: "Preview the provider request",
      paths: versionedPaths("/utils/transform_request"),
      bodyLimitBytes: 50 * 1024 * 1024,
      body: TransformRequestBody,
      answers: {
        200: {
          description: "The provider request, or the reason it cannot be built.",
          schema: RawRequestTypedDict,
        },
        404: { description: "The model does not exist.", schema: ErrorResponse },
        ...utilityFailures,
      },
    },
    async ({ exchange, caller, readBody }) => {
      const bytes = await readBody();
      const { call_type: callType, request_body: body } = readRequest(bytes) as TransformRequestBody;
      const kind = operationKinds[operationOf(callType) ?? ("" as OperationName)];
      if (kind === undefined) return writeError(`Call type '${callType}' is not supported.`);
      let call: Call;
      try {
        const isForm = kind.isForm === true;
        const inner = isForm ? formFields(body) : requestBytes(bytes, body);
        call = context.steps.readCall(exchange, caller, kind, inner, isForm ? placeholder : null);
      } catch (error) {
        throw error instanceof ValidationFailure ? insideRequest(error) : error;
      }
      const showsAddress = isAdministrator(caller) || context.current().settings.general.exposeApiBase;
      return describeRequest(call, showsAddress);
    },
  );
};

async function describeRequest(call: Call, showsAddress: boolean): Promise<string> {
  const [deployment] = call.model.targets;
  if (deployment === undefined) return writeError("The model has no deployment.");
  try {
    const offered = offeredBy(call, deployment);
    const dropped = fitParameters(call, deployment, offered);
    return await write(deployment, offered.translation.buildRequest(call, deployment, dropped), showsAddress);
  } catch (error) {
    if (error instanceof Failure) return writeError(error.message);
    throw error;
  }
}

/**
 * Writes the response. Inserts the provider's body verbatim, because parsing and rewriting the body would change long
 * numbers.
 */
async function write(deployment: Deployment, request: UpstreamRequest, showsAddress: boolean): Promise<string> {
  const mask = createMask(deployment);
  const base = showsAddress ? addressOf(deployment) : null;
  const address = base === null ? null : mask(base + request.path);
  const body =
    typeof request.body === "function"
      ? mask(JSON.stringify(await describeForm(request)))
      : mask(request.body.toString("utf8"));
  const headers = maskHeaders(request.headers, mask);
  return (
    `{"raw_request_api_base":${JSON.stringify(address)},"raw_request_body":${body},` +
    `"raw_request_headers":${JSON.stringify(headers)},"error":null}`
  );
}

function writeError(error: string): string {
  const failed: RawRequestTypedDict = {
    raw_request_api_base: null,
    raw_request_body: null,
    raw_request_headers: null,
    error,
  };
  return JSON.stringify(failed);
}

/** Returns the operation for a call type. Async variants have the same name with the prefix "a". */
function operationOf(callType: CallType): OperationName | undefined {
  return operationsByCallType[callType] ?? operationsByCallType[callType.replace(/^a/, "")];
}

/** Returns the inner body exactly as the client wrote it. */
function requestBytes(bytes: Buffer, body: object): Buffer {
  const scan = scanJsonBytes(bytes, null);
  const member = scan.kind === "refused" ? undefined : scan.members.find(({ name }) => name === "request_body");
  return member === undefined ? Buffer.from(JSON.stringify(body)) : bytes.subarray(member.valueStart, member.valueEnd);
}

/** Placeholder for the file that a real call would contain. */
const placeholder = fileInMemory({ filename: "audio.wav", contentType: "audio/wav", size: 1, head: Buffer.alloc(1) }, [
  Buffer.alloc(1),
]);

/** Returns the form fields as JSON, including the file's metadata. */
function formFields(body: object): Buffer {
  const { filename, contentType, size } = placeholder;
  return Buffer.from(JSON.stringify({ ...body, file: { filename, content_type: contentType, bytes: size } }));
}

/** Prefixes problem locations with the path of the inner body. */
function insideRequest({ problems }: ValidationFailure): ValidationFailure {
  return new ValidationFailure(
    problems.map(({ loc: [place = "body", ...rest], ...problem }) => ({
      ...problem,
      loc: place === "body" ? [place, "request_body", ...rest] : [place, ...rest],
    })),
  );
}
