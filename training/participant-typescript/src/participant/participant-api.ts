import type { IncomingMessage, ServerResponse } from "node:http";
import type { Operation } from "../handlers.ts";
import type { Job } from "../jobs/job.ts";
import { JobBoard } from "../jobs/job-board.ts";
import { ParticipantFailure } from "../participant-failure.ts";
import { createSpoolFolder, type SpoolFolder } from "../wire/spool-folder.ts";
import { sendFailure } from "./answer.ts";
import { Authorizer } from "./authorize.ts";
import type { Exchange, ParticipantParts } from "./exchange.ts";
import type { FunctionHost } from "./function-host.ts";
import { serveJob, serveJobResult } from "./job-routes.ts";
import { serveOperation } from "./operation-route.ts";
import type { ParticipantSettings } from "./participant-settings.ts";
import { serveHealth, serveSchema, serveStatus } from "./status-routes.ts";

interface Route {
  readonly path: RegExp;
  readonly methods: readonly string[];
  readonly isOpen?: boolean;
  serve(parts: ParticipantParts, exchange: Exchange): Promise<void> | void;
}

const GET = ["GET", "HEAD", "OPTIONS"];
const POST = ["POST", "OPTIONS"];

const ROUTES: readonly Route[] = [
  { path: /^\/train$/, methods: POST, serve: operationRoute("train") },
  { path: /^\/evaluate$/, methods: POST, serve: operationRoute("evaluate") },
  { path: /^\/aggregate$/, methods: POST, serve: operationRoute("aggregate") },
  { path: /^\/health(?:z)?$/, methods: GET, isOpen: true, serve: serveHealth },
  { path: /^\/status$/, methods: GET, serve: serveStatus },
  { path: /^\/openapi\.json$/, methods: GET, serve: serveSchema },
  { path: /^\/jobs\/(?<jobId>[A-Za-z0-9_-]{1,64})$/, methods: ["GET", "HEAD", "DELETE", "OPTIONS"], serve: serveJob },
  { path: /^\/jobs\/(?<jobId>[A-Za-z0-9_-]{1,64})\/result$/, methods: GET, serve: serveJobResult },
];

/** Route for the single path of the newer reference package, served only if enabled. */
const CALL_ROUTE: Route = { path: /^\/call$/, methods: POST, serve: operationRoute("call") };

/** Handles every request to a participant. Errors are always JSON. */
export class ParticipantApi {
  readonly #parts: ParticipantParts;
  readonly #routes: readonly Route[];
  readonly #authorizer: Authorizer;
  readonly #spool: SpoolFolder;

  /** Creates the spool folder and the job board. */
  static async start(settings: ParticipantSettings, host: FunctionHost): Promise<ParticipantApi> {
    return new ParticipantApi(settings, host, await createSpoolFolder(settings.spoolFolder));
  }

  private constructor(settings: ParticipantSettings, host: FunctionHost, spool: SpoolFolder) {
    const board = new JobBoard({
      slots: settings.slots,
      maxQueue: settings.maxQueue,
      graceMs: settings.graceSeconds * 1000,
      retentionMs: settings.retentionSeconds * 1000,
      maxJobs: MAX_JOBS,
      maxBytes: settings.limits.maxStoredBytes,
      onStuck: (job) => onStuck(settings, job),
    });
    this.#parts = { settings, host, board, spoolFolder: spool.path, largeBodies: { count: 0 } };
    this.#routes = settings.servesCall ? [...ROUTES, CALL_ROUTE] : ROUTES;
    this.#authorizer = new Authorizer(settings.tokenHashes, settings.insecure);
    this.#spool = spool;
  }

  has(operation: Operation): boolean {
    return this.#parts.host.has(operation);
  }

  /** Handles one request. Never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse, awaitsContinue = false): Promise<void> {
    if (this.#parts.board.isDraining) response.shouldKeepAlive = false;
    try {
      await this.#serve(request, response, awaitsContinue);
    } catch (error) {
      sendFailure(request, response, this.#toFailure(error, response));
    }
  }

  /** Refuses new jobs and waits for running jobs, or stops them after the drain time. */
  async drain(): Promise<void> {
    await this.#parts.board.drain(this.#parts.settings.drainSeconds * 1000);
  }

  async close(): Promise<void> {
    this.#parts.board.close();
    await this.#parts.host.close();
    await this.#spool.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): Promise<void> {
    const path = readPath(request.url ?? "/");
    const found = this.#routes.map((route) => ({ route, match: route.path.exec(path) })).find(({ match }) => match);
    const isOptions = request.method === "OPTIONS";
    if (!isOptions && found?.route.isOpen !== true) this.#authorizer.check(request);
    if (found === undefined) throw new ParticipantFailure("NOT_FOUND", "unknown path");
    const { methods, serve } = found.route;
    if (isOptions) {
      response.writeHead(204, { allow: methods.join(", ") }).end();
      return;
    }
    if (!methods.includes(request.method ?? "")) throw notAllowed(request.method ?? "", methods);
    await serve(this.#parts, { request, response, awaitsContinue, jobId: found.match?.groups?.jobId ?? "" });
  }

  #toFailure(error: unknown, response: ServerResponse): ParticipantFailure {
    if (error instanceof ParticipantFailure) return error;
    // If the caller disconnects, reading its body fails. Don't log that as an error.
    if (!response.destroyed) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#parts.settings.logger.error(`request failed: ${text}`);
    }
    return new ParticipantFailure("HANDLER_ERROR", "the participant failed", { cause: error });
  }
}

const MAX_JOBS = 1000;
const EXIT_DELAY_MS = 500;

function operationRoute(operation: Operation | "call"): Route["serve"] {
  return (parts, exchange) => serveOperation(parts, exchange, operation);
}

/** Returns the path. Forward proxies send an absolute URL, which every server must accept. */
function readPath(target: string): string {
  const [path = "/"] = target.split("?", 1);
  return path.replace(/^https?:\/\/[^/]+/i, "");
}

function notAllowed(method: string, methods: readonly string[]): ParticipantFailure {
  const useful = methods.filter((name) => name !== "HEAD" && name !== "OPTIONS");
  const message = `${method} is not allowed here; use ${useful.join(" or ")}`;
  return new ParticipantFailure("METHOD_NOT_ALLOWED", message, { headers: { allow: methods.join(", ") } });
}

function onStuck({ forceExit, logger, workerModule }: ParticipantSettings, job: Job): void {
  // The host terminates worker threads itself.
  if (workerModule !== undefined) return;
  logger.error(`${job.operation} did not stop when requested; its slot stays occupied until it ends`);
  // The delay lets the error response be sent first.
  if (forceExit) setTimeout(() => process.exit(1), EXIT_DELAY_MS);
}
