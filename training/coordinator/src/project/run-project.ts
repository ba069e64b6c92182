import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunOutcome } from "../conduct-run.ts";
import { Coordinator } from "../coordinator.ts";
import { findLockHolder, RunIsLocked } from "../journal/run-lock.ts";
import type { LocalParticipant } from "../local/local-participant.ts";
import { listParticipants, startLocalParticipants, stopLocalParticipants } from "../local/start-local-participants.ts";
import { parsePlan } from "../plan/read-plan.ts";
import type { RunEvent } from "../run-events.ts";
import { makeFolder } from "./make-folder.ts";
import { NotFound } from "./not-found.ts";
import { type Project, splitProject } from "./read-project.ts";

interface RunProjectOptions {
  readonly dir: string;
  readonly runId: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly isResumed: boolean;
  onEvent(event: RunEvent): void;
  /** Called for each local participant when it starts, and again after each restart. */
  onStarted(participant: LocalParticipant): void;
}

const PROJECT_FILE = "project.json";

/**
 * Runs all rounds of a project and starts local participants if the plan has them. All local participants are stopped
 * when the run ends.
 */
export async function runProject(project: Project, options: RunProjectOptions): Promise<RunOutcome> {
  const { dir, runId, env, signal } = options;
  checkPlanFirst(project);
  // Check before starting or writing anything: the folder of a run in progress must not be touched.
  const holder = await findLockHolder(dir);
  if (holder !== null) throw new RunIsLocked(dir, holder);
  makeFolder(dir);
  if (!options.isResumed) writeProject(dir, project);
  const local = await startLocal(project, options);
  try {
    const plan = parsePlan({ ...project.value, ...participantsOf(local) }, project);
    const coordinator = new Coordinator(plan, {
      dir,
      runId,
      env: { ...env, ...tokensOf(local) },
      onEvent: options.onEvent,
      describeFailure: (id) => local.find((participant) => participant.id === id)?.absence ?? null,
      revive: async (id, stopped) => {
        const participant = local.find((one) => one.id === id);
        if (participant === undefined || !(await participant.restart(stopped))) return;
        listParticipants(dir, local);
        options.onStarted(participant);
      },
    });
    return options.isResumed ? await coordinator.resume(signal) : await coordinator.run(signal);
  } finally {
    await stopLocalParticipants(local);
  }
}

/** Reads the project that a run was started with, so that the run resumes with the same settings. */
export function readRunProject(dir: string): Project {
  const path = join(dir, PROJECT_FILE);
  if (!existsSync(path)) throw new NotFound(`The plan of this run is missing: ${path}`);
  const { folder, plan } = JSON.parse(readFileSync(path, "utf8")) as { folder: string; plan: unknown };
  return splitProject(plan, folder);
}

function writeProject(dir: string, { folder, local, value }: Project): void {
  const plan = local === null ? value : { ...value, local };
  writeFileSync(join(dir, PROJECT_FILE), `${JSON.stringify({ folder, plan }, null, 2)}\n`);
}

/** Validates the plan before any participant is started. */
function checkPlanFirst(project: Project): void {
  if (project.local === null) {
    parsePlan(project.value, project);
    return;
  }
  const stand = Array.from({ length: project.local.participants }, (_, index) => ({
    id: `p${index + 1}`,
    url: "http://127.0.0.1:1",
  }));
  parsePlan({ ...project.value, participants: stand }, project);
}

async function startLocal({ local, folder }: Project, options: RunProjectOptions): Promise<LocalParticipant[]> {
  if (local === null) return [];
  const { dir, env, signal } = options;
  const started = await startLocalParticipants({ plan: local, folder, dir, env, signal });
  for (const participant of started) options.onStarted(participant);
  return started;
}

function participantsOf(local: readonly LocalParticipant[]) {
  if (local.length === 0) return {};
  return { participants: local.map(({ id, url }) => ({ id, url, tokenEnv: tokenVariable(id) })) };
}

/** Passes tokens in a separate environment, so that no file and no other process contains them. */
function tokensOf(local: readonly LocalParticipant[]): Record<string, string> {
  return Object.fromEntries(local.map(({ id, token }) => [tokenVariable(id), token]));
}

const tokenVariable = (id: string) => `LOCAL_TOKEN_${id.toUpperCase()}`;
