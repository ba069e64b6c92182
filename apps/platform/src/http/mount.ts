import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { toManagementErrorBody } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { SMALL_BODY } from "@tollgate/contracts/management/operation.ts";
import { parseBody } from "@tollgate/contracts/management/parse-body.ts";
import { createBodyReader, createQueryReader } from "@tollgate/contracts/management/read-request.ts";
import { writeAnswer } from "@tollgate/contracts/management/write-answer.ts";
import {
  type BoundOperation,
  type RequestHandler,
  serveOperations,
} from "@tollgate/runtime/operations/serve-operations.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../caller.ts";
import { docsUrlOn } from "../choose-base-url.ts";
import type { ManagementOperation } from "../operation.ts";
import type { Services } from "../services.ts";
import { failureHeaders, toFailure } from "./answer-failure.ts";
import { authenticate } from "./authenticate.ts";
import { announcedBytes, BodyMemoryBudget } from "./body-memory-budget.ts";
import { checkCaller, checkCookieChange, checkOrganization } from "./check-caller.ts";
import { createOriginReader, lastOf } from "./origin.ts";
import { type Outcome, runOperation, toText } from "./run-operation.ts";
import { rateLimitHeaders, type Throttle } from "./throttle.ts";

/** A model ID has up to 200 characters, each of which may be percent-encoded as three. */
const MAX_PARAMETER = 1_000;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const EMPTY = Buffer.alloc(0);

/** Mounts the operations on a router. The router itself doesn't listen on a port. */
export function mountOperations(
  operations: readonly ManagementOperation[],
  services: Services,
  throttle: Throttle,
): Promise<RequestHandler> {
  const frame = { services, throttle, readOrigin: createOriginReader(services), room: new BodyMemoryBudget() };
  return serveOperations<ManagementOperation, Outcome>(operations, {
    answersHead: false,
    maxParamLength: MAX_PARAMETER,
    newRequestId: (request) => chooseRequestId(request.headers["x-request-id"]),
    targetOf: ({ url = "/" }) => url,
    toRouterPath: (path) => path.replaceAll(/\{(\w+)\}/g, ":$1"),
    acceptBodies: (scope, mediaType) =>
      scope.addContentTypeParser(mediaType, { parseAs: "buffer" }, (_request, body, done) => done(null, body)),
    describeUnmatched: (request, reply) => describeUnmatched(operations, request, reply),
    bind: (operation) => bind(operation, frame),
    timedOut: () => new Failure("DB_TIMEOUT", "The request timed out.", { retryAfterMs: 1_000 }),
    send,
    refuse: (error, request, reply) => refuse(error, request, reply, services),
    refuseUnreadable: (error, request, reply) => refuse(error, request, reply, services),
  });
}

function describeUnmatched(
  operations: readonly ManagementOperation[],
  request: FastifyRequest,
  reply: FastifyReply,
): Failure {
  const path = request.url.split("?")[0] ?? "";
  const allowed = operations.filter((candidate) => matchesPath(candidate.path, path)).map(({ method }) => method);
  // If an operation matches the path and the method but the router found no route, a parameter is too long.
  if (allowed.length === 0 || allowed.some((method) => method === request.method)) {
    return new Failure("UNKNOWN_PATH", "Unknown path.");
  }
  reply.header("allow", allowed.join(", "));
  return new Failure("WRONG_METHOD", `Use ${allowed.join(" or ")} for this path, not ${request.method}.`);
}

interface Frame {
  readonly services: Services;
  readonly throttle: Throttle;
  readonly readOrigin: ReturnType<typeof createOriginReader>;
  readonly room: BodyMemoryBudget;
}

function bind(operation: ManagementOperation, frame: Frame): BoundOperation<Outcome> {
  const { services, readOrigin, room } = frame;
  const early = new WeakMap<FastifyRequest, Caller>();
  const readBody = operation.body === undefined ? null : createBodyReader(operation.body);
  const readQuery = createQueryReader(operation.query);
  return {
    bodyLimit: Math.max(1, operation.bodyLimitBytes),
    // Authenticate and reserve memory before reading a large body, so that no client can exhaust memory.
    ...(operation.bodyLimitBytes > SMALL_BODY &&
      isForUser(operation) && {
        onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
          const caller = (await admit(operation, request, reply, frame)) as Caller;
          const bytes = announcedBytes(request.headers["content-length"], operation.bodyLimitBytes);
          const giveBack = room.take(caller.userId, bytes);
          if (reply.raw.destroyed) giveBack();
          else reply.raw.once("close", giveBack);
          early.set(request, caller);
        },
      }),
    prepare: async (request, reply) => {
      const origin = readOrigin(request.raw, request.id);
      const rawBody = Buffer.isBuffer(request.body) ? request.body : EMPTY;
      // Signed bodies are parsed after verification, and operations with a raw body receive it unparsed.
      const isRead = operation.auth !== "signature" && operation.isBodyRaw !== true;
      const parsed = isRead ? parseBody(rawBody.toString("utf8") || "{}") : null;
      const caller = early.get(request) ?? (await admit(operation, request, reply, frame));
      const params = request.params as Readonly<Record<string, string>>;
      // No ID contains a NUL character, and PostgreSQL rejects text that does.
      if (Object.values(params).some((value) => value.includes("\0"))) throw unknownObject("record");
      const question = request.url.indexOf("?");
      const search = question < 0 ? "" : request.url.slice(question);
      const gone = new AbortController();
      // The close event fires on a disconnect and after the response has been sent. In both cases, work for the request
      // stops.
      reply.raw.once("close", () => gone.abort());
      const input = {
        caller,
        origin,
        params,
        query: readQuery(search),
        body: readBody === null || parsed === null ? {} : readBody(parsed),
        headers: request.headers,
        rawBody,
        search,
        signal: gone.signal,
      };
      checkOrganization(caller, lastOf(request.headers["x-gw-organization"]));
      const path = question < 0 ? request.url : request.url.slice(0, question);
      return () => runOperation(operation, input, path, services);
    },
  };
}

/** Identifies the caller and checks permissions and rate limits. */
async function admit(
  operation: ManagementOperation,
  request: FastifyRequest,
  reply: FastifyReply,
  { services, throttle, readOrigin }: Frame,
): Promise<Caller | null> {
  const caller = await identify(operation, request, services);
  const { ip } = readOrigin(request.raw, request.id);
  const state = await throttle.take(operation.rate, { userId: caller?.userId ?? null, ip });
  if (operation.rate !== "unlimited") reply.headers(rateLimitHeaders(state));
  if (caller !== null) checkCaller(operation, caller, services);
  return caller;
}

function isForUser({ auth }: ManagementOperation): boolean {
  return auth !== "none" && auth !== "signature";
}

async function identify(
  operation: ManagementOperation,
  request: FastifyRequest,
  services: Services,
): Promise<Caller | null> {
  if (!isForUser(operation)) return null;
  const { headers } = request;
  const caller = await authenticate(
    {
      authorization: headers.authorization ?? null,
      cookie: headers.cookie ?? null,
      organizationId: lastOf(headers["x-gw-organization"]),
    },
    services,
  );
  if (caller.isCookie && operation.method !== "GET") checkCookieChange(headers, services.settings());
  return caller;
}

function send(
  operation: ManagementOperation,
  outcome: Outcome,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  reply.code(outcome.status).headers({
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": request.id,
  });
  if ("replayed" in outcome) {
    reply.header("idempotent-replayed", "true");
    return sendJson(reply, outcome.replayed);
  }
  reply.headers(outcome.headers ?? {});
  if (outcome.raw !== undefined) {
    reply.header("content-type", outcome.raw.contentType);
    const { content } = outcome.raw;
    const isWhole = typeof content === "string" || Buffer.isBuffer(content);
    return reply.send(isWhole ? content : Readable.from(content));
  }
  return sendJson(reply, toText(operation, outcome));
}

function sendJson(reply: FastifyReply, text: string): FastifyReply {
  if (text === "") return reply.send();
  // Send bytes, because the framework adds a charset to the content type of strings.
  return reply.header("content-type", "application/json").send(Buffer.from(text));
}

function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply, services: Services): void {
  const failure = toFailure(error, (unexpected) =>
    services.logger.error("management request failed unexpectedly", { error: unexpected, callId: request.id }),
  );
  const context = { requestId: request.id, docsUrl: docsUrlOn(request.headers.host, services.settings()) };
  reply
    .code(failure.status)
    .headers({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": request.id,
      "content-type": "application/json",
      ...failureHeaders(failure),
    })
    .send(Buffer.from(writeAnswer({}, toManagementErrorBody(failure, context))));
}

function chooseRequestId(sent: string | string[] | undefined): string {
  return typeof sent === "string" && REQUEST_ID.test(sent) ? sent : randomUUID();
}

function matchesPath(template: string, path: string): boolean {
  const parts = path.split("/");
  const wanted = template.split("/");
  return wanted.length === parts.length && wanted.every((part, index) => part.startsWith("{") || part === parts[index]);
}
