import { readdirSync, readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { Exchange } from "../../conformance/play/exchange.ts";
import { readJson } from "../../conformance/play/match-answer.ts";
import { type Sdk, Subject } from "../../conformance/play/subject.ts";
import type { Json, RecordedRequest } from "../../conformance/recorded-case.ts";
import { waitFor } from "../../testkit/src/wait-for.ts";

/** The problems found, and the time until a killed participant serves requests again. */
interface FaultsFound {
  readonly problems: readonly string[];
  readonly recoveryMs: number;
}

const BIG_BYTES = 64 * 1024 * 1024;
const COUNT = { behavior: "count" };

/**
 * Kills a participant while it trains and while it responds, repeats a round, and disconnects like a client that
 * crashes.
 */
export async function findParticipantFaults(sdk: Sdk): Promise<FaultsFound> {
  const killed = await killDuringTrain(sdk);
  const problems = [
    ...killed.problems,
    ...(await killDuringAnswer(sdk)),
    ...(await repeatRound(sdk)),
    ...(await leaveDuringTrain(sdk)),
  ];
  return { problems: problems.map((problem) => `${sdk}: ${problem}`), recoveryMs: killed.recoveryMs };
}

/** Checks that the caller gets no result, no process is left, and a new process trains the round from the start. */
async function killDuringTrain(sdk: Sdk): Promise<FaultsFound> {
  const problems: string[] = [];
  const round = train(
    { ...COUNT, gate: "killed" },
    { "idempotency-key": "run:1:p", "x-run-id": "run", "x-round": "1" },
  );
  const first = await Subject.start(sdk, {});
  const call = new Exchange(first.port, round);
  await first.gateReached("killed");
  const family = findFamily(first.pid);
  const killedAtMs = performance.now();
  first.kill("SIGKILL");
  const answer = await call.answer.catch(() => null);
  if (answer !== null) problems.push(`a killed participant answered ${answer.status}`);
  await first.stop();
  const orphans = family.filter(isAlive);
  if (orphans.length > 0) problems.push(`processes outlived the participant: ${orphans.join(", ")}`);
  const second = await Subject.start(sdk, {});
  try {
    second.openGate("killed");
    const repeated = await new Exchange(second.port, round).answer;
    const recoveryMs = performance.now() - killedAtMs;
    const result = readParameters(repeated.body);
    if (result !== "training 1") problems.push(`the round that was killed gives ${result} when repeated`);
    return { problems, recoveryMs };
  } finally {
    await second.stop();
  }
}

/** Checks that a client can't mistake a partial response for a complete one. */
async function killDuringAnswer(sdk: Sdk): Promise<string[]> {
  const subject = await Subject.start(sdk, {});
  try {
    const sending = request({ port: subject.port, host: "127.0.0.1", method: "POST", path: "/train" });
    const answered = Promise.withResolvers<IncomingMessage>();
    sending.once("response", answered.resolve).once("error", answered.reject);
    sending.end(JSON.stringify({ config: { behavior: "big", bytes: BIG_BYTES } }));
    const answer = await answered.promise;
    let length = 0;
    try {
      for await (const chunk of answer) {
        if (length === 0) subject.kill("SIGKILL");
        length += (chunk as Buffer).length;
      }
    } catch {
      return length < BIG_BYTES ? [] : ["the whole answer came, and then the connection broke"];
    }
    return [`an answer that was cut after ${length} bytes looked complete`];
  } finally {
    await subject.stop();
  }
}

/**
 * Sends the same round twice concurrently and once more afterward. There must be one training run and three identical
 * responses.
 */
async function repeatRound(sdk: Sdk): Promise<string[]> {
  const subject = await Subject.start(sdk, {});
  try {
    const round = train({ ...COUNT, gate: "twice" }, { "idempotency-key": "run:2:p" });
    const both = [new Exchange(subject.port, round), new Exchange(subject.port, round)];
    await subject.gateReached("twice");
    subject.openGate("twice");
    const answers = [...(await Promise.all(both.map(({ answer }) => answer)))];
    answers.push(await new Exchange(subject.port, round).answer);
    const results = answers.map(({ body }) => readParameters(body));
    return results.every((result) => result === "training 1") ? [] : [`a repeated round gave ${results.join(", ")}`];
  } finally {
    await subject.stop();
  }
}

/**
 * Without an idempotency key, the function is canceled and the slot becomes free. With a key, the result is stored for
 * its caller.
 */
async function leaveDuringTrain(sdk: Sdk): Promise<string[]> {
  const subject = await Subject.start(sdk, {});
  try {
    const left = new Exchange(subject.port, train({ behavior: "wait_for_cancel", gate: "left" }));
    await subject.gateReached("left");
    left.leave();
    await subject.gateReached("left-signalled");
    await waitFor("the slot of a caller who left to be free", () => isIdle(subject));
    const keyed = train({ ...COUNT, gate: "keyed" }, { "idempotency-key": "run:3:p" });
    const gone = new Exchange(subject.port, keyed);
    await subject.gateReached("keyed");
    gone.leave();
    subject.openGate("keyed");
    const fetched = await new Exchange(subject.port, keyed).answer;
    const result = readParameters(fetched.body);
    return result === "training 2" ? [] : [`a caller who came back with its key read ${result}`];
  } finally {
    await subject.stop();
  }
}

function train(config: Json, headers: Readonly<Record<string, string>> = {}): RecordedRequest {
  return { method: "POST", path: "/train", headers, body: { json: { config } } };
}

async function isIdle({ port }: Subject): Promise<boolean> {
  const answer = await new Exchange(port, { path: "/status" }).answer;
  return (readJson(answer.body) as { busy?: boolean } | undefined)?.busy === false;
}

/** Returns the parameters as text, or the whole body if it has no parameters. */
function readParameters(body: Buffer): string {
  const { parameters } = (readJson(body) ?? {}) as { parameters?: string };
  return parameters === undefined ? body.toString("utf8") : Buffer.from(parameters, "base64").toString("utf8");
}

/** Returns a process and all its descendants. */
function findFamily(pid: number): number[] {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: readParent(name) }));
  const family = [pid];
  for (const member of family)
    family.push(...parents.filter(({ parent }) => parent === member).map((each) => each.pid));
  return family;
}

function readParent(name: string): number {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1]);
  } catch {
    // The process exited while the process list was being read.
    return Number.NaN;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
