import type { Bytes } from "@tollgate/participant/handlers.ts";
import { expect, test } from "vitest";
import { seededRandom } from "./participants/seeded-random.ts";
import { planOf, readWeights, runPlan, startTrainer, type Trainer, writeWeights } from "./test-fleet.fixture.ts";

const PARTICIPANTS = 10;
const POISONED = 2;
const FEATURES = 3;
const ROWS = 60;
const TRUTH = [1.5, -2, 1];
const ROUNDS = 8;

type Attack = (trained: readonly number[], start: readonly number[]) => readonly number[];

// Each attacker moves five times its own step backward. This looks harmless, but exceeds the combined forward steps of
// the eight honest participants.
const attacks: Record<string, Attack> = {
  "sign flip": (trained, start) => trained.map((weight, at) => (start[at] ?? 0) - 5 * (weight - (start[at] ?? 0))),
  "×1000": (trained, start) => trained.map((weight, at) => (start[at] ?? 0) - 1000 * (weight - (start[at] ?? 0))),
  NaN: (trained) => trained.map(() => Number.NaN),
};

test("with a fifth of the participants poisoned, trimmed mean stays within 2 points of the clean run", async () => {
  const clean = await reachedAccuracy("fedavg", null);
  expect(clean).toBeGreaterThan(0.85);
  for (const [name, attack] of Object.entries(attacks)) {
    const reached = await reachedAccuracy("trimmed_mean(0.2)", attack);
    expect({ name, isClose: reached > clean - 0.02 }).toEqual({ name, isClose: true });
  }
});

test("the plain mean fails under an attack that the trimmed mean withstands", async () => {
  expect(await reachedAccuracy("fedavg", attacks["sign flip"] ?? null)).toBeLessThan(0.5);
});

async function reachedAccuracy(method: string, attack: Attack | null): Promise<number> {
  const urls = await Promise.all(
    Array.from({ length: PARTICIPANTS }, (_, index) =>
      startTrainer(logisticTrainer(index, index < POISONED ? attack : null)),
    ),
  );
  const plan = planOf(urls, {
    run: { rounds: ROUNDS },
    aggregate: { method },
    evaluate: { every: ROUNDS },
    round: { maxConcurrent: 10 },
  });
  const { events } = await runPlan(plan);
  const evaluated = events.findLast((event) => event.type === "evaluated");
  return evaluated?.accuracy ?? Number.NaN;
}

/**
 * Logistic regression on this participant's own rows, all drawn from the same distribution. The attack changes the
 * returned result.
 */
function logisticTrainer(index: number, attack: Attack | null): Trainer {
  const rows = makeRows(`train ${index}`);
  const measured = makeRows(`evaluate ${index}`);
  return {
    train(parameters) {
      const start = weightsOf(parameters);
      const trained = descend(start, rows);
      return writeWeights(attack === null ? trained : attack(trained, start));
    },
    evaluate(parameters) {
      const weights = weightsOf(parameters);
      const right = measured.filter(({ features, label }) => (predict(weights, features) > 0.5 ? 1 : 0) === label);
      return right.length / measured.length;
    },
  };
}

interface Example {
  readonly features: readonly number[];
  readonly label: number;
}

function makeRows(purpose: string): Example[] {
  const random = seededRandom(1, purpose);
  return Array.from({ length: ROWS }, () => {
    const features = Array.from({ length: FEATURES }, () => random() * 4 - 2);
    return { features, label: predict(TRUTH, features) > random() * 0.4 + 0.3 ? 1 : 0 };
  });
}

function descend(start: readonly number[], rows: readonly Example[]): number[] {
  const weights = [...start];
  for (let step = 0; step < 20; step += 1) {
    const gradient = weights.map(() => 0);
    for (const { features, label } of rows) {
      const error = predict(weights, features) - label;
      for (const [at, feature] of features.entries()) gradient[at] = (gradient[at] ?? 0) + error * feature;
    }
    for (const [at, slope] of gradient.entries()) weights[at] = (weights[at] ?? 0) - (0.5 * slope) / rows.length;
  }
  return weights;
}

function predict(weights: readonly number[], features: readonly number[]): number {
  return 1 / (1 + Math.exp(-features.reduce((sum, feature, at) => sum + feature * (weights[at] ?? 0), 0)));
}

function weightsOf(parameters: Bytes | null): number[] {
  return parameters === null ? new Array<number>(FEATURES).fill(0) : readWeights(parameters);
}
