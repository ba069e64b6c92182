import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "../testkit/src/wait-for.ts";
import { compareMutations } from "./compare-mutations.ts";
import type { RandomSource } from "./mutate-request.ts";
import { Exchange } from "./play/exchange.ts";
import { readJson } from "./play/match-answer.ts";
import { type Outcome, playCase } from "./play/play-case.ts";
import { SDKS, type Sdk, Subject } from "./play/subject.ts";
import type { ParticipantProfile, RecordedCase } from "./recorded-case.ts";

export interface ParticipantSummary {
  readonly cases: number;
  /** Number of damaged requests sent to both SDKs. */
  readonly mutations: number;
  readonly sdks: readonly Sdk[];
}

/** Receives the result of each check. */
interface ParticipantReport {
  /** Runs one check. It passes unless it throws. */
  check(suite: "participant", name: string, run: () => Promise<void>): Promise<unknown>;
  /** Records a check that ran elsewhere; `problem` is null if it passed. */
  record(suite: "participant", name: string, problem: string | null): void;
}

/** The damaged requests: their number, and the random source with the seed that it was created from. */
interface MutationPlan {
  readonly count: number;
  readonly seed: number;
  readonly random: RandomSource;
}

const DEFAULT_PROFILE = "open";

/**
 * Plays every recorded case against both SDKs. Each SDK must respond as recorded, and both must respond identically.
 */
export async function runParticipant(
  report: ParticipantReport,
  { count, seed, random }: MutationPlan,
): Promise<ParticipantSummary> {
  const cases = readCases();
  const played = await Promise.all(SDKS.map((sdk) => playAll(sdk, cases)));
  for (const [index, { name }] of cases.entries()) {
    const outcomes = played.map((outcomesOfSdk) => outcomesOfSdk[index] as Outcome);
    report.record("participant", name, describe(outcomes));
  }
  await report.check(
    "participant",
    `${count} damaged requests get the same verdict from both (seed ${seed})`,
    async () => {
      const problems = await compareMutations(readProfiles().datasets ?? {}, count, random);
      if (problems.length > 0) throw new Error(problems.join("\n"));
    },
  );
  return { cases: cases.length, mutations: count, sdks: SDKS };
}

/** Returns all recorded cases, grouped by participant. */
function readCases(): readonly RecordedCase[] {
  const folder = join(import.meta.dirname, "cases");
  const files = globSync("*.json", { cwd: folder }).sort();
  const cases = files.flatMap((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as RecordedCase[]);
  const twice = cases.find(({ name }, index) => cases.findIndex((other) => other.name === name) !== index);
  if (twice !== undefined) throw new Error(`two cases are named "${twice.name}"`);
  return cases;
}

async function playAll(sdk: Sdk, cases: readonly RecordedCase[]): Promise<Outcome[]> {
  const profiles = readProfiles();
  const running = new Map<string, Subject>();
  const outcomes: Outcome[] = [];
  try {
    for (const recorded of cases) {
      const name = recorded.with ?? DEFAULT_PROFILE;
      const profile = profiles[name];
      if (profile === undefined) throw new Error(`no participant is named ${name}`);
      const shared = recorded.alone === true ? undefined : running.get(name);
      const subject = shared?.isAlive === true ? shared : await Subject.start(sdk, profile);
      if (recorded.alone !== true) running.set(name, subject);
      outcomes.push(await playCase(subject, recorded));
      if (recorded.alone === true) await subject.stop();
      else await rest(subject, profile);
    }
  } finally {
    for (const subject of running.values()) await subject.stop();
  }
  return outcomes;
}

/** Waits until the participant is idle, before the next case. */
async function rest(subject: Subject, profile: ParticipantProfile): Promise<void> {
  const token = profile.environment?.PARTICIPANT_TOKEN?.split(",")[0];
  const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
  const isIdle = async () => {
    const answer = await new Exchange(subject.port, { path: "/status", headers }).answer;
    const body = readJson(answer.body) as { busy?: boolean } | undefined;
    return answer.status !== 200 || body?.busy === false;
  };
  // If a failed case has left a function at its gate, stop the participant. The remaining cases then fail.
  await waitFor("the participant to be idle", isIdle).catch(() => subject.stop());
}

function readProfiles(): Readonly<Record<string, ParticipantProfile>> {
  const text = readFileSync(join(import.meta.dirname, "participants.json"), "utf8");
  return JSON.parse(text) as Record<string, ParticipantProfile>;
}

function describe(outcomes: readonly Outcome[]): string | null {
  const problems = outcomes.flatMap(({ problems: own }, index) => own.map((problem) => `${SDKS[index]}: ${problem}`));
  if (problems.length > 0) return problems.join("\n");
  const [first, second] = outcomes.map(({ transcript }) => transcript);
  const differing = first?.findIndex((line, index) => line !== second?.[index]) ?? -1;
  if (differing < 0) return null;
  return `answer ${differing + 1} differs\n${SDKS[0]}: ${first?.[differing]}\n${SDKS[1]}: ${second?.[differing]}`;
}
