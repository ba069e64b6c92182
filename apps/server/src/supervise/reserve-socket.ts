import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

export interface ReservedSocket {
  readonly fd: number;
  readonly port: number;
}

/**
 * Opens the listening socket and holds it for the lifetime of this process, without ever accepting on it. While all
 * children are down, the kernel queues connections, whereas a socket owned by the children would refuse them. The
 * socket is opened in a thread that then sleeps forever, because a Node event loop that owns a listening socket accepts
 * its connections.
 */
export async function reserveSocket(host: string, port: number): Promise<ReservedSocket> {
  const worker = new Worker(fileURLToPath(new URL("./socket-holder.ts", import.meta.url)), {
    workerData: { host, port },
  });
  const [message] = (await once(worker, "message")) as [ReservedSocket | { error: NodeJS.ErrnoException }];
  worker.unref();
  if ("error" in message) throw Object.assign(new Error(message.error.message), { code: message.error.code });
  return message;
}
