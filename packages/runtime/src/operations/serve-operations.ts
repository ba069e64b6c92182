import type { IncomingMessage, ServerResponse } from "node:http";
import type { Failure } from "@tollgate/contracts/failures.ts";
import type { Operation } from "@tollgate/contracts/operations.ts";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** An operation that is ready to be called. */
export interface BoundOperation<Answer> {
  readonly bodyLimit?: number;
  /** Runs before the body is read. */
  readonly onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Does the checks that don't count toward the operation's timeout, and returns the work that does. */
  prepare(request: FastifyRequest, reply: FastifyReply, path: string): Promise<() => Promise<Answer>>;
}

/** How one interface serves its operations: the order of its checks, and the format of its responses and failures. */
interface ServedInterface<Served extends Operation, Answer> {
  readonly answersHead: boolean;
  /** Maximum length of a path parameter. A path with a longer one is unknown. */
  readonly maxParamLength: number;
  newRequestId(request: IncomingMessage): string;
  /** Returns the target that operations are matched with. */
  targetOf(request: IncomingMessage): string;
  toRouterPath(path: string): string;
  /** Sets how bodies of this media type are read. */
  acceptBodies(scope: FastifyInstance, mediaType: string): void;
  /** Runs for every request, before an unknown path is refused. */
  beforeMatch?(request: FastifyRequest): void;
  /** Returns the failure for a request that no operation matches. */
  describeUnmatched(request: FastifyRequest, reply: FastifyReply): Failure;
  bind(operation: Served): BoundOperation<Answer>;
  timedOut(): Failure;
  send(operation: Served, answer: Answer, request: FastifyRequest, reply: FastifyReply): FastifyReply;
  refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void;
  /** Refuses a request that the router can't read. */
  refuseUnreadable(error: unknown, request: FastifyRequest, reply: FastifyReply): void;
}

/** Serves an interface's operations on a router, which doesn't listen on a port itself. */
export async function serveOperations<Served extends Operation, Answer>(
  operations: readonly Served[],
  served: ServedInterface<Served, Answer>,
): Promise<RequestHandler> {
  const app = fastify({
    logger: false,
    exposeHeadRoutes: served.answersHead,
    routerOptions: { maxParamLength: served.maxParamLength },
    genReqId: (request) => served.newRequestId(request),
    rewriteUrl: (request) => served.targetOf(request),
    frameworkErrors: (error, request, reply) => served.refuseUnreadable(error, request, reply),
  });
  app.removeAllContentTypeParsers();
  app.setErrorHandler((error, request, reply) => served.refuse(error, request, reply));
  // This hook runs before the router reads the body of a request for an unknown path.
  app.addHook("onRequest", async (request, reply) => {
    served.beforeMatch?.(request);
    if (request.is404) throw served.describeUnmatched(request, reply);
  });
  // Operations with bodies of another media type have a scope of their own, because all others must reject such bodies.
  const byMediaType = Map.groupBy(operations, ({ bodyContentType = "application/json" }) => bodyContentType);
  for (const [mediaType, group] of byMediaType) {
    app.register(async (scope) => {
      served.acceptBodies(scope, mediaType);
      for (const operation of group) addRoutes(scope, operation, served);
    });
  }
  await app.ready();
  return (request, response) => app.routing(request, response);
}

function addRoutes<Served extends Operation, Answer>(
  scope: FastifyInstance,
  operation: Served,
  served: ServedInterface<Served, Answer>,
): void {
  const { prepare, ...options } = served.bind(operation);
  for (const path of operation.paths) {
    scope.route({
      ...options,
      method: operation.method,
      url: served.toRouterPath(path),
      handler: async (request, reply) => {
        const work = await prepare(request, reply, path);
        const answer = await withinTime(work(), operation.timeoutMs, () => served.timedOut());
        return served.send(operation, answer, request, reply);
      },
    });
  }
}

async function withinTime<Value>(work: Promise<Value>, timeoutMs: number, timedOut: () => Failure): Promise<Value> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(timedOut()), timeoutMs);
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
