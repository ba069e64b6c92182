import type { TestPlatform } from "@tollgate/platform/platform.fixture.ts";
import { Random } from "../../random.ts";
import { type Action, drawAction } from "./actions.ts";
import { compare, readRights, takeSnapshot } from "./snapshot.ts";
import { buildWorld, type World } from "./world.ts";

const MAX_CALLS = 20;

export interface SequenceReport {
  readonly calls: number;
  /** Number of allowed calls that changed something. */
  readonly changes: number;
  readonly refusals: number;
  /** The problem, with the calls that led to it; null if no problem was found. */
  readonly complaint: string | null;
}

/** Runs one sequence of calls by all roles and checks that no user gains a permission that the rules do not grant. */
export async function runSequence(platform: TestPlatform, seed: number): Promise<SequenceReport> {
  const random = new Random(seed);
  const world = await buildWorld(platform);
  const story: string[] = [];
  let [calls, changes, refusals] = [0, 0, 0];
  let before = await takeSnapshot(world);
  for (const length = random.integer(5, MAX_CALLS); calls < length; calls += 1) {
    const action = drawAction(world, before, random);
    const rights = readRights(before);
    const isAllowed = action.isAllowed(rights);
    const { status, text } = await play(world, action);
    const after = await takeSnapshot(world);
    const changed = compare(before, after);
    story.push(
      `${action.actor} ${action.name} ${action.method} ${action.path} ${JSON.stringify(action.body ?? {})} → ${status}`,
    );
    const complaint = judge(action, isAllowed, status, text, changed);
    if (complaint !== null) {
      return { calls, changes, refusals, complaint: `seed ${seed}: ${complaint}\n  ${story.join("\n  ")}` };
    }
    if (changed.length > 0) changes += 1;
    if (status >= 400) refusals += 1;
    before = after;
  }
  return { calls, changes, refusals, complaint: null };
}

function play(world: World, action: Action) {
  const { method, path, body, headers } = action;
  const { token } = world.actors[action.actor];
  return world.platform.api(method, path, { token, body, ...(headers && { headers }) });
}

function judge(
  action: Action,
  isAllowed: boolean,
  status: number,
  text: string,
  changed: readonly string[],
): string | null {
  if (status >= 500) return `a fault: ${text}`;
  if (!isAllowed && status < 400) return `not allowed, and answered ${status}`;
  if ((!isAllowed || status >= 400) && changed.length > 0)
    return `refused or not allowed, and changed ${changed.join(", ")}`;
  const { organizationId } = action;
  const foreign = organizationId === null ? [] : changed.filter((name) => reaches(name, organizationId));
  if (foreign.length > 0) return `changed rows of another organization: ${foreign.join(", ")}`;
  if (isAllowed && text.includes("ROLE_REQUIRED")) return "allowed by the rules, and refused for the role";
  return null;
}

/** Reports whether a row belongs to another organization. */
function reaches(name: string, organizationId: string): boolean {
  const owner = /org_[0-9A-Z]+/.exec(name)?.[0];
  return owner !== undefined && owner !== organizationId;
}
