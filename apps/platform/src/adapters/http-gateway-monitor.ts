import type { IncomingMessage } from "node:http";
import type { GatewayReport } from "@tollgate/contracts/health.ts";
import type { DeploymentTest } from "@tollgate/contracts/management/deployment.ts";
import type { GatewayMonitor, GatewayStatus } from "../deployments/deployment-source.ts";
import { type GatewayAddress, requestGateway } from "./request-gateway.ts";

/** Maximum time that a page waits for the status report. After that, the page is shown without the report. */
const LOOK_LIMIT_MS = 2_500;
/** Maximum time for a slow model to produce one token. */
const TEST_LIMIT_MS = 110_000;
/** Pages opened at the same time share one report. */
const FRESH_MS = 1_000;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

interface MonitorParts {
  /** Returns null if no gateway URL is configured. */
  readonly address: () => GatewayAddress | null;
  readonly issuePass: () => Promise<string>;
  readonly now: () => number;
  /** Called with the error if no gateway could be reached. */
  readonly onAway: (error: unknown) => void;
}

/** Reads the status of one gateway. If the gateway doesn't respond, the status is null instead of an error. */
export function createGatewayMonitor(parts: MonitorParts): GatewayMonitor {
  let latest: { readonly atMs: number; readonly status: Promise<GatewayStatus | null> } | null = null;
  const look = async (): Promise<GatewayStatus | null> => {
    try {
      const answer = await ask(parts, "GET", "", AbortSignal.timeout(LOOK_LIMIT_MS));
      return answer?.status === 200 ? toProbeResult(JSON.parse(answer.text) as GatewayReport) : null;
    } catch (error) {
      parts.onAway(error);
      return null;
    }
  };
  return {
    look: () => {
      const nowMs = parts.now();
      if (latest === null || nowMs - latest.atMs > FRESH_MS) latest = { atMs: nowMs, status: look() };
      return latest.status;
    },
    test: async (deploymentId, signal) => {
      try {
        const limit = AbortSignal.any([signal, AbortSignal.timeout(TEST_LIMIT_MS)]);
        const path = `/deployments/${encodeURIComponent(deploymentId)}/test`;
        const answer = await ask(parts, "POST", path, limit);
        if (answer?.status === 404) return "unknown deployment";
        return answer?.status === 200 ? (JSON.parse(answer.text) as DeploymentTest) : null;
      } catch (error) {
        if (!signal.aborted) parts.onAway(error);
        return null;
      }
    },
  };
}

function toProbeResult({ deployments, ...figures }: GatewayReport): GatewayStatus {
  return { ...figures, deployments: new Map(deployments.map(({ id, ...state }) => [id, state])) };
}

async function ask(parts: MonitorParts, method: string, path: string, signal: AbortSignal) {
  const address = parts.address();
  if (address === null) return null;
  const pass = await parts.issuePass();
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { "x-gw-internal": pass, "content-length": 0 };
  requestGateway(address, `/internal/health${path}`, { method, agent: false, signal, headers })
    .once("response", resolve)
    .once("error", reject)
    .end();
  const response = await promise;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error("the gateway report exceeds the size limit");
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") };
}
