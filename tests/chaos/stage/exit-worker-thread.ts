import { parentPort, threadName } from "node:worker_threads";

const LIFE_MS = 2_000;

// Loaded into every thread of a program under test, before the program itself. Ends the worker's thread as a crash does,
// without the work of a regular stop. Its life begins when it reports that it is ready, however slow this machine is.
if (threadName === "worker" && parentPort !== null) {
  const port = parentPort;
  const post = port.postMessage.bind(port);
  port.postMessage = (message: unknown) => {
    post(message);
    setTimeout(() => process.exit(1), LIFE_MS).unref();
  };
}
