import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Logger } from "../handlers.ts";
import type { ParticipantApi } from "./participant-api.ts";
import type { ParticipantSettings } from "./participant-settings.ts";

const MAX_CONNECTIONS = 512;
/** Time for clients to finish reading responses after all jobs have ended. */
const LAST_ANSWERS_MS = 5_000;
const IDLE_SWEEP_MS = 20;

const SERVER_OPTIONS: ServerOptions = {
  maxHeaderSize: 32 * 1024,
  headersTimeout: 20_000,
  // Bodies may take hours, and readRequestBody enforces progress.
  requestTimeout: 0,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
  // Detects callers whose machine died while waiting for a job.
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
};

export interface RunningParticipant {
  readonly url: string;
  readonly port: number;
  /** Refuses new jobs, gives running jobs `drainSeconds` to finish, stops the remaining jobs, and closes. */
  close(): Promise<void>;
}

/**
 * Starts listening. With `signals`, SIGTERM and SIGINT drain and exit the process. A second signal exits immediately.
 */
export async function listen(
  settings: ParticipantSettings,
  api: ParticipantApi,
  signals: boolean,
): Promise<RunningParticipant> {
  const server = openServer(settings, (request, response) => void api.handle(request, response));
  server.maxConnections = MAX_CONNECTIONS;
  server.on("checkContinue", (request, response) => void api.handle(request, response, true));
  server.on("checkExpectation", (request, response) => void api.handle(request, response));
  server.on("clientError", (_error, socket: Socket) => refuseMalformed(socket));
  await startListening(server, settings).catch(async (error: unknown) => {
    await api.close();
    throw error;
  });
  const { port } = server.address() as AddressInfo;

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= shutDown(server, api).finally(stopListening);
    return closing;
  };
  const stopListening = signals ? closeOnSignal(close, settings.logger) : () => {};
  return { url: formatUrl(settings, port), port, close };
}

function openServer({ tls }: ParticipantSettings, listener: RequestListener): Server {
  if (tls === undefined) return createServer(SERVER_OPTIONS, listener);
  const { cert, key, clientCa } = tls;
  const clients = clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true };
  return createTlsServer({ ...SERVER_OPTIONS, cert, key, minVersion: "TLSv1.2", ...clients }, listener);
}

function startListening(server: Server, { host, port }: ParticipantSettings): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (error: NodeJS.ErrnoException) => {
    reject(error.code === "EADDRINUSE" ? new Error(`port ${port} is in use; set PORT to another port`) : error);
  });
  server.listen(port, host, resolve);
  return promise;
}

async function shutDown(server: Server, api: ParticipantApi): Promise<void> {
  await api.drain();
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  // Clients keep idle connections open, because they don't know that they received the last response.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  const timer = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS);
  await closed.promise;
  clearInterval(sweep);
  clearTimeout(timer);
  await api.close();
}

/** Returns a function that removes the signal listeners. */
function closeOnSignal(close: () => Promise<void>, log: Logger): () => void {
  let count = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    count += 1;
    if (count > 1) process.exit(signal === "SIGINT" ? 130 : 143);
    log.info("stopping after the running jobs finish; send a second signal to stop immediately");
    void close().then(() => process.exit(0));
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  return () => {
    process.off("SIGTERM", onSignal);
    process.off("SIGINT", onSignal);
  };
}

/** Responds with JSON even to malformed HTTP. */
function refuseMalformed(socket: Socket): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify({ error: "the request is not valid HTTP", code: "VALIDATION_ERROR" });
  const head = ["HTTP/1.1 400 Bad Request", "content-type: application/json", `content-length: ${body.length}`];
  socket.end(`${head.join("\r\n")}\r\nconnection: close\r\n\r\n${body}`);
}

function formatUrl({ host, tls }: ParticipantSettings, port: number): string {
  return `${tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
