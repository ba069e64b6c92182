import { waitFor } from "../../testkit/src/wait-for.ts";
import type { ExpectedAnswer, RecordedCase, RecordedRequest, Step } from "../recorded-case.ts";
import { Exchange } from "./exchange.ts";
import { matchAnswer, readJson } from "./match-answer.ts";
import type { Answer } from "./read-answer.ts";
import type { Subject } from "./subject.ts";
import { writeTranscript } from "./write-transcript.ts";

/** Result of playing a case against one participant. */
export interface Outcome {
  readonly problems: readonly string[];
  /** Responses, without values that differ between runs. Both SDKs must produce the same transcript. */
  readonly transcript: readonly string[];
}

/** Plays the recorded conversation. Stops at the first step that differs from the recording. */
export async function playCase(subject: Subject, recorded: RecordedCase): Promise<Outcome> {
  const player = new Player(subject);
  let index = 0;
  try {
    for (const step of recorded.steps) {
      index += 1;
      const problems = await player.play(step);
      if (problems.length > 0) {
        return { problems: problems.map((problem) => `step ${index}: ${problem}`), transcript: player.transcript };
      }
    }
    return { problems: [], transcript: player.transcript };
  } catch (error) {
    return { problems: [`step ${index}: ${describe(error)}`], transcript: player.transcript };
  } finally {
    player.leaveAll();
  }
}

class Player {
  readonly transcript: string[] = [];
  readonly #subject: Subject;
  readonly #begun = new Map<string, Exchange>();
  readonly #kept = new Map<string, string>();

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  async play(step: Step): Promise<string[]> {
    if ("send" in step) {
      if (step.until === true) return this.#sendUntil(step);
      const answer = await this.#begin(step.send).answer;
      return this.#judge(answer, step);
    }
    if ("begin" in step) this.#begun.set(step.as, this.#begin(step.begin));
    else if ("answerOf" in step) return this.#judge(await this.#find(step.answerOf).answer, step);
    else if ("leave" in step) this.#find(step.leave).leave();
    else if ("open" in step) this.#subject.openGate(step.open);
    else if ("reached" in step) await this.#subject.gateReached(step.reached);
    else if ("signal" in step) this.#subject.kill(step.signal);
    else return this.#expectExit(step.exits);
    return [];
  }

  leaveAll(): void {
    for (const exchange of this.#begun.values()) exchange.leave();
  }

  #begin(request: RecordedRequest): Exchange {
    return new Exchange(this.#subject.port, this.#fillIn(request));
  }

  #find(name: string): Exchange {
    const exchange = this.#begun.get(name);
    if (exchange === undefined) throw new Error(`nothing was begun as ${name}`);
    return exchange;
  }

  #judge(answer: Answer, step: { expect: ExpectedAnswer; keep?: Readonly<Record<string, string>> }): string[] {
    const words = step.expect.inOwnWords === true ? "its own" : "the same";
    this.transcript.push(writeTranscript(answer, words, [...this.#kept.values()]));
    for (const [name, place] of Object.entries(step.keep ?? {})) this.#kept.set(name, readPlace(answer, place));
    return matchAnswer(answer, this.#fillIn(step.expect));
  }

  async #sendUntil(step: Extract<Step, { send: RecordedRequest }>): Promise<string[]> {
    const answer = await waitFor("the answer that was recorded", async () => {
      const candidate = await this.#begin(step.send).answer;
      const problems = matchAnswer(candidate, this.#fillIn(step.expect));
      if (problems.length > 0) throw new Error(problems.join("; "));
      return candidate;
    });
    return this.#judge(answer, step);
  }

  async #expectExit(code: number): Promise<string[]> {
    await waitFor("the process to end", () => !this.#subject.isAlive);
    const actual = await this.#subject.exited;
    return actual === code ? [] : [`it ended with ${actual} instead of ${code}`];
  }

  /** Replaces each `{{name}}` with the value saved under that name. */
  #fillIn<T>(value: T): T {
    const text = JSON.stringify(value).replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const kept = this.#kept.get(name);
      if (kept === undefined) throw new Error(`nothing was kept as ${name}`);
      return kept;
    });
    return JSON.parse(text) as T;
  }
}

/** Reads a header if the name contains a dash. Otherwise, reads a body field by its dotted path. */
function readPlace(answer: Answer, place: string): string {
  if (place.includes("-")) return answer.headers.get(place) ?? "";
  let value: unknown = readJson(answer.body);
  for (const name of place.split(".")) value = (value as Record<string, unknown> | undefined)?.[name];
  return String(value);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
