import { onTestFinished } from "vitest";
import type { JsonObject } from "../handlers.ts";
import type { ParticipantFunctions } from "./function-host.ts";
import { Participant } from "./participant.ts";
import type { ParticipantOptions } from "./participant-options.ts";
import type { RunningParticipant } from "./running-participant.ts";

/** Functions as a test gives them: also such that return what they should not. */
export type TestFunctions = {
  [Name in keyof ParticipantFunctions]: (...args: Parameters<NonNullable<ParticipantFunctions[Name]>>) => unknown;
};

/** A participant on a free port, quiet, closed when the test ends. Functions not given behave as the example's. */
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

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

/** Posts JSON and reads JSON. */
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
