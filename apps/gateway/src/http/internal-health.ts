import type { IncomingMessage, ServerResponse } from "node:http";
import type { GatewayReport } from "@tollgate/contracts/health.ts";
import type { DeploymentTest } from "@tollgate/contracts/management/deployment.ts";
import type { CallTiming } from "@tollgate/contracts/management/performance.ts";
import type { Probe } from "../health/probe-deployment.ts";
import { mergeMetrics } from "../metrics/merge-metrics.ts";
import { readGauge, readPercentile } from "../metrics/read-metrics.ts";
import type { InternalCallers } from "../pipeline/authenticate.ts";
import type { MountedHandler } from "./mounted-handler.ts";

interface InternalHealthParts {
  readonly gateway: () => {
    deploymentStates(): GatewayReport["deployments"];
    /** Returns null if the ID is unknown. */
    testDeployment(id: string): Promise<Probe | null>;
    writeMetrics(): Promise<string>;
  };
  readonly callers: InternalCallers;
  /** Returns the metrics of this instance's other gateway processes, each as text. */
  readonly peerMetrics: () => Promise<readonly string[]>;
  readonly now: () => number;
}

const PREFIX = "/internal/health";
const PURPOSE = "platform.health";
const TEST_PATH = /^\/internal\/health\/deployments\/([^/?]+)\/test$/;
const MS_PER_SECOND = 1_000;

/** Adds internal health endpoints to a gateway's server. Only processes of this instance can call them. */
export function withInternalHealth(mounted: MountedHandler | null, parts: InternalHealthParts): MountedHandler {
  return {
    ...mounted,
    prefixes: [PREFIX, ...(mounted?.prefixes ?? [])],
    handle: (request, response) => {
      if (!isOurs(request)) return mounted?.handle(request, response);
      answer(request, response, parts).catch(() => {
        // The request may fail because internal tokens can't be validated while the database is unavailable.
        if (response.headersSent) response.destroy();
        else send(response, 503, {});
      });
    },
    ...(mounted?.refuseRead && {
      refuseRead: (request, response) =>
        isOurs(request) ? send(response, 503, {}) : mounted.refuseRead?.(request, response),
    }),
    ...(mounted?.isAlwaysServed && {
      isAlwaysServed: (url) => !isOurs({ url }) && mounted.isAlwaysServed?.(url) === true,
    }),
  };
}

function isOurs({ url = "" }: Pick<IncomingMessage, "url">): boolean {
  return url === PREFIX || url.startsWith(`${PREFIX}/`);
}

async function answer(request: IncomingMessage, response: ServerResponse, parts: InternalHealthParts): Promise<void> {
  // Hide the endpoints from all other callers.
  if (!(await isInvited(request, parts.callers))) return send(response, 404, {});
  const { method, url = "" } = request;
  if (method === "GET" && url === PREFIX) return send(response, 200, await report(parts));
  const tested = TEST_PATH.exec(url)?.[1];
  if (method !== "POST" || tested === undefined) return send(response, 404, {});
  const test = await testDeployment(decodeURIComponent(tested), parts);
  return test === null ? send(response, 404, {}) : send(response, 200, test);
}

async function isInvited({ socket, headers }: IncomingMessage, callers: InternalCallers): Promise<boolean> {
  const pass = headers["x-gw-internal"];
  if (typeof pass !== "string" || !callers.isInternal(socket.remoteAddress ?? "", socket.localAddress ?? "")) {
    return false;
  }
  return (await callers.read(pass))?.endpoint === PURPOSE;
}

async function report({ gateway, peerMetrics }: InternalHealthParts): Promise<GatewayReport> {
  // If a process doesn't respond in time, return only this process's metrics instead of an error.
  const peers = await peerMetrics().catch(() => []);
  const metrics = mergeMetrics([await gateway().writeMetrics(), ...peers]);
  const overhead = (share: number) => {
    const seconds = readPercentile(metrics, "gw_overhead_latency_metric", share);
    return seconds === null ? null : round(seconds * MS_PER_SECOND);
  };
  return {
    deployments: gateway()
      .deploymentStates()
      .map(({ id, cooledUntilMs, isUnhealthy }) => ({ id, cooledUntilMs, isUnhealthy })),
    inFlight: readGauge(metrics, "gw_in_flight_requests"),
    queueDepth: readGauge(metrics, "gw_waiting_requests"),
    overheadP50Ms: overhead(0.5),
    overheadP95Ms: overhead(0.95),
  };
}

async function testDeployment(id: string, { gateway, now }: InternalHealthParts): Promise<DeploymentTest | null> {
  const startedMs = now();
  const probe = await gateway().testDeployment(id);
  if (probe === null) return null;
  const latencyMs = now() - startedMs;
  const { error, answer } = probe;
  return {
    ok: error === null,
    status: answer?.status ?? null,
    message: error ?? "The deployment responds.",
    latencyMs: Math.round(latencyMs),
    firstTokenMs: answer === null ? null : Math.round(answer.beganAfterMs),
    timing: answer === null ? null : toTiming(answer, latencyMs),
  };
}

function toTiming({ beganAfterMs, endedAfterMs }: NonNullable<Probe["answer"]>, latencyMs: number): CallTiming {
  return {
    gatewayBeforeMs: round(Math.max(0, latencyMs - endedAfterMs)),
    queueMs: 0,
    failedMs: 0,
    firstTokenMs: round(beganAfterMs),
    generationMs: round(endedAfterMs - beganAfterMs),
    gatewayAfterMs: 0,
  };
}

/** Rounds to microseconds. */
const round = (milliseconds: number): number => Math.round(milliseconds * 1_000) / 1_000;

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}
