import { Readable } from "node:stream";
import { Failure } from "@tollgate/contracts/failures.ts";
import { type RequestHandler, serveOperations } from "@tollgate/runtime/operations/serve-operations.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { chooseCallId } from "../call/exchange.ts";
import type { RequestHeaders } from "../call/request-headers.ts";
import { VERSION } from "../call/version.ts";
import { admitCaller, authenticate, authenticateRelayed } from "../pipeline/authenticate.ts";
import { answerFailure } from "./answer-failure.ts";
import { type ApiBodyReader, createApiBodyReader } from "./api-body.ts";
import type { ApiContext } from "./api-context.ts";
import type { PageAnswer, PageOperation } from "./api-operation.ts";
import { listMethods, nameParameters, toRouterPath, withoutPrefixes } from "./api-paths.ts";
import { createQueryReader } from "./api-query.ts";
import type { DirectBody } from "./direct-http.ts";
import { hostOf } from "./docs-url.ts";
import { isDrainable, readRequestHeaders } from "./request-headers.ts";

/** Creates the handler for all requests except inference requests. Responses look the same as on the fast path. */
export function createApiHandler(operations: readonly PageOperation[], context: ApiContext): Promise<RequestHandler> {
  const rootPath = () => context.current().settings.general.serverRootPath;
  return serveOperations<PageOperation, PageAnswer>(operations, {
    answersHead: true,
    // Longer than any URL that reaches the router, so that an ID of any length gets the response for unknown IDs.
    maxParamLength: 8_192,
    newRequestId: () => context.newEventId(),
    targetOf: ({ url = "/" }) => withoutPrefixes(url, rootPath()),
    toRouterPath,
    // The body must not be read before the key is verified, so the router must not parse it or check its type.
    acceptBodies: (scope) => scope.addContentTypeParser("*", (_request, _body, done) => done(null)),
    // The operation reads the content type from the raw headers. If this header were kept, the router would reject an
    // invalid type before authentication.
    beforeMatch: (request) => delete request.raw.headers["content-type"],
    describeUnmatched: (request, reply) => {
      const allowed = listMethods(operations, request.url);
      if (allowed.length === 0) {
        return new Failure("not_found", `Unknown path. See ${rootPath()}/docs/api for available operations.`);
      }
      reply.raw.setHeader("allow", allowed.join(", "));
      return new Failure("method_not_allowed", `Use ${allowed[0]} for this path, not ${request.method}.`);
    },
    bind: (operation) => {
      const readers = { readQuery: createQueryReader(operation.query), readBody: createApiBodyReader(operation) };
      return {
        prepare: async (request, _reply, path) => {
          const params = nameParameters(path, request.params as Record<string, string>);
          return () => run(operation, request, params, readers, context);
        },
      };
    },
    timedOut: () => new Failure("timeout", "The response was not ready in time."),
    send: (_operation, answer, request, reply) => send(answer, request, reply, context),
    refuse: (error, request, reply) => refuse(error, request, reply, context),
    refuseUnreadable: (_error, request, reply) =>
      refuse(new Failure("invalid_request", "The path has invalid percent-encoding."), request, reply, context),
  });
}

interface Readers {
  readonly readQuery: (search: string) => unknown;
  readonly readBody: ApiBodyReader;
}

async function run(
  operation: PageOperation,
  request: FastifyRequest,
  params: Readonly<Record<string, string>>,
  { readQuery, readBody }: Readers,
  context: ApiContext,
): Promise<PageAnswer> {
  const question = request.url.indexOf("?");
  const search = question < 0 ? "" : request.url.slice(question);
  const acceptsGzip = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
  if (operation.auth === "none") return operation.handle({ query: readQuery(search), params, acceptsGzip }, context);
  if ("needsKey" in operation && !operation.needsKey(context.current().settings)) {
    return operation.handle({ query: readQuery(search), params, acceptsGzip, caller: null }, context);
  }
  const raw = request.raw as DirectBody;
  const headers = headersOf(request);
  const nowMs = context.wallClock();
  const caller =
    headers.internal === null
      ? await authenticate(headers.keys, raw.keyHeaders, context.keys, nowMs)
      : await authenticateRelayed(raw.socket, headers.internal, context.internalCallers, nowMs);
  admitCaller(caller, operation);
  const refusal = isHowItIs(operation) ? null : context.refuseRead();
  if (refusal !== null) throw refusal;
  const query = readQuery(search);
  const body = await readBody(raw, headers);
  const callId = chooseCallId(headers, request.id);
  const docsUrl = context.docsUrl(hostOf(headers));
  return operation.handle({ query, params, acceptsGzip, caller, callId, docsUrl, body }, context);
}

/**
 * Reports whether an operation returns the state of this instance. Operators need these operations most under overload.
 */
function isHowItIs({ paths }: PageOperation): boolean {
  return paths.some((path) => path.startsWith("/health") || path.startsWith("/metrics"));
}

function send(answer: PageAnswer, request: FastifyRequest, reply: FastifyReply, context: ApiContext): FastifyReply {
  const headers = headersOf(request);
  reply.code(answer.status).headers({
    // A shared cache must not store responses that only one key may see.
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...answer.headers,
    "x-gw-call-id": chooseCallId(headers, request.id),
    "x-gw-version": VERSION,
  });
  if (headers.origin !== null) {
    reply.headers({ "access-control-allow-origin": "*", "access-control-expose-headers": "*" });
  }
  if (mustClose(headers, context)) reply.header("connection", "close");
  const { content } = answer;
  return reply.send(typeof content === "function" ? Readable.from(content(context.streams.open(reply.raw))) : content);
}

function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply, context: ApiContext): void {
  const headers = headersOf(request);
  const callId = chooseCallId(headers, request.id);
  reply.hijack();
  answerFailure(reply.raw, asFailure(error, callId, context), {
    requestId: callId,
    docsUrl: context.docsUrl(hostOf(headers)),
    codeStyle: context.codeStyle(),
    mustClose: mustClose(headers, context),
    hasOrigin: headers.origin !== null,
  });
}

function asFailure(error: unknown, callId: string, context: ApiContext): Failure {
  if (error instanceof Failure) return error;
  context.onUnexpected(error, callId);
  return new Failure("internal_error", "An internal error occurred. Include the call ID when you report it.");
}

function headersOf(request: FastifyRequest): RequestHeaders {
  return readRequestHeaders(request.raw.rawHeaders);
}

function mustClose(headers: RequestHeaders, context: ApiContext): boolean {
  return context.health.isDraining() || !isDrainable(headers);
}
