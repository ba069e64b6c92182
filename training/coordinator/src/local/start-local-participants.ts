import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { LocalParticipant } from "./local-participant.ts";
import { resolveCommand } from "./resolve-command.ts";

export interface LocalPlan {
  readonly participants: number;
  readonly command: readonly string[];
  /** Dataset file for the participants, relative to the project folder. */
  readonly dataset: string | null;
}

export interface StartLocalOptions {
  readonly plan: LocalPlan;
  /** Project folder, in which the command runs. */
  readonly folder: string;
  /** Run folder, for logs and process IDs. */
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

const TOKEN_BYTES = 24;

/**
 * Starts the participants of a local run and resolves when all of them respond. If one participant fails to start,
 * stops the others.
 */
export async function startLocalParticipants(options: StartLocalOptions): Promise<LocalParticipant[]> {
  const { plan, folder, dir, signal } = options;
  const { command, env } = await resolveCommand(plan.command, options.env, folder);
  const ports = await findFreePorts(plan.participants);
  mkdirSync(join(dir, "participants"), { recursive: true });
  const started = ports.map(
    (port, index) =>
      new LocalParticipant({
        id: `p${index + 1}`,
        port,
        token: randomBytes(TOKEN_BYTES).toString("base64url"),
        command,
        cwd: folder,
        env: {
          ...env,
          PARTICIPANT_INDEX: String(index),
          PARTICIPANT_COUNT: String(plan.participants),
          ...(plan.dataset === null ? {} : { DATASET_PATH: plan.dataset }),
        },
        logFile: join(dir, "participants", `p${index + 1}.log`),
      }),
  );
  try {
    await Promise.all(started.map((participant) => participant.ready(signal)));
  } catch (error) {
    await stopLocalParticipants(started);
    throw error;
  }
  listParticipants(dir, started);
  return started;
}

/** Writes the processes of a run to participants.json, for operators and tools. */
export function listParticipants(dir: string, participants: readonly LocalParticipant[]): void {
  const listed = participants.map(({ id, url, pid }) => ({ id, url, pid }));
  writeFileSync(join(dir, "participants.json"), `${JSON.stringify(listed, null, 2)}\n`);
}

/** Stops all participants concurrently. */
export async function stopLocalParticipants(participants: readonly LocalParticipant[]): Promise<void> {
  await Promise.all(participants.map((participant) => participant.stop()));
}

/** Finds free ports. Keeps each port open until all are found, so that the ports are distinct. */
async function findFreePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listenAnywhere()));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function listenAnywhere(): Promise<Server> {
  const { promise, resolve, reject } = Promise.withResolvers<Server>();
  const server = createServer();
  server.once("error", reject);
  server.listen(0, "127.0.0.1", () => resolve(server));
  return promise;
}
