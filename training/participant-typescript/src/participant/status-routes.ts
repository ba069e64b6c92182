import { readFile } from "node:fs/promises";
import { OPERATIONS } from "../handlers.ts";
import { JSON_TYPE } from "../wire/wire-body.ts";
import { sendJson } from "./answer.ts";
import type { Exchange, ParticipantParts } from "./exchange.ts";
import { viewCurrent } from "./job-view.ts";

const API_VERSION = "1";
const SDK = "typescript/0.2.0";
/** This file is next to `src` in the repository and next to `dist` in the published package. */
const SCHEMA_FILE = new URL("../../participant-openapi.json", import.meta.url);

/** Reports whether the participant accepts work. */
export function serveHealth({ board }: ParticipantParts, { response }: Exchange): void {
  if (board.isDraining) sendJson(response, 503, { status: "draining" });
  else sendJson(response, 200, { status: "ok" });
}

/** Returns the participant's functions, current job, and limits. */
export function serveStatus({ settings, host, board }: ParticipantParts, { response }: Exchange): void {
  const { maxJsonBytes, maxFrameBytes, maxEntries } = settings.limits;
  const { current } = board;
  sendJson(response, 200, {
    apiVersion: API_VERSION,
    sdk: SDK,
    handlers: Object.fromEntries(OPERATIONS.map((operation) => [operation, host.has(operation)])),
    busy: current !== undefined,
    current: current === undefined ? null : viewCurrent(current),
    queue: board.queued,
    limits: { maxJsonBytes, maxFrameBytes, maxEntries, maxSeconds: { ...settings.maxSeconds } },
    datasets: settings.datasets.describe(),
    formats: ["json", "frames"],
  });
}

/** Serves the OpenAPI document of this API. */
export async function serveSchema(_parts: ParticipantParts, { response }: Exchange): Promise<void> {
  const text = await readFile(SCHEMA_FILE);
  response.writeHead(200, { "content-type": JSON_TYPE, "content-length": text.length }).end(text);
}
