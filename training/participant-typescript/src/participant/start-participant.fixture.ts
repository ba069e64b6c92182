import { onTestFinished } from "vitest";
import type { JsonObject } from "../handlers.ts";
import type { ParticipantFunctions } from "./function-host.ts";
import { Participant } from "./participant.ts";
import type { ParticipantOptions } from "./participant-options.ts";
import type { RunningParticipant } from "./running-participant.ts";

/** Test functions, which may return invalid values. */
export type TestFunctions = {
  [Name in keyof ParticipantFunctions]: (...args: Parameters<NonNullable<ParticipantFunctions[Name]>>) => unknown;
};

/** Starts a quiet participant on a free port and closes it after the test. Defaults to the example's functions. */
export async function startParticipant(
  functions: TestFunctions = {},
  options: ParticipantOptions = {},
): Promise<RunningParticipant> {
  const participant = new Participant({
    port: 0,
    graceSeconds: 0.2,
    drainSeconds: 0,
    logger: { info() {}, warn() {}, error() {} },
    ...options,
  });
  const { train, evaluate, aggregate } = functions as ParticipantFunctions;
  if (options.workers !== true) {
    participant.registerTrain(train ?? ((parameters) => parameters ?? Uint8Array.of(0)));
    participant.registerEvaluate(evaluate ?? (() => 0.5));
    participant.registerAggregate(aggregate ?? (([first = Uint8Array.of(0)]) => first));
  }
  const running = await participant.run({ require: [], signals: false });
  onTestFinished(() => running.close());
  return running;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

/** Posts JSON and returns the JSON response. */
export async function post(
  url: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Answer> {
  const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body), signal });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as JsonObject };
}
