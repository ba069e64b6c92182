import { BroadcastChannel, parentPort, workerData } from "node:worker_threads";
import { readMessage } from "./thread-message.ts";
import type { WorkerThreadCommand, WorkerThreadData } from "./worker-thread.ts";

// A program for tests of threads. It reports what happens to it, and does what the test asks for.

export const CHANNEL = "worker-thread-test";

if (parentPort !== null) {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: { data: unknown }) => {
    if (data === "throw") setImmediate(() => throwError());
    if (data === "fill the heap") fillHeap();
    if (data === "hang") for (;;);
  };
  parentPort.on("message", (command: WorkerThreadCommand) => {
    channel.postMessage(command.kind);
    // A worker needs a while to finish its work.
    if (command.kind === "stop") setTimeout(() => process.exit(0), 100);
  });
  const { start, settings } = readMessage(workerData) as WorkerThreadData;
  channel.postMessage(`secret key ${start.secretKeys[0]?.reveal()}`);
  channel.postMessage(`slots ${settings.assistants.slots}`);
  channel.postMessage("started");
  parentPort.postMessage("ready");
}

function throwError(): never {
  throw new Error("the thread failed");
}

function fillHeap(): void {
  const kept: number[][] = [];
  for (;;) kept.push(Array.from({ length: 10_000 }, (_, index) => index + 0.5));
}
