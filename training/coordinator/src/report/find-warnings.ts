import type { RunHistory } from "../run-history.ts";
import { extremes } from "./extremes.ts";
import { ownRound } from "./own-round.ts";

const TIMES_SLOWER = 3;
const MIN_ROUNDS = 3;

/** Returns warnings for readers of the report, one sentence each. */
export function findWarnings(history: RunHistory): string[] {
  return [...quarantined(history), ...rejected(history), ...failed(history), ...stragglers(history), ...said(history)];
}

function quarantined({ participants }: RunHistory): string[] {
  return participants
    .filter((participant) => participant.quarantined)
    .map(({ id }) => `${id} is quarantined: it failed three rounds in a row and is retried every five rounds.`);
}

function rejected({ rounds }: RunHistory): string[] {
  const numbers = rounds.filter(({ state }) => state === "rejected").map(({ round }) => round);
  if (numbers.length === 0) return [];
  return [`The gate rejected ${inRounds(numbers.length)} (${numbers.join(", ")}) and kept the previous parameters.`];
}

function failed({ rounds, participants }: RunHistory): string[] {
  return participants.flatMap(({ id }) => {
    const failures = rounds.flatMap((round) => {
      const failure = ownRound(round, id)?.failure;
      return failure ? [{ round: round.round, reason: failure.reason }] : [];
    });
    const last = failures.at(-1);
    if (last === undefined) return [];
    return [`${id} failed in ${inRounds(failures.length)}, most recently in round ${last.round}: ${last.reason}`];
  });
}

/** Finds participants whose training always takes several times as long as the next-slowest participant's. */
function stragglers({ rounds, participants }: RunHistory): string[] {
  const slowest = rounds.map(({ participants: own }) => {
    const [first, second] = own
      .flatMap(({ id, train }) => (train === null ? [] : { id, durationMs: train.durationMs }))
      .toSorted((a, b) => b.durationMs - a.durationMs);
    return first === undefined || second === undefined
      ? null
      : { id: first.id, ratio: first.durationMs / Math.max(1, second.durationMs) };
  });
  const candidates = new Set(slowest.flatMap((one) => one?.id ?? []));
  return participants.flatMap(({ id }) => {
    if (!candidates.has(id)) return [];
    const ratios = rounds.flatMap((round, index) => {
      if (!ownRound(round, id)?.train || slowest[index] === null) return [];
      return slowest[index]?.id === id ? [slowest[index].ratio] : [1];
    });
    const { min } = extremes(ratios);
    if (ratios.length < MIN_ROUNDS || min < TIMES_SLOWER) return [];
    return [`${id} takes at least ${Math.floor(min)} times as long as any other participant.`];
  });
}

/**
 * Lists the coordinator's own warnings, such as capped shares and skewed data. Each warning is listed once, with its
 * rounds.
 */
function said({ rounds }: RunHistory): string[] {
  const found = new Map<string, number[]>();
  for (const { round, warnings } of rounds) {
    for (const warning of warnings) found.set(warning, [...(found.get(warning) ?? []), round]);
  }
  return [...found].map(
    ([warning, numbers]) => `${warning} (${numbers.length === 1 ? "round" : "rounds"} ${listRounds(numbers)})`,
  );
}

const MAX_LISTED = 8;

function listRounds(numbers: readonly number[]): string {
  if (numbers.length <= MAX_LISTED) return numbers.join(", ");
  return `${numbers.slice(0, MAX_LISTED).join(", ")} and ${numbers.length - MAX_LISTED} more`;
}

const inRounds = (count: number) => (count === 1 ? "1 round" : `${count} rounds`);
