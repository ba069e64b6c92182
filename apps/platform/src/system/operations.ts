import { ping } from "@tollgate/db/ping.ts";
import Type from "typebox";
import { type ManagementOperation, operation, read } from "../operation.ts";
import { getAgentGuide } from "./get-agent-guide.ts";
import { getOpenApi } from "./get-openapi.ts";

const Status = Type.Object({ status: Type.String() });

/**
 * Operations about the platform itself. The OpenAPI document describes all operations, so it needs the complete list.
 */
export function systemOperations(listOperations: () => readonly ManagementOperation[]): readonly ManagementOperation[] {
  return [getHealth, getReadiness, getAgentGuide, getOpenApi(listOperations)];
}

const getHealth = operation({
  ...read,
  id: "getPlatformHealth",
  summary: "Check liveness",
  tag: "system",
  path: "/api/health",
  auth: "none",
  scope: "own",
  rate: "unlimited",
  answers: { 200: { description: "The process is alive", schema: Status } },
  handle: async () => ({ status: 200, body: { status: "ok" } }),
});

const getReadiness = operation({
  ...read,
  id: "getPlatformReadiness",
  summary: "Check readiness",
  tag: "system",
  path: "/api/ready",
  auth: "none",
  scope: "own",
  rate: "unlimited",
  answers: { 200: { description: "The database is reachable", schema: Status } },
  handle: async (_input, { db }) => {
    await ping(db);
    return { status: 200, body: { status: "ready" } };
  },
});
