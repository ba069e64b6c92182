import { expect, test } from "vitest";
import { readTensors } from "../formats/open-tensors.ts";
import { writeTensors } from "../formats/write-tensors.ts";
import type { Row } from "../handlers.ts";
import { Participant } from "../participant/participant.ts";
import { ParticipantFailure } from "../participant-failure.ts";
import { simulate } from "./simulate.ts";

test("participants train on their own rows, and the mean is weighted by row count", async () => {
  const participants = [meanOf([{ x: 1 }, { x: 2 }, { x: 3 }]), meanOf([{ x: 10 }])];
  const { parameters, rounds } = await simulate(participants, 2);
  expect(readMean(parameters)).toBe(4);
  expect(rounds.map(({ round }) => round)).toEqual([1, 2]);
  expect(rounds[1]?.accuracies).toEqual([-2, -6]);
  expect(rounds[1]?.accuracy).toBe(-3);
  expect(rounds[0]?.trainMetrics).toEqual([{ started: 0 }, { started: 0 }]);
  expect(rounds[1]?.trainMetrics).toEqual([{ started: 1 }, { started: 1 }]);
});

test("calls a participant's aggregate function with the weights", async () => {
  const hub = new Participant({ host: "127.0.0.1" });
  let seen: readonly number[] | undefined;
  hub.registerAggregate((list, { weights }) => {
    seen = weights;
    return list[1] ?? new Uint8Array();
  });
  const { parameters } = await simulate([meanOf([{ x: 1 }, { x: 3 }]), meanOf([{ x: 10 }]), hub], 1);
  expect(readMean(parameters)).toBe(10);
  expect(seen).toEqual([2, 1]);
});

test("rejects an invalid result, as it would over HTTP", async () => {
  const broken = new Participant();
  broken.registerTrain(() => new Uint8Array());
  await expect(simulate([broken], 1)).rejects.toBeInstanceOf(ParticipantFailure);
  await expect(simulate([new Participant()], 1)).rejects.toThrow("no participant has a train function");
  await expect(simulate([broken], 0)).rejects.toThrow("rounds");
});

/**
 * Creates a participant whose model is the mean of its rows and whose accuracy is the negative distance between the
 * given mean and its own mean.
 */
function meanOf(rows: Row[]): Participant {
  const participant = new Participant({ dataset: rows });
  const mean = (dataset: Row[]) => dataset.reduce((sum, { x }) => sum + Number(x), 0) / dataset.length;
  participant.registerTrain((parameters, dataset) => ({
    parameters: writeMean(mean(dataset)),
    metrics: { started: parameters === null ? 0 : 1 },
  }));
  participant.registerEvaluate((parameters, dataset) => -Math.abs(readMean(parameters) - mean(dataset)));
  return participant;
}

function writeMean(value: number): Uint8Array {
  const data = new Uint8Array(Float32Array.of(value).buffer);
  return writeTensors(new Map([["mean", { dtype: "F32", shape: [1], data }]]), "safetensors");
}

function readMean(parameters: Uint8Array | null): number {
  const data = readTensors(parameters ?? new Uint8Array()).get("mean")?.data ?? new Uint8Array(4);
  return new DataView(data.buffer, data.byteOffset, 4).getFloat32(0, true);
}
