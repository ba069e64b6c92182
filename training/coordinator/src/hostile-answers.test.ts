import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { RunEvent } from "./run-events.ts";
import {
  planFor,
  planOf,
  runPlan,
  startTrainer,
  type Trainer,
  trainerFor,
  writeWeights,
} from "./test-fleet.fixture.ts";

const base64 = Buffer.from(writeWeights([1, 2, 3, 4])).toString("base64");

test.for(["-1", "1e308", "1.5", '"many"', "9007199254740993", "[1]", "true"])(
  "a count of %s examples fails only the participant that reported it",
  async (count) => {
    const hostile = await serve(`{"parameters":"${base64}","num_examples":${count}}`);
    const urls = [await startTrainer(trainerFor(10)), hostile, await startTrainer(trainerFor(20))];
    const { outcome, events } = await runPlan(planOf(urls, { run: { rounds: 1 }, evaluate: { on: ["p1", "p3"] } }));
    expect(outcome).toMatchObject({ outcome: "finished" });
    expect(failureOf(events, "p2")?.reason).toMatch(/num_examples/);
  },
);

test("an inflated count moves the model no further than the share cap allows", async () => {
  const hostile = await serve(`{"parameters":"${base64}","num_examples":${Number.MAX_SAFE_INTEGER}}`);
  const urls = [await startTrainer(trainerFor(10)), hostile, await startTrainer(trainerFor(20))];
  const settings = { run: { rounds: 1 }, evaluate: { on: ["p1", "p3"] }, aggregate: { maxShare: 0.4 } };
  const { events } = await runPlan(planOf(urls, settings));
  const closed = events.find((event) => event.type === "training.closed");
  expect(closed?.members.map(({ share }) => share)).toEqual([0.3, 0.4, 0.3]);
});

test("a score near the largest representable number does not stop the run", async () => {
  const boasting: Trainer = { ...trainerFor(10), evaluate: () => ({ accuracy: 1e308, numExamples: 1e15 }) };
  const plan = await planFor([trainerFor(10), boasting, boasting], { run: { rounds: 2 } });
  expect((await runPlan(plan)).outcome).toMatchObject({ outcome: "finished", round: 2 });
});

test("an aggregator fails if its parameters have a different shape from its members'", async () => {
  const shrinking: Trainer = { ...trainerFor(10), aggregate: () => writeWeights([1, 2]) };
  const urls = [await startTrainer(shrinking), await startTrainer(trainerFor(20))];
  const participants = urls.map((url, index) => ({
    id: `p${index + 1}`,
    url,
    roles: ["train", "evaluate", "aggregate"],
  }));
  const aggregate = { by: "participant", format: "safetensors" };
  const { outcome, events } = await runPlan(planOf([], { participants, aggregate, run: { rounds: 1 } }));
  expect(outcome).toMatchObject({ outcome: "finished" });
  expect(failureOf(events, "p1")).toMatchObject({
    phase: "aggregate",
    reason: expect.stringMatching(/invalid parameters: .*\[2\]/),
  });
  expect(events.find((event) => event.type === "aggregated")).toMatchObject({ by: "p2" });
});

test("a token that a participant echoes never appears in a file or an event", async () => {
  const token = "a-token-of-enough-length";
  const url = await serveBy((request, response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: `you sent ${request.headers.authorization}`, code: "VALIDATION_ERROR" }));
  });
  const others = [await startTrainer(trainerFor(10)), await startTrainer(trainerFor(20))];
  const participants = [
    { id: "p0", url, tokenEnv: "T" },
    ...others.map((one, index) => ({ id: `p${index + 1}`, url: one })),
  ];
  const { dir, events } = await runPlan(planOf([], { participants, run: { rounds: 1 } }), { env: { T: token } });
  expect(failureOf(events, "p0")?.reason).toMatch(/you sent Bearer/);
  expect(JSON.stringify(events)).not.toContain(token);
  for (const name of await readdir(dir)) {
    if (name !== "blobs") expect(await readFile(join(dir, name), "utf8")).not.toContain(token);
  }
});

test("an endless response is cut off at the maximum model size", async () => {
  let sent = 0;
  const endless = await serveBy((request, response) => {
    if (request.url === "/status") return response.writeHead(404).end();
    response.writeHead(200, { "content-type": "application/json" });
    if (request.headers["content-length"] === undefined || Number(request.headers["content-length"]) < 100) {
      return response.end(`{"parameters":"${base64}"}`);
    }
    response.write('{"parameters":"');
    const piece = Buffer.alloc(1024 * 1024, "A");
    const send = (): void => {
      for (let more = !response.destroyed; more; sent += piece.length) more = response.write(piece);
    };
    response.on("drain", send);
    send();
  });
  const urls = [await startTrainer(trainerFor(10)), endless, await startTrainer(trainerFor(20))];
  const { outcome, events } = await runPlan(planOf(urls, { run: { rounds: 2 }, evaluate: { on: ["p1", "p3"] } }));
  expect(outcome).toMatchObject({ outcome: "finished", round: 2 });
  expect(failureOf(events, "p2")).toMatchObject({ round: 2, reason: expect.stringMatching(/larger than \d+ bytes/) });
  expect(sent).toBeLessThan(100 * 1024 * 1024);
});

test("a redirect is not followed", async () => {
  let followed = 0;
  const target = await serveBy((_request, response) => {
    followed += 1;
    response.end("{}");
  });
  const url = await serveBy((_request, response) => response.writeHead(307, { location: `${target}/train` }).end());
  const urls = [await startTrainer(trainerFor(10)), await startTrainer(trainerFor(20)), url];
  const { outcome, events } = await runPlan(planOf(urls, { run: { rounds: 1 } }));
  expect(outcome).toMatchObject({ outcome: "finished" });
  expect(failureOf(events, "p3")?.reason).toMatch(/redirect/);
  expect(followed).toBe(0);
});

function failureOf(events: readonly RunEvent[], participant: string) {
  return events.find((event) => event.type === "participant.failed" && event.participant === participant) as
    | Extract<RunEvent, { type: "participant.failed" }>
    | undefined;
}

/** Starts a participant that supports only the three basic calls and gives the same response to all of them. */
function serve(answer: string): Promise<string> {
  return serveBy((request, response) => {
    if (request.url === "/status") response.writeHead(404).end();
    else response.writeHead(200, { "content-type": "application/json" }).end(answer);
  });
}

async function serveBy(answer: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<string> {
  const server = createServer((request, response) => request.resume().on("end", () => answer(request, response)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
