import fc from "fast-check";
import { expect, test } from "vitest";
import type { Deployment } from "../call/deployment.ts";
import { makeChatCall } from "../pipeline/chat-call.fixture.ts";
import { finishesOnDisconnect, HasDeadline, LiveCalls } from "./live-calls.ts";

class Counted extends HasDeadline {
  checks = 0;
  readonly #onCheck: () => void;
  constructor(onCheck: () => void = () => {}) {
    super();
    this.#onCheck = onCheck;
  }
  override check(): void {
    this.checks += 1;
    this.#onCheck();
  }
}

test("checks every live call and no call that has ended", async () => {
  const live = new LiveCalls(() => 0);
  const calls = Array.from({ length: 5 }, () => new Counted());
  for (const call of calls) live.add(call);
  live.remove(calls[1] as Counted);
  live.remove(calls[4] as Counted);
  live.remove(calls[4] as Counted);
  await expect.poll(() => calls.map(({ checks }) => Math.min(checks, 1))).toEqual([1, 0, 1, 1, 0]);
  for (const call of calls) live.remove(call);
});

test("never skips a live call or checks an ended call, even if calls end each other during a check", async () => {
  const endings = fc.array(fc.array(fc.nat(9), { maxLength: 3 }), { minLength: 10, maxLength: 10 });
  const rounds = fc.sample(endings, 200).map((others) => new Round(others));
  await expect.poll(() => rounds.every((round) => round.isComplete)).toBe(true);
  expect(rounds.flatMap(({ checkedAfterEnd }) => checkedAfterEnd)).toEqual([]);
  for (const round of rounds) round.end();
});

/** Ten calls, each of which ends some of the other calls when it is checked. */
class Round {
  readonly checkedAfterEnd: number[] = [];
  readonly #live = new LiveCalls(() => 0);
  readonly #ended = new Set<number>();
  readonly #calls: readonly Counted[];

  constructor(endings: readonly (readonly number[])[]) {
    this.#calls = endings.map((others, index) => new Counted(() => this.#check(index, others)));
    for (const call of this.#calls) this.#live.add(call);
  }

  get isComplete(): boolean {
    return this.#calls.every(({ checks }, index) => checks > 0 || this.#ended.has(index));
  }

  end(): void {
    for (const call of this.#calls) this.#live.remove(call);
  }

  #check(index: number, others: readonly number[]): void {
    if (this.#ended.has(index)) this.checkedAfterEnd.push(index);
    for (const other of others) {
      this.#ended.add(other);
      this.#live.remove(this.#calls[other] as Counted);
    }
  }
}

const image = [{ type: "image_url", image_url: { url: "https://x/a.png" } }];
const callOf = (content: unknown, stream: boolean) =>
  makeChatCall({ text: JSON.stringify({ model: "m", messages: [{ role: "user", content }], stream }) });

test.for([
  ["finish", "hello", true, true],
  ["abort", image, false, false],
  ["abort_streams", "hello", true, false],
  ["abort_streams", "hello", false, true],
  // The gateway can't count the tokens of an image.
  ["abort_streams", image, true, true],
] as const)("on_disconnect %s, content %j, stream %s: %s", ([onDisconnect, content, isStream, isFinished]) => {
  expect(finishesOnDisconnect({ onDisconnect } as Deployment, callOf(content, isStream))).toBe(isFinished);
});
