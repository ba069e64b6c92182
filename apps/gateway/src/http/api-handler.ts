import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { Failure } from "@tollgate/contracts/failures.ts";
import { type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { admitCaller } from "../pipeline/admit.ts";
import { authenticate } from "../pipeline/authenticate.ts";
import { authenticateRelayed } from "../pipeline/authenticate-internal.ts";
import { VERSION } from "../version.ts";
import { answerFailure } from "./answer-failure.ts";
import { type ApiBodyReader, createApiBodyReader } from "./api-body.ts";
import type { ApiContext } from "./api-context.ts";
import type { PageAnswer, PageOperation } from "./api-operation.ts";
import { listMethods, nameParameters, toRouterPath, withoutPrefixes } from "./api-paths.ts";
import { createQueryReader } from "./api-query.ts";
import { chooseCallId } from "./call-id.ts";
import type { DirectBody } from "./direct-body.ts";
import { isDrainable } from "./http-server.ts";
import { type RequestHeaders, readRequestHeaders } from "./request-headers.ts";

export type ApiHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Creates the handler for all requests except inference requests. Responses look the same as on the fast path. */
export async function createApiHandler(operations: readonly PageOperation[], context: ApiContext): Promise<ApiHandler> {
  const app = fastify({
    logger: false,
    exposeHeadRoutes: true,
    // Longer than any URL that reaches the router, so that an ID of any length gets the response for unknown IDs.
    routerOptions: { maxParamLength: 8_192 },
    genReqId: () => context.newEventId(),
    rewriteUrl: ({ url = "/" }) => withoutPrefixes(url, context.current().settings.general.serverRootPath),
    frameworkErrors: (_error, request, reply) =>
      refuse(new Failure("invalid_request", "The path has invalid percent-encoding."), request, reply, context),
  });
  // The body must not be read before the key is verified, so the router must not parse it or check its type.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _body, done) => done(null));
  app.setErrorHandler((error, request, reply) => refuse(error, request, reply, context));
  // This hook runs before the router reads the body of a request for an unknown path.
  app.addHook("onRequest", async (request, reply) => {
    // The operation reads the content type from the raw headers. If this header were kept, the router would reject an
    // invalid type before authentication.
    delete request.raw.headers["content-type"];
    if (!request.is404) return;
    const allowed = listMethods(operations, request.url);
    if (allowed.length === 0) {
      const { serverRootPath } = context.current().settings.general;
      throw new Failure("not_found", `Unknown path. See ${serverRootPath}/docs/api for available operations.`);
    }
    reply.raw.setHeader("allow", allowed.join(", "));
    throw new Failure("method_not_allowed", `Use ${allowed[0]} for this path, not ${request.method}.`);
  });
  for (const operation of operations) {
    const readers = { readQuery: createQueryReader(operation.query), readBody: createApiBodyReader(operation) };
    for (const path of operation.paths) {
      app.route({
        method: operation.method,
        url: toRouterPath(path),
        handler: async (request, reply) => {
          const params = nameParameters(path, request.params as Record<string, string>);
          const work = run(operation, request, params, readers, context);
          return send(await withinTime(work, operation.timeoutMs), request, reply, context);
        },
      });
    }
  }
  await app.ready();
  return (request, response) => app.routing(request, response);
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
  return operation.handle({ query, params, acceptsGzip, caller, callId, body }, context);
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
    callId,
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

async function withinTime<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Failure("timeout", "The response was not ready in time.")), timeoutMs);
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

function headersOf(request: FastifyRequest): RequestHeaders {
  return readRequestHeaders(request.raw.rawHeaders);
}

function mustClose(headers: RequestHeaders, context: ApiContext): boolean {
  return context.health.isDraining() || !isDrainable(headers);
}
