import { join } from "node:path";
import type { TlsOptions } from "@tollgate/participant/client/http-connection.ts";
import type { JsonValue } from "@tollgate/participant/handlers.ts";
import { isLoopback } from "@tollgate/participant/participant/loopback.ts";
import { startLocalParticipants, stopLocalParticipants } from "../local/start-local-participants.ts";
import { type Environment, readTlsFiles, resolveTokens } from "../participants/fleet.ts";
import type { Plan } from "../plan/plan.ts";
import { parsePlan } from "../plan/read-plan.ts";
import { findPlan } from "../project/find-plan.ts";
import { readProject } from "../project/read-project.ts";
import type { CheckedParticipant } from "./check-participant.ts";

export interface CheckTarget {
  readonly participant: CheckedParticipant;
  readonly url: string;
  readonly token: string | null;
  readonly isPlainAllowed: boolean;
  readonly tls: TlsOptions | undefined;
}

interface Targets {
  readonly list: readonly CheckTarget[];
  /** Stops the participants that were started for the check. */
  close(): Promise<void>;
}

interface FindOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Folder for the logs of participants started for the check. */
  readonly dir: string;
  readonly signal: AbortSignal;
}

/** Thrown for an invalid URL, or a URL that must not be called. */
export class AddressRefused extends Error {}

/**
 * Resolves the participants to check: the participant at a URL, or all participants in a plan. Starts local
 * participants.
 */
export async function findTargets(cwd: string, asked: string | undefined, options: FindOptions): Promise<Targets> {
  const { env } = options;
  if (asked !== undefined && /^https?:\/\//.test(asked)) {
    checkAddress(asked);
    const participant: CheckedParticipant = {
      id: new URL(asked).host,
      roles: null,
      dataset: null,
      config: {},
      tokenEnv: null,
      // A single participant may use its own parameter format.
      format: "opaque",
      logFile: null,
    };
    const token = env.PARTICIPANT_TOKEN?.split(",")[0] || null;
    return { list: [{ participant, url: asked, token, isPlainAllowed: false, tls: undefined }], close: async () => {} };
  }
  const project = readProject(findPlan(cwd, asked).file);
  if (project.local === null) {
    const plan = parsePlan(project.value, project);
    return { list: targetsOf(plan, env, null), close: async () => {} };
  }
  const { folder, local } = project;
  const started = await startLocalParticipants({ plan: local, folder, ...options });
  const close = () => stopLocalParticipants(started);
  try {
    const participants = started.map(({ id, url }) => ({ id, url, tokenEnv: id }));
    const plan = parsePlan({ ...project.value, participants }, project);
    const tokens = Object.fromEntries(started.map(({ id, token }) => [id, token]));
    return { list: targetsOf(plan, tokens, options.dir), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function checkAddress(url: string): void {
  const host = URL.parse(url)?.hostname ?? "";
  if (host === "") throw new AddressRefused(`Invalid URL '${url}'.\n  Fix:  Use a URL such as http://127.0.0.1:5000`);
  if (url.startsWith("http:") && !isLoopback(host)) {
    throw new AddressRefused(
      `${url} uses plain HTTP to another machine, which exposes the token and parameters on the network.\n  Fix:  Use https, or check a plan that sets insecure: true for this participant`,
    );
  }
}

function targetsOf(plan: Plan, env: Environment, logFolder: string | null): CheckTarget[] {
  const tokens = resolveTokens(plan, env);
  const { config, aggregate } = plan;
  return plan.participants.map((participant) => {
    const { id, url, roles, dataset, tokenEnv, insecure } = participant;
    return {
      participant: {
        id,
        roles,
        dataset: dataset as JsonValue,
        config,
        tokenEnv,
        format: aggregate.format,
        logFile: logFolder === null ? null : join(logFolder, "participants", `${id}.log`),
      },
      url,
      token: tokens.get(id) ?? null,
      isPlainAllowed: insecure,
      tls: readTlsFiles(participant),
    };
  });
}
